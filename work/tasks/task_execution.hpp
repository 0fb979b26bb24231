// Runs one task attempt: opens input and output, runs the bodies in a chain, and fills the TaskOutcome. One object per
// slot, used by its thread; other threads may call kill().
//
//   split or shuffle partition -> body -> (lines) -> body -> … -> shuffle output, part file, log, or nothing
//
// All bodies but the last run on their own threads and pass chunks through bounded queues.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "ports/shuffle_fetch.hpp"
#include "work/files/wake_event.hpp"
#include "work/output/shipped_files.hpp"
#include "work/tasks/live_counts.hpp"
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
  [[nodiscard]] std::int64_t records_read() { return counts_.records_read(); }
  /// Progress of the running attempt. Can be called from any thread.
  [[nodiscard]] ports::TaskProgress progress() {
    auto now = progress_.snapshot();
    counts_.set_task_counters(now.counters.task);
    return now;
  }
  /// A sign of life of the running attempt. Can be called from any thread.
  void add_sign() { progress_.add_sign(); }
  /// Clears the kill flag and the progress before other threads see the next attempt.
  void prepare() {
    if (is_killed_.exchange(false)) stop_fetch_.clear();
    if (std::exchange(has_progress_, false)) progress_.clear(0);
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
  bool has_progress_ = false;  // of the last attempt; only on the slot thread
  LiveCounts counts_;
  WakeEvent stop_fetch_;  // opened by the first fetch; guarded by mutex_
};

}  // namespace heddle::work
