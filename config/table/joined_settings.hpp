// Sections whose values follow from more than their own rows: what a role is handed instead of the section as it was
// written.
#pragma once

#include "config/table/settings.hpp"

namespace heddle::config {

/// The rules of exclusion, with what an old name of the time-out turns on (HT-9, HT-10).
[[nodiscard]] ExclusionSettings exclusion_rules(const Settings& settings);

/// The allocator's settings; it beats at least twice within the time after which the ResourceManager takes its master
/// for dead (AM-1).
[[nodiscard]] YarnAllocatorSettings allocator_rules(const Settings& settings);

/// The silence after which a connection breaks: never before the longest time-out by which one role gives another up.
[[nodiscard]] Duration connection_silence(const Settings& settings);

}  // namespace heddle::config
