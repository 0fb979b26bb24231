// Hadoop's value aggregators for `-reducer aggregate` (rule ST-11). Keys are "<aggregator>:<id>"; a reducer writes id
// and report, a combiner keeps the key. One pass over sorted records. Memory: the values of one key; all distinct
// values for UniqValueCount and ValueHistogram.
#pragma once

#include <string_view>

#include "work/tasks/function_registry.hpp"

namespace heddle::work {

constexpr std::string_view aggregate_name = "aggregate";
constexpr std::string_view aggregate_combine_name = "aggregate_combine";

/// Returns the built-in function `name`, or nullptr.
[[nodiscard]] TaskFunction find_built_in_function(std::string_view name);

}  // namespace heddle::work
