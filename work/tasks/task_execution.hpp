// Runs one task attempt: opens input and output, runs the bodies in a chain, and fills the TaskOutcome. One object per
// slot, used by its thread; other threads may call kill().
//
//   split or shuffle partition -> body -> (lines) -> body -> … -> shuffle output, part file, log, or nothing
//
// All bodies but the last run on their own threads and pass chunks through bounded queues.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ports/shuffle_fetch.hpp"
#include "work/files/wake_event.hpp"
#include "work/output/shipped_files.hpp"
#include "work/tasks/live_progress.hpp"
#include "work/tasks/location_tables.hpp"
#include "work/tasks/slot_task_runner.hpp"
#include "work/tasks/task_attempt.hpp"

namespace heddle::work {

class TaskExecution {
public:
  TaskExecution(const SlotTaskRunnerSettings& settings, ports::ShuffleFetch& fetch, LocationTables& locations,
                ShippedFiles& shipped);
  ~TaskExecution();
  TaskExecution(const TaskExecution&) = delete;
  TaskExecution& operator=(const TaskExecution&) = delete;

  /// Fills the outcome except its times.
  void execute(const TaskAttempt& attempt, TaskOutcome& outcome);
  /// Kills the running attempt: commands with their process group, a fetch and a wait for map outputs at once,
  /// functions when they check is_killed().
  void kill();
  /// Number of records that the running attempt has read. Can be called from any thread.
  [[nodiscard]] std::int64_t records_read();
  /// Progress of the running attempt. Can be called from any thread.
  [[nodiscard]] ports::TaskProgress progress() { return progress_.snapshot(); }
  /// Clears the kill flag before the next attempt.
  void prepare() {
    if (is_killed_.exchange(false)) stop_fetch_.clear();
  }

private:
  class TaskIo;
  class Chain;
  CommandRunner& runner_of(std::size_t body);
  /// Returns a descriptor that kill() makes readable.
  [[nodiscard]] Result<int> fetch_stop();
  void execute_whole(const TaskAttempt& attempt, TaskOutcome& outcome);

  const SlotTaskRunnerSettings& settings_;
  ports::ShuffleFetch& fetch_;
  LocationTables& locations_;
  ShippedFiles& shipped_;
  std::atomic<bool> is_killed_{false};
  std::mutex mutex_;
  // by position in the chain; guarded by mutex_, because kill() uses them
  std::vector<std::unique_ptr<CommandRunner>> runners_;
  LiveProgress progress_;
  WakeEvent stop_fetch_;  // opened by the first fetch; guarded by mutex_
  std::mutex reading_mutex_;
  std::function<std::int64_t()> count_records_;  // set while an attempt has an open input; guarded by reading_mutex_
};

}  // namespace heddle::work
