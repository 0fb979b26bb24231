// Sends the reports of slot threads to the Driver. Equal outcomes of consecutive tasks become one range. The Executor
// actor is not involved.
#pragma once

#include <mutex>
#include <vector>

#include "messages/handles.hpp"
#include "ports/task_runner.hpp"

namespace heddle::actors {

/// Builds a StatusUpdate. Finished task attempts with consecutive indexes, and no data in their outcome but times,
/// become one FinishedRange; every other report becomes one TaskStatus.
[[nodiscard]] StatusUpdate coalesce_reports(std::vector<ports::TaskReport> reports);

/// Sends StatusUpdate to the Driver while the Executor is registered, and drops reports otherwise. Thread-safe.
/// Messages of one thread keep their order.
class StatusReporter {
public:
  explicit StatusReporter(ExecutorId executor) : executor_{executor} {}
  void open(const DriverActor& driver, Epoch epoch);
  void close();
  void report(std::vector<ports::TaskReport> reports);

private:
  const ExecutorId executor_;
  std::mutex mutex_;
  DriverActor driver_;  // null while closed
  Epoch epoch_;
};

}  // namespace heddle::actors
