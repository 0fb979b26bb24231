#include "actors/task_child/attempt_flow.hpp"

#include <utility>

#include "runtime/timers.hpp"

namespace heddle::actors {
namespace {

bool is_task(const AttemptLaunch& launch) {
  return launch.type == AttemptType::map || launch.type == AttemptType::reduce;
}

void get_task(ChildTurn& turn) {
  auto& state = turn.state;
  state.enter(ChildPhase::waiting);
  turn.effects.push_back(SendToParent{GetTask{state.start.child, state.start.secret}});
}

void exit_process(ChildTurn& turn, std::string reason) {
  if (turn.state.phase == ChildPhase::leaving) return;
  turn.state.enter(ChildPhase::leaving);
  turn.state.progress_due.reset();
  turn.effects.push_back(ExitProcess{std::move(reason)});
}

void expect_progress(ChildTurn& turn) {
  turn.state.progress_due = runtime::shared_instant(turn.now, turn.state.start.progress_interval);
}

void finish(ChildTurn& turn, TaskOutcome outcome) {
  auto& state = turn.state;
  const auto& launch = state.launch;
  state.progress_due.reset();
  state.locations.reset();
  if (outcome.state == TaskState::finished) {
    AttemptDone done{state.start.child, launch.attempt, std::move(outcome)};
    if (state.has_map_output) done.place = state.start.map_outputs;
    turn.effects.push_back(SendToParent{std::move(done)});
  } else {
    turn.effects.push_back(SendToParent{AttemptFailed{state.start.child, launch.attempt, std::move(outcome)}});
  }
  get_task(turn);
}

void ask_for_completions(ChildTurn& turn) {
  const auto& state = turn.state;
  turn.effects.push_back(
      SendToParent{GetMapCompletions{state.start.child, state.launch.attempt, state.locations->next()}});
}

/// A reduce starts without a location: it waits for the outputs of its maps one by one.
void start_task(ChildTurn& turn, RunAttempt message) {
  auto& state = turn.state;
  if (auto& output = message.program.shuffle_output)
    output->shuffle.value += state.launch.attempt.attempt;  // see ports::ShuffleLocations::attempt_of_map
  if (!message.program.shuffle_inputs.empty()) {
    const auto& input = message.program.shuffle_inputs.front();
    state.locations.emplace(input.shuffle, input.maps);
    turn.effects.push_back(SetLocations{state.locations->table()});
    ask_for_completions(turn);
  }
  turn.effects.push_back(StartTask{std::move(message)});
}

}  // namespace

// -- the parent -------------------------------------------------------------------------------------

void find_parent(ChildTurn& turn) { turn.effects.push_back(FindParent{}); }

void parent_connected(ChildTurn& turn) { get_task(turn); }

void parent_unreachable(ChildTurn& turn) {
  exit_process(turn, "the TaskTracker or MapReduceMaster cannot be reached at " + turn.state.start.parent_address);
}

void lose_parent(ChildTurn& turn) {
  exit_process(turn, "the connection to the TaskTracker or MapReduceMaster is lost");
}

void leave(ChildTurn& turn, const LeaveChild& message) { exit_process(turn, message.reason); }

// -- an attempt ---------------------------------------------------------------------------------------

void run_attempt(ChildTurn& turn, const RunAttempt& message) {
  auto& state = turn.state;
  const auto& launch = message.launch;
  if (state.phase != ChildPhase::waiting) return;  // the parent gives one attempt per GetTask
  state.enter(ChildPhase::running);
  state.launch = launch;
  state.began = turn.now;
  state.signs = 0;
  state.status.clear();
  state.counters = {};
  state.has_output = is_task(launch) && message.program.output.has_value();
  state.has_map_output = launch.type == AttemptType::map && message.program.shuffle_output.has_value();
  expect_progress(turn);
  if (!is_task(launch)) return turn.effects.push_back(WorkOnOutput{launch});
  if (launch.range.count == 1) return start_task(turn, message);
  TaskOutcome outcome;
  outcome.state = TaskState::failed;
  outcome.failure = FailureKind::internal;
  outcome.text = "the attempt has " + std::to_string(launch.range.count) + " partitions instead of one";
  finish(turn, std::move(outcome));
}

void handle_attempt_ended(ChildTurn& turn, const AttemptEnded& message) {
  auto& state = turn.state;
  if (state.phase != ChildPhase::running) return;
  auto outcome = message.outcome;
  if (is_task(state.launch)) {
    turn.effects.push_back(UnloadTask{state.launch.range.stage});
  } else {
    outcome.start_us = state.began.time_since_epoch().count();
    outcome.run_us = (turn.now - state.began).count();
  }
  if (outcome.state != TaskState::finished || !state.has_output) return finish(turn, std::move(outcome));
  state.enter(ChildPhase::committing);
  state.outcome = std::move(outcome);
  turn.effects.push_back(SendToParent{CommitPending{state.start.child, state.launch.attempt}});
}

void use_map_completions(ChildTurn& turn, const MapCompletions& message) {
  auto& state = turn.state;
  if (!state.locations || !state.holds(message.attempt) || message.from != state.locations->next()) return;
  state.locations->apply(message.rows);
  turn.effects.push_back(SetLocations{state.locations->table()});
  ask_for_completions(turn);
}

void report_failed_copy(ChildTurn& turn, const CopyFailed& message) {
  const auto& state = turn.state;
  if (!state.locations) return;
  const auto attempt = state.locations->attempt_of(message.map);
  if (!attempt) return;
  const auto& reduce = state.launch.attempt;
  turn.effects.push_back(
      SendToParent{FetchFailed{state.start.child, reduce, {reduce.job, false, message.map, *attempt}}});
}

void commit_attempt(ChildTurn& turn, const CommitAttempt& message) {
  auto& state = turn.state;
  if (state.phase == ChildPhase::committing && state.holds(message.attempt)) finish(turn, std::move(state.outcome));
}

void kill_attempt(ChildTurn& turn, const KillAttempt& message) {
  auto& state = turn.state;
  if (!state.holds(message.attempt) || !is_task(state.launch)) return;
  if (state.phase == ChildPhase::running)
    return turn.effects.push_back(KillRunningTask{state.launch.range, message.reason});
  auto outcome = std::move(state.outcome);
  outcome.state = TaskState::killed;
  outcome.failure = FailureKind::killed;
  outcome.text = message.reason;
  finish(turn, std::move(outcome));
}

void report_progress_if_due(ChildTurn& turn) {
  auto& state = turn.state;
  if (!state.progress_due || turn.now < *state.progress_due) return;
  if (state.phase == ChildPhase::running && is_task(state.launch)) {
    turn.effects.push_back(ReportProgress{state.launch.attempt, state.launch.range});
  } else {
    AttemptProgress message{state.start.child, state.launch.attempt};
    if (state.phase == ChildPhase::committing) {
      message.progress = 1;
      message.counters = state.changed_counters({state.outcome.task_counters, state.outcome.counters});
    }
    turn.effects.push_back(SendToParent{std::move(message)});
  }
  expect_progress(turn);
}

}  // namespace heddle::actors
