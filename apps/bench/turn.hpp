// One turn of a measure in a process of its own, so that what one measure leaves in memory is no part of the next.
#pragma once

#include <string_view>

#include "apps/bench/measure.hpp"

namespace heddle::apps {

/// Forks, measures there, and answers what it measured. Only while this process has no other thread. `prepare` runs in
/// the child.
[[nodiscard]] Result<BenchReadings> run_turn(std::string_view name, const BenchPlace& place, void (*prepare)());

}  // namespace heddle::apps
