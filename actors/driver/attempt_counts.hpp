// Counters of a MapReduce job about its attempts, by the rule of framework driver: as Hadoop on YARN counts.
#pragma once

#include <cstdint>

#include "actors/driver/job_record.hpp"
#include "policies/tasks/types/task_effects.hpp"

namespace heddle::actors {

/// Counts an attempt that is launched, and its place if it is a map. A map is at OTHER without hosts: its split names
/// none, or it runs again after a failure. `amount` -1: the executor gave the attempt back before it started.
void count_launch(JobRecord& job, const TaskSetRecord& set, const policies::TaskLaunch& launch, std::int64_t amount);
/// Counts an attempt that failed or was killed. After a success, earlier failures for stays_unreachable do not count.
void count_end(JobRecord& job, TaskSetRecord& set, const policies::TaskEnded& ended);

/// Returns true if the failure of an attempt is the last one of a map that the job allows to fail
/// (mapreduce.map.failures.maxpercent): the map counts as finished, without output.
[[nodiscard]] bool let_fail(JobRecord& job, const TaskSetRecord& set, std::int32_t partition,
                            std::int32_t failures_max);

/// True if the attempt does not count as failed because the file system broke its output: that happens three times to
/// a task at most. A fault of every file system would repeat the task for ever.
[[nodiscard]] bool forgives(TaskSetRecord& set, std::int32_t partition, const TaskOutcome& outcome);

/// True if the attempt failed because of a file system that stays unreachable: the job ends.
[[nodiscard]] bool stays_unreachable(TaskSetRecord& set, std::int32_t partition, const TaskOutcome& outcome);

}  // namespace heddle::actors
