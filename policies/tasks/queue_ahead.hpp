// Number of tasks to queue behind the running tasks of an executor, so that a free slot need not wait for the Driver.
// Pure. Cost: constant. Not from Spark, which sends a task only to a free slot.
#pragma once

#include <algorithm>
#include <cstdint>

namespace heddle::policies {

/// Input of the decision for one executor.
struct QueueAheadInput {
  std::int32_t tasks_max = -1;  // the setting; below 0: as many as run for 10 ms
  std::int32_t cores = 1;
  std::int32_t assigned = 0;    // cores of tasks that were sent and have not ended
  std::int32_t wide_tasks = 0;  // running tasks that use several cores
  double task_us = -1;          // average run time of a task; below 0: not measured
};

/// Number of tasks to queue now. Example: 4 cores, 4 assigned, tasks of 100 us: 10,000 us * 4 / 100 us = 400.
[[nodiscard]] inline std::int32_t tasks_to_queue(const QueueAheadInput& executor) {
  constexpr double queued_us = 10'000;
  constexpr double queued_max = 4096;
  constexpr double shortest_task_us = 0.5;
  // A task with several cores leaves slot threads idle, and idle threads would start queued tasks at once.
  if (executor.assigned < executor.cores || executor.wide_tasks > 0) return 0;
  auto room = executor.tasks_max;
  if (room < 0) {
    if (executor.task_us < 0) return 0;
    room = static_cast<std::int32_t>(
        std::min<double>(queued_max, queued_us * executor.cores / std::max(executor.task_us, shortest_task_us)));
  }
  const auto queued = executor.assigned - executor.cores;
  return queued * 2 < room ? room - queued : 0;  // refill when half empty
}

/// Moving average of run times: a new value has a weight of 1/5.
[[nodiscard]] inline double average_task_us(double average_us, double measured_us) {
  return average_us < 0 ? measured_us : 0.8 * average_us + 0.2 * measured_us;
}

}  // namespace heddle::policies
