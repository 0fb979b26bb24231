// Hadoop's value aggregators, the reducer and combiner that `-reducer aggregate` names (spec ST-11).
// Keys are "<aggregator>:<id>"; a reducer writes id and report, a combiner keeps the key. One pass over sorted records,
// memory of one key: a few numbers, or its distinct values for UniqValueCount and ValueHistogram.
#pragma once

#include <string_view>

#include "work/tasks/function_registry.hpp"

namespace heddle::work {

constexpr std::string_view aggregate_name = "aggregate";
constexpr std::string_view aggregate_combine_name = "aggregate_combine";

/// The built-in function of that name; nullptr if there is none.
[[nodiscard]] TaskFunction find_built_in_function(std::string_view name);

}  // namespace heddle::work
