// Runs one attempt of one task from its input to its outcome: opens what it reads and writes, runs its bodies in a
// chain, and says in a TaskOutcome what became of it. One object per slot, used by its thread; kill() comes from
// others.
//
//   split or shuffle partition -> body -> (lines) -> body -> … -> shuffle output, part file, log, or nothing
//
// All bodies but the last run on threads of their own and hand pieces on through bounded queues.
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
#include "work/tasks/slot_task_runner.hpp"
#include "work/tasks/task_attempt.hpp"

namespace heddle::work {

/// Locations of a shuffle, as last told; nullptr: never told.
using FindLocations = std::function<std::shared_ptr<const ports::ShuffleLocations>(ShuffleId)>;

class TaskExecution {
public:
  TaskExecution(const SlotTaskRunnerSettings& settings, ports::ShuffleFetch& fetch, FindLocations find_locations);
  ~TaskExecution();
  TaskExecution(const TaskExecution&) = delete;
  TaskExecution& operator=(const TaskExecution&) = delete;

  /// Fills everything of the outcome but its times.
  void execute(const TaskAttempt& attempt, TaskOutcome& outcome);
  /// Ends what runs now: commands by their group, a fetch at once, functions when they look.
  void kill();
  /// Records that the attempt that runs now has read so far. From any thread.
  [[nodiscard]] std::int64_t records_read();
  /// Before the next attempt: forgets an earlier kill.
  void prepare() {
    if (is_killed_.exchange(false)) stop_fetch_.clear();
  }

private:
  class Ends;
  class Chain;
  CommandRunner& runner_of(std::size_t body);
  /// A descriptor that kill() makes readable.
  [[nodiscard]] Result<int> fetch_stop();
  void execute_whole(const TaskAttempt& attempt, TaskOutcome& outcome);

  const SlotTaskRunnerSettings& settings_;
  ports::ShuffleFetch& fetch_;
  FindLocations find_locations_;
  std::atomic<bool> is_killed_{false};
  std::mutex mutex_;
  std::vector<std::unique_ptr<CommandRunner>> runners_;  // by position in the chain; guarded for kill()
  WakeEvent stop_fetch_;                                 // opened by the first fetch; guarded for kill()
  std::mutex reading_mutex_;
  std::function<std::int64_t()> count_records_;  // while an attempt has something open to read; guarded
};

}  // namespace heddle::work
