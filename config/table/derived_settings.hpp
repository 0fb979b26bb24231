// Sections that depend on settings of other sections. Roles get these instead of the plain sections.
#pragma once

#include "config/table/settings.hpp"

namespace heddle::config {

/// Exclusion settings; heddle.exclusion.legacy_timeout is applied (HT-9, HT-10).
[[nodiscard]] ExclusionSettings exclusion_rules(const Settings& settings);

/// Settings of the YarnAllocator. Its heartbeat interval is at most half of the time-out of application masters (AM-1).
[[nodiscard]] YarnAllocatorSettings allocator_rules(const Settings& settings);

/// Settings of the MapReduceMaster, with the same limit.
[[nodiscard]] MapReduceMasterSettings map_reduce_master_rules(const Settings& settings);

/// Time without data after which a connection breaks: longer than all time-outs of roles.
[[nodiscard]] Duration connection_silence(const Settings& settings);

}  // namespace heddle::config
