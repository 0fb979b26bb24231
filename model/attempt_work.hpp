// What a task attempt of a MapReduce job runs, and its state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/ids.hpp"
#include "model/stage_work.hpp"
#include "model/task_attempt_id.hpp"

namespace heddle {

/// Unclean: the attempt failed or was killed, and its task cleanup has not ended.
enum class TaskAttemptState : std::uint8_t {
  running,
  commit_pending,
  succeeded,
  failed,
  killed,
  failed_unclean,
  killed_unclean
};
constexpr TaskAttemptState last_of(TaskAttemptState) { return TaskAttemptState::killed_unclean; }

/// Phases of a running attempt. A map has only one.
enum class TaskPhase : std::uint8_t { starting, map, shuffle, reduce };
constexpr TaskPhase last_of(TaskPhase) { return TaskPhase::reduce; }

/// The attempt failed or was killed, and its cleanup has not run.
[[nodiscard]] constexpr bool is_unclean(TaskAttemptState state) {
  return state == TaskAttemptState::failed_unclean || state == TaskAttemptState::killed_unclean;
}

/// The attempt failed or was killed, and needs no cleanup.
[[nodiscard]] constexpr bool is_end(TaskAttemptState state) {
  return state == TaskAttemptState::failed || state == TaskAttemptState::killed;
}

/// Counters of a running attempt of a MapReduce job. In a report, an empty part has not changed since the last report.
struct AttemptCounters {
  TaskCounters task;
  std::vector<std::pair<std::string, std::int64_t>> user;  // "group\tname"
};

/// Most bytes of the user's counters in one report; see bytes_of_counter.
inline constexpr std::size_t user_counter_bytes_max = 64 << 10;
[[nodiscard]] constexpr std::size_t bytes_of_counter(std::string_view name) {
  return name.size() + sizeof(std::int64_t);
}

/// Replaces the parts that the report has. Ignores a part that no attempt reports: a wrong number of task counters, a
/// negative task counter, more counters of the user than `counters_max`, or more bytes than user_counter_bytes_max.
void update_counters(AttemptCounters& known, AttemptCounters report, std::int32_t counters_max);
/// Adds the parts of the last report that the outcome lacks.
void add_missing_counters(TaskOutcome& outcome, AttemptCounters last);

/// One output of a job, and the task attempts whose files become its content.
struct OutputWinners {
  std::string path;
  bool lazy = false;                       // an attempt without records has no file
  std::vector<std::string> task_attempts;  // folder names; see ports/output_commit.hpp, task_attempt_name
};

/// Outputs of a job, for an attempt that creates, commits or removes them. A job setup creates each path. A job cleanup
/// commits the winners, or removes the outputs if `is_commit` is false. A task cleanup removes the folder of one
/// attempt under each path.
struct OutputWork {
  std::vector<OutputWinners> outputs;
  std::int32_t application_attempt = 1;
  bool is_commit = false;
};

/// What all attempts of a job share on one TaskTracker.
struct TrackerJob {
  JobId job;
  ApplicationId application;
  std::string token;                   // of the application
  std::vector<StageProgram> programs;  // of the maps, then of the reduces if there are any
  std::int32_t tasks_per_process = 1;  // see JobRules
};

/// An attempt to start. `range` has one partition; a map, a reduce and a task cleanup have one.
struct AttemptLaunch {
  TaskAttemptId attempt;
  AttemptType type = AttemptType::map;
  bool uses_reduce_slot = false;
  TaskAttemptState state = TaskAttemptState::running;  // task cleanup: how the attempt ended
  TaskRange range{};
  OutputWork output{};  // for setup and cleanup
};

/// State of an attempt, as its TaskTracker reports it.
struct TaskAttemptStatus {
  TaskAttemptId attempt;
  TaskAttemptState state = TaskAttemptState::running;
  bool is_cleanup = false;                   // about the task cleanup of the attempt
  float progress = 0;                        // 0 to 1
  std::optional<TaskOutcome> outcome{};      // of an attempt that ended
  std::optional<MapOutputLocation> place{};  // of the output of a finished map that reduces read
  std::int64_t shuffle_ms = -1;              // of a reduce: from its launch until its copies ended; -1: not known
};

/// How an attempt ended, for reduces and clients. `obsolete`: it had succeeded, and its output is not used any more.
/// `task_failed`: the task failed with it.
enum class AttemptEnding : std::uint8_t { succeeded, failed, killed, obsolete, task_failed };
constexpr AttemptEnding last_of(AttemptEnding) { return AttemptEnding::task_failed; }

/// A completion event of a map. Reduces read the events of a job in their order, by position.
struct MapCompletion {
  std::int32_t map = 0;
  std::int32_t attempt = 0;
  AttemptEnding ending = AttemptEnding::succeeded;
  MapOutputLocation place{};  // of the output of a success
  std::int64_t run_us = 0;    // run time of a success
};

/// Most completion events in one message, as in Hadoop 1.2.
inline constexpr std::size_t map_completions_max = 500;

/// Asks for the completion events of the maps of a job from this position on.
struct CompletionsWanted {
  JobId job;
  std::int32_t from = 0;
};

/// Completion events of the maps of a job; the first one has the position `from`.
struct JobCompletions {
  JobId job;
  std::int32_t from = 0;
  std::vector<MapCompletion> rows;
};

}  // namespace heddle
