// One turn of a measure in its own process, so that memory of one measure does not affect the next.
#pragma once

#include <string_view>

#include "apps/bench/measure.hpp"

namespace heddle::apps {

/// Forks, measures in the child, and returns its readings. Precondition: this process has no other thread. `prepare`
/// runs in the child.
[[nodiscard]] Result<BenchReadings> measure_in_child(std::string_view name, const BenchPlace& place, void (*prepare)());

}  // namespace heddle::apps
