#include "policies/map_reduce/map_reduce_task.hpp"

#include <algorithm>
#include <utility>

#include "model/assert.hpp"

namespace heddle::policies {
namespace {

/// The number of the attempt that the event is about.
std::optional<std::int32_t> number_of_attempt(const map_reduce_task_input::Input& input) {
  return std::visit(
      [](const auto& one) -> std::optional<std::int32_t> {
        if constexpr (requires { one.attempt; }) return one.attempt;
        else return std::nullopt;
      },
      input);
}

}  // namespace

bool MapReduceTask::apply(Instant now, const map_reduce_task_input::Input& input, MapReduceStateEffects& effects) {
  if (const auto* observed = std::get_if<map_reduce_task_input::AttemptObserved>(&input)) {
    if (Attempt* attempt = find(observed->attempt); attempt != nullptr) {
      attempt->state = observed->state;
      attempt->progress = observed->progress;
      attempt->host = observed->host;
    }
    return true;
  }
  const Event event = *event_of<Event>(input);
  const auto& cell = task_table.at(state_, event);
  const auto number = number_of_attempt(input);
  if (!cell.is_possible() || (number && find(*number) == nullptr)) {
    refuse(event, effects);
    return false;
  }
  const State next = act(now, cell.action, cell.to, input, effects);
  HEDDLE_ASSERT(cell.to.has(next), "the next state is not in the table");
  state_ = next;
  return true;
}

MapReduceTaskState MapReduceTask::act(Instant now, MapReduceTaskAction action, EnumSet<State> to,
                                      const map_reduce_task_input::Input& input, MapReduceStateEffects& effects) {
  using A = MapReduceTaskAction;
  const auto number = number_of_attempt(input);
  Attempt* attempt = number ? find(*number) : nullptr;
  const auto* failed = std::get_if<map_reduce_task_input::AttemptFailed>(&input);
  const auto* killed = std::get_if<map_reduce_task_input::AttemptKilled>(&input);
  switch (action) {
    case A::ignore: break;
    case A::start:
      start(false, false, effects);
      is_in_history_ = true;
      write_history(History::task_started, effects);
      break;
    case A::recover: return recover(now, std::get<map_reduce_task_input::Recovered>(input), effects);
    case A::kill_before_start:
      if (is_in_history_) write_history(History::task_failed, effects);
      end(State::killed, effects);
      break;
    case A::kill_attempts: kill_unfinished(AttemptKillReason::task_killed, std::nullopt, effects); break;
    case A::speculate: start(false, true, effects); break;
    case A::choose_for_commit: choose_for_commit(*number, effects); break;
    case A::succeed: succeed(*attempt, effects); break;
    case A::fail_attempt: return fail_attempt(*attempt, failed->fast_fail, state_, effects);
    case A::replace_killed: replace_killed(*attempt, killed->reschedule, effects); break;
    case A::end_attempt_while_killed:
      return end_attempt_while_killed(*attempt,
                                      failed != nullptr   ? AttemptEnding::failed
                                      : killed != nullptr ? AttemptEnding::killed
                                                          : AttemptEnding::succeeded,
                                      effects);
    case A::fail_after_success: return fail_after_success(*attempt, failed->fast_fail, effects);
    case A::kill_after_success: return kill_after_success(*attempt, killed->reschedule, effects);
    case A::note_late_success:
      attempt->has_ended = true;
      attempt->in_progress = false;
      break;
  }
  return to.only();
}

// -- attempts of an earlier master --------------------------------------------------------

MapReduceTaskState MapReduceTask::recover(Instant now, const map_reduce_task_input::Recovered& input,
                                          MapReduceStateEffects& effects) {
  is_in_history_ = true;
  write_history(History::task_started, effects);
  // In the order of their ends, so that completion events have this order too. An attempt that had not ended is first.
  auto attempts = input.attempts;
  std::stable_sort(attempts.begin(), attempts.end(),
                   [](const auto& a, const auto& b) { return a.attempt.attempt < b.attempt.attempt; });
  std::stable_sort(attempts.begin(), attempts.end(), [](const auto& a, const auto& b) { return a.finish < b.finish; });
  for (const RecordedAttempt& recorded : attempts) recover_attempt(now, recorded, input, effects);
  if (input.end == State::succeeded && !successful_) {
    start(false, false, effects);  // its output is lost, and no new attempt had ended
    return State::running;
  }
  if (input.end != State::succeeded) write_history(History::task_failed, effects);
  end(input.end, effects);
  if (input.end == State::succeeded) write_history(History::task_finished, effects);
  return input.end;
}

void MapReduceTask::recover_attempt(Instant now, const RecordedAttempt& recorded,
                                    const map_reduce_task_input::Recovered& input, MapReduceStateEffects& effects) {
  TaskAttemptSettings settings;
  settings.is_map_only = settings_.is_map_only;
  MapReduceTaskAttempt& machine = recovered_.emplace_back(name(recorded.attempt.attempt), std::move(settings));
  machine.apply(now, map_reduce_attempt_input::Recovered{recorded, input.adopts_output, input.adoption_fails}, effects);
  Attempt attempt{recorded.attempt.attempt, machine.state(), machine.progress(), machine.host()};
  attempt.has_ended = true;
  attempt.in_progress = false;
  attempt.has_failed = machine.state() == MapReduceAttemptState::failed;
  attempts_.push_back(attempt);
  if (successful_) return;
  const bool is_success = machine.state() == MapReduceAttemptState::succeeded;
  const AttemptEnding failure =
      failed_attempts() >= settings_.attempts_max ? AttemptEnding::task_failed : AttemptEnding::failed;
  add_completion(attempt,
                 is_success           ? AttemptEnding::succeeded
                 : attempt.has_failed ? failure
                                      : AttemptEnding::killed,
                 effects);
  if (is_success) successful_ = attempt.number;
}

// -- events of attempts ---------------------------------------------------------------------

void MapReduceTask::choose_for_commit(std::int32_t attempt, MapReduceStateEffects& effects) {
  if (!committing_) committing_ = attempt;
  // Also if the chosen attempt reports again; the machine of the attempt ignores its repeats.
  else effects.emplace_back(KillMapReduceAttempt{name(attempt), AttemptKillReason::commits_elsewhere, false});
}

void MapReduceTask::succeed(Attempt& attempt, MapReduceStateEffects& effects) {
  add_completion(attempt, AttemptEnding::succeeded, effects);
  attempt.has_ended = true;
  attempt.in_progress = false;
  successful_ = attempt.number;
  end(State::succeeded, effects);
  if (is_in_history_) write_history(History::task_finished, effects);
  kill_unfinished(AttemptKillReason::redundant, attempt.number, effects);
}

/// `otherwise`: the state if the task does not fail.
MapReduceTaskState MapReduceTask::fail_attempt(Attempt& attempt, bool fast_fail, State otherwise,
                                               MapReduceStateEffects& effects) {
  attempt.has_failed = true;
  attempt.has_ended = true;
  if (committing_ == attempt.number) committing_.reset();
  if (attempt.host) effects.emplace_back(CountHostFailure{name(attempt.number), *attempt.host});
  if (!fast_fail && failed_attempts() < settings_.attempts_max) {
    add_completion(attempt, AttemptEnding::failed, effects);
    attempt.in_progress = false;
    if (!successful_ && needs_another_attempt()) start(false, false, effects);
    return otherwise;
  }
  add_completion(attempt, AttemptEnding::task_failed, effects);
  kill_unfinished(AttemptKillReason::task_failed, std::nullopt, effects);
  if (is_in_history_) write_history(History::task_failed, effects);
  end(State::failed, effects);
  return State::failed;
}

MapReduceTaskState MapReduceTask::fail_after_success(Attempt& attempt, bool fast_fail, MapReduceStateEffects& effects) {
  if (successful_ != attempt.number) {
    attempt.has_ended = true;
    attempt.in_progress = false;
    return State::succeeded;
  }
  give_up_success(Event::attempt_failed, effects);
  effects.emplace_back(NotifyMapRescheduled{task_});
  return fail_attempt(attempt, fast_fail, State::scheduled, effects);
}

/// A killed attempt always has a replacement, even while others run.
void MapReduceTask::replace_killed(Attempt& attempt, bool reschedule, MapReduceStateEffects& effects) {
  add_completion(attempt, AttemptEnding::killed, effects);
  attempt.has_ended = true;
  attempt.in_progress = false;
  if (committing_ == attempt.number) committing_.reset();
  if (!successful_) start(reschedule, false, effects);
}

MapReduceTaskState MapReduceTask::kill_after_success(Attempt& attempt, bool reschedule,
                                                     MapReduceStateEffects& effects) {
  if (successful_ != attempt.number) {
    attempt.has_ended = true;
    attempt.in_progress = false;
    return State::succeeded;
  }
  give_up_success(Event::attempt_killed, effects);
  add_completion(attempt, AttemptEnding::killed, effects);
  effects.emplace_back(NotifyMapRescheduled{task_});
  start(reschedule, false, effects);
  return State::scheduled;
}

MapReduceTaskState MapReduceTask::end_attempt_while_killed(Attempt& attempt, AttemptEnding ending,
                                                           MapReduceStateEffects& effects) {
  add_completion(attempt, ending, effects);
  attempt.has_ended = true;
  if (!std::all_of(attempts_.begin(), attempts_.end(), [](const Attempt& one) { return one.has_ended; }))
    return State::kill_wait;
  if (is_in_history_) write_history(History::task_failed, effects);
  end(State::killed, effects);
  return State::killed;
}

// -- steps ---------------------------------------------------------------------------------

/// After a failure every further attempt requests its container before other maps, copies too.
void MapReduceTask::start(bool reschedule, bool speculative, MapReduceStateEffects& effects) {
  const std::int32_t number = next_attempt_++;
  Attempt attempt;
  attempt.number = number;
  attempts_.push_back(attempt);
  effects.emplace_back(StartMapReduceAttempt{name(number), reschedule || failed_attempts() > 0, speculative});
}

/// Also clears what prevents a new attempt, except after a success.
void MapReduceTask::kill_unfinished(AttemptKillReason reason, std::optional<std::int32_t> except,
                                    MapReduceStateEffects& effects) {
  for (Attempt& attempt : attempts_) {
    if (attempt.number != except && !is_final(attempt.state))
      effects.emplace_back(KillMapReduceAttempt{name(attempt.number), reason, false});
    if (!except) attempt.in_progress = false;
  }
}

/// Without a container nobody has seen the attempt.
void MapReduceTask::add_completion(const Attempt& attempt, AttemptEnding ending, MapReduceStateEffects& effects) const {
  if (attempt.host) effects.emplace_back(AddCompletionEvent{name(attempt.number), ending});
}

void MapReduceTask::end(State state, MapReduceStateEffects& effects) const {
  effects.emplace_back(NotifyTaskEnded{task_, state});
}

void MapReduceTask::write_history(MapReduceHistoryEvent event, MapReduceStateEffects& effects) const {
  effects.emplace_back(WriteHistory{event, name(-1)});
}

void MapReduceTask::refuse(MapReduceTaskEvent event, MapReduceStateEffects& effects) const {
  effects.emplace_back(RaiseInternalError{
      std::string{task_.is_reduce ? "reduce " : "map "} + std::to_string(task_.index) + ": no transition for event " +
      std::string{task_event_names.at(static_cast<std::size_t>(event))} + " in state " +
      std::string{task_state_names.at(static_cast<std::size_t>(state_))}});
}

void MapReduceTask::give_up_success(MapReduceTaskEvent event, MapReduceStateEffects& effects) {
  if (task_.is_reduce) refuse(event, effects);
  committing_.reset();
  successful_.reset();
}

/// TK-2: while copies are on, an attempt without a container does not stand in for a failed one.
bool MapReduceTask::needs_another_attempt() const {
  return std::none_of(attempts_.begin(), attempts_.end(), [this](const Attempt& one) {
    return one.in_progress && (one.host || !settings_.is_speculative);
  });
}

std::int32_t MapReduceTask::failed_attempts() const {
  return static_cast<std::int32_t>(
      std::count_if(attempts_.begin(), attempts_.end(), [](const Attempt& one) { return one.has_failed; }));
}

MapReduceTask::Attempt* MapReduceTask::find(std::int32_t number) {
  const auto row =
      std::find_if(attempts_.begin(), attempts_.end(), [number](const Attempt& one) { return one.number == number; });
  return row == attempts_.end() ? nullptr : &*row;
}

std::optional<std::int32_t> MapReduceTask::representative() const {
  if (successful_) return successful_;
  std::optional<std::int32_t> best;
  float furthest = 0;
  for (const Attempt& attempt : attempts_) {
    const auto status = status_of(attempt.state);
    if (status == MapReduceAttemptStatus::failed || status == MapReduceAttemptStatus::killed) continue;
    if (best && attempt.progress <= furthest) continue;
    best = attempt.number;
    furthest = std::max(furthest, attempt.progress);
  }
  return best;
}

float MapReduceTask::progress() const {
  const auto best = representative();
  const auto row =
      std::find_if(attempts_.begin(), attempts_.end(), [&best](const Attempt& one) { return best == one.number; });
  return row == attempts_.end() ? 0.0F : row->progress;
}

void MapReduceTask::check_invariants() const {
  HEDDLE_ASSERT(state_ != State::succeeded || successful_, "a succeeded task has no successful attempt");
  HEDDLE_ASSERT(!committing_ || std::any_of(attempts_.begin(), attempts_.end(),
                                            [this](const Attempt& one) { return one.number == *committing_; }),
                "the committing attempt is unknown");
  HEDDLE_ASSERT(!successful_ || (state_ != State::scheduled && state_ != State::running),
                "a task that runs has a successful attempt");
}

}  // namespace heddle::policies
