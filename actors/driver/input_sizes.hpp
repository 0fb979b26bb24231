// Estimates the input bytes of each task of a stage before it runs, from split lengths and map output sizes.
// Pure: no actor, no clock. Cost: linear in tasks, plus one pass over the map outputs of each shuffle that they read.
#pragma once

#include <cstdint>
#include <vector>

#include "actors/driver/job_record.hpp"
#include "policies/stages/map_output_table.hpp"

namespace heddle::actors {

/// Bytes by task index; -1: unknown, because the size of a map output is unknown.
[[nodiscard]] std::vector<std::int64_t> input_sizes(const TaskSetRecord& set, const policies::JobPlan& plan,
                                                    const policies::MapOutputTable& outputs);

}  // namespace heddle::actors
