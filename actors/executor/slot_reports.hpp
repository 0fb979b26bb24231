// From what slot threads report to what the Driver is told: many alike become one range, and no actor stands between
// the two.
#pragma once

#include <mutex>
#include <vector>

#include "messages/handles.hpp"
#include "ports/task_runner.hpp"

namespace heddle::actors {

/// Attempts of consecutive indices that finished and have nothing to say but their times are one FinishedRange.
[[nodiscard]] StatusUpdate gather(std::vector<ports::TaskReport> reports);

/// What slot threads say goes straight to the Driver while the Executor has an epoch with it, and nowhere else.
/// Any thread may call; whatever is said by a thread comes in its order.
class StatusUpdates {
public:
  explicit StatusUpdates(ExecutorId executor) : executor_{executor} {}
  void open(const DriverActor& driver, Epoch epoch);
  void close();
  void tell(std::vector<ports::TaskReport> reports);

private:
  const ExecutorId executor_;
  std::mutex mutex_;
  DriverActor driver_;  // none while it is closed
  Epoch epoch_;
};

}  // namespace heddle::actors
