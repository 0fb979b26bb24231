// One task slot of a runner: its thread, its current attempt, and its unsent reports.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "work/tasks/queued_range.hpp"
#include "work/tasks/task_execution.hpp"

namespace heddle::work {

/// Guarded by `mutex`; `flush` keeps the order of reports.
struct Slot {
  std::mutex flush;
  std::mutex mutex;
  std::shared_ptr<QueuedRange> range;  // nullptr: idle
  std::shared_ptr<QueuedRange>
      source;  // range that it claims from, perhaps no longer in the queue; guarded by the runner's mutex
  std::int32_t offset = 0;
  std::int64_t start_us = 0;
  std::int64_t seen_start_us = 0;  // start_us at the last look of the reporter
  bool is_reported_running = false;
  std::string kill_reason;
  std::vector<ports::TaskReport> reports;
  std::unique_ptr<TaskExecution> execution;
  std::thread thread;
};

}  // namespace heddle::work
