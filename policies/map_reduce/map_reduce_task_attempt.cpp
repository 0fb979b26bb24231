#include "policies/map_reduce/map_reduce_task_attempt.hpp"

#include <cmath>
#include <utility>

#include "model/assert.hpp"

namespace heddle::policies {
namespace {

std::optional<bool> reschedule_of(const map_reduce_attempt_input::Input& input) {
  const auto* killed = std::get_if<map_reduce_attempt_input::Killed>(&input);
  return killed == nullptr ? std::nullopt : killed->reschedule;
}

std::string text_of(MapReduceAttempt attempt) {
  return (attempt.is_reduce ? "reduce " : "map ") + std::to_string(attempt.index) + " attempt " +
         std::to_string(attempt.attempt);
}

}  // namespace

bool MapReduceTaskAttempt::apply(Instant now, const map_reduce_attempt_input::Input& input,
                                 MapReduceStateEffects& effects) {
  const Event event = *event_of<Event>(input);
  const auto& cell = attempt_table.at(state_, event);
  // Nobody fetches the output of a reduce. Hadoop throws if the event arrives after the success of one.
  const bool is_possible = cell.is_possible() && !(event == Event::too_many_fetch_failure && attempt_.is_reduce &&
                                                   cell.action == MapReduceAttemptAction::lose_output);
  if (!is_possible) {
    effects.emplace_back(RaiseInternalError{text_of(attempt_) + ": no transition for event " +
                                            std::string{attempt_event_names.at(static_cast<std::size_t>(event))} +
                                            " in state " +
                                            std::string{attempt_state_names.at(static_cast<std::size_t>(state_))}});
    return false;
  }
  const State next = act(now, event, cell.action, cell.to, input, effects);
  HEDDLE_ASSERT(cell.to.has(next), "the next state is not in the table");
  state_ = next;
  return true;
}

MapReduceAttemptState MapReduceTaskAttempt::act(Instant now, Event event, MapReduceAttemptAction action,
                                                EnumSet<State> to, const Input& input, MapReduceStateEffects& effects) {
  using A = MapReduceAttemptAction;
  switch (action) {
    case A::ignore: break;
    case A::request_container: request_container(event == Event::reschedule, effects); break;
    case A::assign: assign(std::get<map_reduce_attempt_input::Assigned>(input), effects); break;
    case A::launch: launch(now, effects); break;
    case A::update: update(std::get<map_reduce_attempt_input::Updated>(input), effects); break;
    case A::ask_to_commit: notify_task(TaskEvent::attempt_commit_pending, false, effects); break;
    case A::succeed: succeed(now, effects); break;
    case A::fail_and_wait_for_exit:
      finish_child(effects);
      watch(ChildWatch::watch_exit, effects);
      fail(now, effects);
      break;
    case A::end_with_container:
      finish_child(effects);
      effects.emplace_back(ForgetTaskContainer{attempt_, container_});
      fail(now, effects);
      break;
    case A::stop_container: stop_container(event, input, effects); break;
    case A::leave_finished_child: watch(ChildWatch::forget_exit, effects); break;
    case A::stop_finished_child:
      watch(ChildWatch::forget_exit, effects);
      clean_up(true, effects);
      break;
    case A::kill_finished_child: return kill_finished_child(input, effects);
    case A::forget_exited_child:
      watch(ChildWatch::forget_exit, effects);
      effects.emplace_back(ForgetTaskContainer{attempt_, container_});
      break;
    case A::abort_output: effects.emplace_back(AbortTaskOutput{attempt_}); break;
    case A::fail: fail(now, effects); break;
    case A::end_as_killed: end_as_killed(now, effects); break;
    case A::withdraw:
      withdraw(now, state_ == State::unassigned, to.has(State::failed) ? State::failed : State::killed, effects);
      break;
    case A::end_preempted: end_preempted(now, effects); break;
    case A::lose_output: lose_output(effects); break;
    case A::kill_succeeded: return kill_succeeded(input, effects);
    case A::recover: return recover(now, std::get<map_reduce_attempt_input::Recovered>(input), effects);
  }
  return to.only();
}

// -- container -------------------------------------------------------------------------

void MapReduceTaskAttempt::request_container(bool earlier_failed, MapReduceStateEffects& effects) const {
  effects.emplace_back(ChangeContainerNeed{task_of(attempt_), 1});
  RequestTaskContainer request{attempt_, earlier_failed, {}, {}};
  if (!earlier_failed) {
    request.hosts = settings_.hosts;
    request.racks = settings_.racks;
  }
  effects.emplace_back(std::move(request));
}

void MapReduceTaskAttempt::assign(const map_reduce_attempt_input::Assigned& input, MapReduceStateEffects& effects) {
  container_ = input.container;
  host_ = input.host;
  resource_ = input.resource;
  watch(ChildWatch::expect_child, effects);
  effects.emplace_back(LaunchTaskContainer{attempt_, container_});
  effects.emplace_back(ChangeContainerNeed{task_of(attempt_), -1});
}

void MapReduceTaskAttempt::launch(Instant now, MapReduceStateEffects& effects) {
  launch_ = now;
  watch(ChildWatch::watch_child, effects);
  write_start(effects);
  effects.emplace_back(NotifyAttemptStarted{attempt_});
  notify_task(TaskEvent::attempt_launched, false, effects);
}

void MapReduceTaskAttempt::stop_container(Event event, const Input& input, MapReduceStateEffects& effects) {
  finish_child(effects);
  clean_up(event == Event::timed_out, effects);
  if (const auto reschedule = reschedule_of(input)) reschedules_next_ = *reschedule;
}

/// `is_requested`: the attempt still waits for a container.
void MapReduceTaskAttempt::withdraw(Instant now, bool is_requested, State end, MapReduceStateEffects& effects) {
  write_late_start(now, effects);
  set_finish_time(now);
  effects.emplace_back(DeallocateTaskContainer{attempt_});
  if (is_requested) effects.emplace_back(ChangeContainerNeed{task_of(attempt_), -1});
  const bool is_failure = end == State::failed;
  notify_task(is_failure ? TaskEvent::attempt_failed : TaskEvent::attempt_killed, false, effects);
  count(is_failure ? Counter::num_failed_maps : Counter::num_killed_maps, true, effects);
  write_history(is_failure ? History::attempt_failed : History::attempt_killed, effects);
}

// -- reports of the child ----------------------------------------------------------------

void MapReduceTaskAttempt::update(const map_reduce_attempt_input::Updated& input, MapReduceStateEffects& effects) {
  progress_ = input.progress;
  effects.emplace_back(NotifyAttemptStatus{attempt_, progress_});
  if (!input.fetch_failed_maps.empty())
    effects.emplace_back(NotifyFetchFailures{attempt_, input.fetch_failed_maps, host_.value_or("")});
}

void MapReduceTaskAttempt::succeed(Instant now, MapReduceStateEffects& effects) {
  finish_child(effects);
  watch(ChildWatch::watch_exit, effects);
  set_finish_time(now);
  count(std::nullopt, true, effects);
  if (launch_) write_history(History::attempt_finished, effects);
  notify_task(TaskEvent::attempt_succeeded, false, effects);
  effects.emplace_back(NotifyAttemptStatus{attempt_, progress_});
}

// -- ends ----------------------------------------------------------------------------------

void MapReduceTaskAttempt::fail(Instant now, MapReduceStateEffects& effects) {
  if (std::exchange(has_reported_failure_, true) && settings_.reports_failure_once) return;
  write_late_start(now, effects);
  set_finish_time(now);
  count(Counter::num_failed_maps, true, effects);
  write_history(History::attempt_failed, effects);
  notify_task(TaskEvent::attempt_failed, false, effects);
}

void MapReduceTaskAttempt::end_as_killed(Instant now, MapReduceStateEffects& effects) {
  write_late_start(now, effects);
  set_finish_time(now);
  count(Counter::num_killed_maps, true, effects);
  write_history(History::attempt_killed, effects);
  notify_task(TaskEvent::attempt_killed, reschedules_next_, effects);
}

/// As in Hadoop, without counters and history.
void MapReduceTaskAttempt::end_preempted(Instant now, MapReduceStateEffects& effects) {
  set_finish_time(now);
  watch(ChildWatch::forget_child, effects);
  clean_up(false, effects);
  notify_task(TaskEvent::attempt_killed, false, effects);
}

void MapReduceTaskAttempt::lose_output(MapReduceStateEffects& effects) const {
  if (state_ == State::success_finishing_container) clean_up(false, effects);
  if (launch_) {
    count(Counter::num_failed_maps, false, effects);
    write_history(History::attempt_failed, effects);
  }
  notify_task(TaskEvent::attempt_failed, false, effects);
}

MapReduceAttemptState MapReduceTaskAttempt::kill_succeeded(const Input& input, MapReduceStateEffects& effects) const {
  if (keeps_its_success()) return State::succeeded;
  count(Counter::num_killed_maps, false, effects);
  write_history(History::attempt_killed, effects);
  notify_task(TaskEvent::attempt_killed, reschedule_of(input).value_or(false), effects);
  return State::killed;
}

MapReduceAttemptState MapReduceTaskAttempt::kill_finished_child(const Input& input, MapReduceStateEffects& effects) {
  watch(ChildWatch::forget_exit, effects);
  clean_up(false, effects);
  if (keeps_its_success()) return State::success_container_cleanup;
  if (const auto reschedule = reschedule_of(input)) reschedules_next_ = *reschedule;
  return State::kill_container_cleanup;
}

MapReduceAttemptState MapReduceTaskAttempt::recover(Instant now, const map_reduce_attempt_input::Recovered& input,
                                                    MapReduceStateEffects& effects) {
  const RecordedAttempt& recorded = input.recorded;
  host_ = recorded.host;
  launch_ = recorded.start;
  finish_ = recorded.finish.value_or(now);
  write_start(effects);
  progress_ = 1;
  State end = recorded.end.value_or(State::killed);
  bool has_output_to_abort = !recorded.end;
  if (end == State::succeeded && input.adopts_output) {
    effects.emplace_back(AdoptTaskOutput{attempt_});
    if (input.adoption_fails) end = State::killed;
    has_output_to_abort = input.adoption_fails;
  }
  if (end == State::succeeded) {
    count(std::nullopt, true, effects);
    if (launch_) write_history(History::attempt_finished, effects);
  } else {
    const bool is_failure = end == State::failed;
    count(is_failure ? Counter::num_failed_maps : Counter::num_killed_maps, true, effects);
    write_history(is_failure ? History::attempt_failed : History::attempt_killed, effects);
  }
  if (has_output_to_abort) effects.emplace_back(AbortTaskOutput{attempt_, false});
  return end;
}

// -- steps ---------------------------------------------------------------------------------

/// From now on the child has nothing to report.
void MapReduceTaskAttempt::finish_child(MapReduceStateEffects& effects) {
  watch(ChildWatch::forget_child, effects);
  progress_ = 1;
}

void MapReduceTaskAttempt::clean_up(bool dump_threads, MapReduceStateEffects& effects) const {
  effects.emplace_back(CleanUpTaskContainer{attempt_, container_, dump_threads});
}

void MapReduceTaskAttempt::watch(ChildWatch change, MapReduceStateEffects& effects) const {
  effects.emplace_back(UpdateChildWatch{attempt_, change});
}

void MapReduceTaskAttempt::write_history(MapReduceHistoryEvent event, MapReduceStateEffects& effects) const {
  effects.emplace_back(WriteHistory{event, attempt_});
}

void MapReduceTaskAttempt::write_start(MapReduceStateEffects& effects) const {
  effects.emplace_back(UpdateJobCounters{{{counter_of(attempt_.is_reduce, Counter::total_launched_maps), 1}}});
  write_history(History::attempt_started, effects);
}

/// An attempt that ends with a container before its launch was reported started now.
void MapReduceTaskAttempt::write_late_start(Instant now, MapReduceStateEffects& effects) {
  if (launch_ || !host_) return;
  launch_ = now;
  write_start(effects);
}

void MapReduceTaskAttempt::notify_task(MapReduceTaskEvent event, bool reschedule,
                                       MapReduceStateEffects& effects) const {
  effects.emplace_back(NotifyTask{attempt_, event, false, reschedule});
}

void MapReduceTaskAttempt::count(std::optional<MapReduceJobCounter> counted, bool with_times,
                                 MapReduceStateEffects& effects) const {
  UpdateJobCounters update;
  const auto add = [&](Counter of_maps, std::int64_t amount) {
    update.increments.push_back({counter_of(attempt_.is_reduce, of_maps), amount});
  };
  if (counted) add(*counted, 1);
  if (with_times && resource_) {
    const std::int64_t run_time = launch_ && finish_ ? to_milliseconds(*finish_ - *launch_) : 0;
    const auto slots = settings_.slot_memory_mib == 0
                           ? 0
                           : static_cast<std::int64_t>(std::ceil(static_cast<float>(resource_->memory_mib) /
                                                                 static_cast<float>(settings_.slot_memory_mib)));
    add(Counter::slots_millis_maps, slots * run_time);
    add(Counter::mb_millis_maps, resource_->memory_mib * run_time);
    add(Counter::vcores_millis_maps, resource_->cores * run_time);
    add(Counter::millis_maps, run_time);
  }
  effects.emplace_back(std::move(update));
}

void MapReduceTaskAttempt::set_finish_time(Instant now) {
  if (launch_) finish_ = now;
}

}  // namespace heddle::policies
