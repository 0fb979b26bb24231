// What the tasks of a stage read, in bytes, as far as splits and map outputs tell before they run.
// Pure: no actor, no clock. Cost: one step per task, and for shuffles the codes of their map outputs.
#pragma once

#include <cstdint>
#include <vector>

#include "actors/driver/job_record.hpp"
#include "policies/stages/map_output_table.hpp"

namespace heddle::actors {

/// Bytes by index of the set; -1: not known, because a shuffle that the task reads does not tell.
[[nodiscard]] std::vector<std::int64_t> input_sizes(const TaskSetRecord& set, const JobPlan& plan,
                                                    const policies::MapOutputTable& outputs);

}  // namespace heddle::actors
