// Effects of the state machines of job, task and task attempt, by the party that gets them, and the types that they
// share. An effect for a state machine is an input of that machine.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/attempt_work.hpp"
#include "model/ids.hpp"
#include "policies/map_reduce/job_counters.hpp"
#include "policies/map_reduce/map_reduce_attempt_table.hpp"
#include "policies/map_reduce/map_reduce_events.hpp"
#include "policies/map_reduce/map_reduce_job_table.hpp"
#include "policies/map_reduce/map_reduce_task_table.hpp"

namespace heddle::policies {

/// One map or one reduce.
struct MapReduceTaskId {
  bool is_reduce = false;
  std::int32_t index = 0;
  auto operator<=>(const MapReduceTaskId&) const = default;
  static void visit_fields(auto& visit, auto& self) {
    visit("is_reduce", self.is_reduce);
    visit("task", self.index);
  }
};

[[nodiscard]] constexpr MapReduceTaskId task_of(MapReduceAttempt attempt) { return {attempt.is_reduce, attempt.index}; }

// -- to the allocator -----------------------------------------------------------

/// `earlier_failed`: before other maps and on any host; then there are no hosts and racks.
struct RequestTaskContainer {
  MapReduceAttempt attempt;
  bool earlier_failed = false;
  std::vector<std::string> hosts;
  std::vector<std::string> racks;
};
/// Withdraws the request, or releases the container.
struct DeallocateTaskContainer {
  MapReduceAttempt attempt;
};
/// The failure counts against the host.
struct CountHostFailure {
  MapReduceAttempt attempt;
  std::string host;
};

// -- to the launcher of containers ------------------------------------------------

struct LaunchTaskContainer {
  MapReduceAttempt attempt;
  ContainerId container;
};
/// Stops the container. Answered by `container_cleaned`. `dump_threads`: the child did not answer.
struct CleanUpTaskContainer {
  MapReduceAttempt attempt;
  ContainerId container;
  bool dump_threads = false;
};
/// The container has ended by itself.
struct ForgetTaskContainer {
  MapReduceAttempt attempt;
  ContainerId container;
};

// -- to the umbilical ---------------------------------------------------------------

/// expect_child: the child of the attempt may ask for its task. watch_child: the time limit of the task counts from now
/// (TA-1). forget_child: any message of the child is stale. watch_exit, forget_exit: the time limit for a finished
/// child to exit.
enum class ChildWatch : std::uint8_t { expect_child, watch_child, forget_child, watch_exit, forget_exit };
struct UpdateChildWatch {
  MapReduceAttempt attempt;
  ChildWatch change = ChildWatch::expect_child;
};

// -- to the output committer ----------------------------------------------------------

/// Answered by `setup_completed` or `setup_failed`.
struct SetUpJobOutput {};
/// Answered by `commit_completed` or `commit_failed`.
struct CommitJobOutput {};
/// Answered by `abort_completed`. `final_state`: failed or killed.
struct AbortJobOutput {
  MapReduceJobState final_state = MapReduceJobState::failed;
};
/// Removes the output of an attempt. Answered by `cleanup_done`, except for an attempt of an earlier master.
struct AbortTaskOutput {
  MapReduceAttempt attempt;
  bool is_answered = true;
};
/// An attempt of an earlier master succeeded: the output belongs to this master now. Whether this succeeds, is a field
/// of the input.
struct AdoptTaskOutput {
  MapReduceAttempt attempt;
};

// -- to the speculator ------------------------------------------------------------------

struct ChangeContainerNeed {
  MapReduceTaskId task;
  std::int32_t change = 0;  // 1 or -1
};
struct NotifyAttemptStarted {
  MapReduceAttempt attempt;
};
struct NotifyAttemptStatus {
  MapReduceAttempt attempt;
  float progress = 0;
};

// -- to the job ---------------------------------------------------------------------------

struct JobCounterIncrement {
  MapReduceJobCounter counter = MapReduceJobCounter::total_launched_maps;
  std::int64_t amount = 0;
};
struct UpdateJobCounters {
  std::vector<JobCounterIncrement> increments;
};
/// A machine has no transition for an event. A `text` of an attempt or task goes to the job's diagnostics; the job
/// fails by the input `internal_error`.
struct RaiseInternalError {
  std::string text;
  bool is_diagnostic = true;  // false: the job itself refused the event
};
/// A completion event for the job's list.
struct AddCompletionEvent {
  MapReduceAttempt attempt;
  AttemptEnding ending = AttemptEnding::succeeded;
  bool operator==(const AddCompletionEvent&) const = default;
};
/// `state`: succeeded, failed or killed. `fails_job`: the job does not tolerate this failure, or has not tolerated one
/// before; MapReduceMachines sets it.
struct NotifyTaskEnded {
  MapReduceTaskId task;
  MapReduceTaskState state = MapReduceTaskState::succeeded;
  bool fails_job = false;
  bool operator==(const NotifyTaskEnded&) const = default;
};
/// A succeeded task has to run again.
struct NotifyMapRescheduled {
  MapReduceTaskId task;
  bool operator==(const NotifyMapRescheduled&) const = default;
};
struct NotifyFetchFailures {
  MapReduceAttempt reduce;
  std::vector<MapReduceAttempt> maps;
  std::string host;
};
/// The job has no tasks.
struct CompleteEmptyJob {};

// -- to a task ----------------------------------------------------------------------------

/// `event`: schedule or kill. Scheduling a task that an earlier master recorded is its input `recover`.
struct CommandTask {
  MapReduceTaskId task;
  MapReduceTaskEvent event = MapReduceTaskEvent::schedule;
};
/// An attempt was launched, waits for its commit, succeeded, failed or was killed.
struct NotifyTask {
  MapReduceAttempt attempt;
  MapReduceTaskEvent event = MapReduceTaskEvent::attempt_launched;
  bool fast_fail = false;   // of attempt_failed: other attempts would fail too
  bool reschedule = false;  // of attempt_killed
};

// -- to an attempt ---------------------------------------------------------------------------

struct StartMapReduceAttempt {
  MapReduceAttempt attempt;
  bool reschedule = false;   // requests its container before other maps, on any host
  bool speculative = false;  // a copy of a running attempt
  bool operator==(const StartMapReduceAttempt&) const = default;
};
/// The output of a finished map cannot be fetched: its attempt counts as failed.
struct FailFinishedMap {
  MapReduceAttempt map;
  MapReduceAttempt reporter;  // the reduce that reported last
  std::string host;           // host of the reporter
  bool operator==(const FailFinishedMap&) const = default;
};
// and KillMapReduceAttempt of map_reduce_events.hpp

// -- to the job history and to the master ------------------------------------------------------

enum class MapReduceHistoryEvent : std::uint8_t {
  job_submitted,
  job_inited,
  job_info_changed,
  job_finished,
  job_failed,
  job_killed,
  job_error,
  task_started,
  task_finished,
  task_failed,
  attempt_started,
  attempt_finished,
  attempt_failed,
  attempt_killed,
};
/// The fields of the record are those of the job, of the task, or of the attempt.
struct WriteHistory {
  MapReduceHistoryEvent event = MapReduceHistoryEvent::job_submitted;
  MapReduceAttempt subject = {};
};
/// The job is over. The master ends, unless the state is reboot and another master may follow.
struct EndMapReduceJob {
  MapReduceJobState state = MapReduceJobState::succeeded;
};

using MapReduceStateEffect =
    std::variant<RequestTaskContainer, DeallocateTaskContainer, CountHostFailure, LaunchTaskContainer,
                 CleanUpTaskContainer, ForgetTaskContainer, UpdateChildWatch, SetUpJobOutput, CommitJobOutput,
                 AbortJobOutput, AbortTaskOutput, AdoptTaskOutput, ChangeContainerNeed, NotifyAttemptStarted,
                 NotifyAttemptStatus, UpdateJobCounters, RaiseInternalError, AddCompletionEvent, NotifyTaskEnded,
                 NotifyMapRescheduled, NotifyFetchFailures, CompleteEmptyJob, CommandTask, NotifyTask,
                 StartMapReduceAttempt, KillMapReduceAttempt, FailFinishedMap, WriteHistory, EndMapReduceJob>;
using MapReduceStateEffects = std::vector<MapReduceStateEffect>;

}  // namespace heddle::policies
