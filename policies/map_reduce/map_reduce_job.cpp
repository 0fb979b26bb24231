#include "policies/map_reduce/map_reduce_job.hpp"

#include <algorithm>
#include <utility>

#include "model/assert.hpp"

namespace heddle::policies {
MapReduceJob::MapReduceJob(MapReduceJobSettings settings)
    : settings_{settings},
      progress_{0, 0, std::vector<float>(static_cast<std::size_t>(settings.maps)),
                std::vector<float>(static_cast<std::size_t>(settings.reduces))},
      map_states_(static_cast<std::size_t>(settings.maps)),
      reduce_states_(static_cast<std::size_t>(settings.reduces)),
      fetch_failures_{settings.fetch_failures} {}

bool MapReduceJob::apply(Instant now, const map_reduce_job_input::Input& input, MapReduceStateEffects& effects) {
  const auto event = event_of<Event>(input);
  if (!event) {
    if (const auto* task = std::get_if<map_reduce_job_input::TaskObserved>(&input)) observe(*task);
    else if (const auto* copy = std::get_if<map_reduce_job_input::CopyObserved>(&input)) observe(*copy);
    else is_unregistered_ = true;
    return true;
  }
  const auto& cell = job_table.at(state_, *event);
  if (!cell.is_possible()) {
    effects.emplace_back(RaiseInternalError{
        "job: no transition for event " + std::string{job_event_names.at(static_cast<std::size_t>(*event))} +
            " in state " + std::string{job_state_names.at(static_cast<std::size_t>(state_))},
        false});
    return false;
  }
  const State next = act(now, cell.action, cell.to, input, effects);
  HEDDLE_ASSERT(cell.to.has(next), "the next state is not in the table");
  if (next != state_)
    if (const State before = shown_state(state_, settings_.is_last_master); !is_final(before)) shown_before_ = before;
  state_ = next;
  if (state_ != State::fail_wait) fail_wait_until_.reset();
  return true;
}

MapReduceJobState MapReduceJob::act(Instant now, MapReduceJobAction action, EnumSet<State> to,
                                    const map_reduce_job_input::Input& input, MapReduceStateEffects& effects) {
  using A = MapReduceJobAction;
  switch (action) {
    case A::ignore: break;
    case A::init:
      effects.emplace_back(WriteHistory{History::job_submitted});
      is_initialized_ = !std::get<map_reduce_job_input::Initialized>(input).fails;
      return is_initialized_ ? State::inited : State::created;
    case A::start: start(effects); break;
    case A::schedule_tasks: schedule_tasks(effects); break;
    case A::complete_empty: return commit_if_complete(effects);
    case A::count_task: return count_task(now, std::get<map_reduce_job_input::TaskCompleted>(input), effects);
    case A::count_task_while_killed:
      return count_task_while_killed(now, std::get<map_reduce_job_input::TaskCompleted>(input), effects);
    case A::wait_for_tasks:
      if (!all_tasks_have_ended()) return State::fail_wait;
      effects.emplace_back(AbortJobOutput{State::failed});
      return State::fail_abort;
    case A::reschedule_map:  // a reduce too, after an error of the master
      --completed_;
      --maps_.succeeded;
      break;
    case A::reschedule_map_while_ending:
      reschedule_map_while_ending(std::get<map_reduce_job_input::MapRescheduled>(input).task, effects);
      break;
    case A::add_completion: add_completion(std::get<map_reduce_job_input::AttemptCompleted>(input)); break;
    case A::count_fetch_failures:
      count_fetch_failures(std::get<map_reduce_job_input::FetchFailed>(input), effects);
      break;
    case A::rerun_maps: rerun_maps(std::get<map_reduce_job_input::NodesUpdated>(input).nodes, effects); break;
    case A::succeed: end(now, History::job_finished, State::succeeded, effects); break;
    case A::abort_failed: effects.emplace_back(AbortJobOutput{State::failed}); break;
    case A::abort_killed: effects.emplace_back(AbortJobOutput{State::killed}); break;
    case A::end_aborted:
      end_aborted(now, std::get<map_reduce_job_input::AbortCompleted>(input).final_state, effects);
      break;
    case A::end_killed: end_aborted(now, State::killed, effects); break;
    case A::kill_before_init: end(now, History::job_killed, State::killed, effects); break;
    case A::kill_tasks:
      command_tasks(false, MapReduceTaskEvent::kill, false, effects);
      command_tasks(true, MapReduceTaskEvent::kill, false, effects);
      break;
    case A::end_in_error: end(now, History::job_error, to.only(), effects); break;
  }
  return to.only();
}

// -- start and end ---------------------------------------------------------------------

void MapReduceJob::start(MapReduceStateEffects& effects) {
  effects.emplace_back(WriteHistory{History::job_inited});
  effects.emplace_back(WriteHistory{History::job_info_changed});
  effects.emplace_back(SetUpJobOutput{});
}

void MapReduceJob::schedule_tasks(MapReduceStateEffects& effects) {
  progress_.setup = 1;
  command_tasks(false, MapReduceTaskEvent::schedule, false, effects);
  command_tasks(true, MapReduceTaskEvent::schedule, false, effects);
  if (tasks() == 0) effects.emplace_back(CompleteEmptyJob{});
}

/// The share of the cleanup in the progress counts only here.
void MapReduceJob::end_aborted(Instant now, State final_state, MapReduceStateEffects& effects) {
  progress_.cleanup = 1;
  end(now,
      final_state == State::failed  ? History::job_failed
      : final_state == State::error ? History::job_error
                                    : History::job_killed,
      final_state, effects);
}

void MapReduceJob::end(Instant now, MapReduceHistoryEvent history, State state, MapReduceStateEffects& effects) {
  finish_ = now;
  effects.emplace_back(WriteHistory{history});
  effects.emplace_back(EndMapReduceJob{state});
}

// -- ends of tasks -----------------------------------------------------------------------

MapReduceJobState MapReduceJob::count_task(Instant now, const map_reduce_job_input::TaskCompleted& input,
                                           MapReduceStateEffects& effects) {
  add_ended(input);
  if (has_too_many_failures()) return fail(now, effects);
  kill_maps_without_reduces(effects);
  return commit_if_complete(effects);
}

MapReduceJobState MapReduceJob::count_task_while_killed(Instant now, const map_reduce_job_input::TaskCompleted& input,
                                                        MapReduceStateEffects& effects) {
  add_ended(input);
  if (completed_ != tasks()) return State::kill_wait;
  finish_ = now;
  effects.emplace_back(AbortJobOutput{State::killed});
  return State::kill_abort;
}

void MapReduceJob::reschedule_map_while_ending(MapReduceTaskId task, MapReduceStateEffects& effects) {
  if (!settings_.kills_rescheduled_maps) return;
  if (state_ == State::kill_wait) {
    --completed_;
    --maps_.succeeded;
  }
  effects.emplace_back(CommandTask{task, MapReduceTaskEvent::kill});
}

MapReduceJobState MapReduceJob::fail(Instant now, MapReduceStateEffects& effects) {
  finish_ = now;
  command_tasks(false, MapReduceTaskEvent::kill, true, effects);
  command_tasks(true, MapReduceTaskEvent::kill, true, effects);
  if (all_tasks_have_ended()) {
    effects.emplace_back(AbortJobOutput{State::failed});
    return State::fail_abort;
  }
  fail_wait_until_ = now + settings_.fail_wait;
  return State::fail_wait;
}

MapReduceJobState MapReduceJob::commit_if_complete(MapReduceStateEffects& effects) {
  if (completed_ != tasks()) return State::running;
  effects.emplace_back(CommitJobOutput{});
  return State::committing;
}

/// JB-1: no reduce needs the output of a map that still runs, or runs again.
void MapReduceJob::kill_maps_without_reduces(MapReduceStateEffects& effects) {
  if (!settings_.finish_when_reduces_done || settings_.reduces == 0 || reduces_.all() != settings_.reduces ||
      has_killed_maps_)
    return;
  command_tasks(false, MapReduceTaskEvent::kill, true, effects);
  has_killed_maps_ = true;
}

void MapReduceJob::add_ended(const map_reduce_job_input::TaskCompleted& input) {
  ++completed_;
  EndedTasks& ended = input.task.is_reduce ? reduces_ : maps_;
  switch (shown_state(input.state)) {
    case MapReduceTaskState::succeeded: ++ended.succeeded; break;
    case MapReduceTaskState::failed: ++ended.failed; break;
    case MapReduceTaskState::killed: ++ended.killed; break;
    default: break;
  }
}

/// JB-2.
bool MapReduceJob::has_too_many_failures() const {
  return maps_.failed * 100 > settings_.map_failures_percent * settings_.maps ||
         reduces_.failed * 100 > settings_.reduce_failures_percent * settings_.reduces;
}

bool MapReduceJob::all_tasks_have_ended() const {
  const auto has_ended = [](MapReduceTaskState state) { return is_final(state); };
  return std::all_of(map_states_.begin(), map_states_.end(), has_ended) &&
         std::all_of(reduce_states_.begin(), reduce_states_.end(), has_ended);
}

void MapReduceJob::command_tasks(bool is_reduce, MapReduceTaskEvent event, bool only_unfinished,
                                 MapReduceStateEffects& effects) const {
  const auto& states = is_reduce ? reduce_states_ : map_states_;
  for (std::size_t i = 0; i < states.size(); ++i)
    if (!only_unfinished || !is_final(states[i]))
      effects.emplace_back(CommandTask{{is_reduce, static_cast<std::int32_t>(i)}, event});
}

// -- outputs of maps -----------------------------------------------------------------------

void MapReduceJob::add_completion(const map_reduce_job_input::AttemptCompleted& input) {
  completions_.add(input.completion);
  if (input.completion.ending == AttemptEnding::succeeded)
    succeeded_on_[input.host].push_back(input.completion.attempt);
}

/// JB-7: names every attempt that ever succeeded on the node, at each notice; attempts that have ended ignore it.
void MapReduceJob::rerun_maps(const std::vector<NodeUpdate>& nodes, MapReduceStateEffects& effects) const {
  if (settings_.reduces == 0 || reduces_.all() == settings_.reduces) return;
  for (const NodeUpdate& node : nodes) {
    const auto row = succeeded_on_.find(node.host);
    if (is_usable(node.condition) || row == succeeded_on_.end()) continue;
    for (const MapReduceAttempt attempt : row->second)
      if (!attempt.is_reduce)
        effects.emplace_back(KillMapReduceAttempt{attempt, AttemptKillReason::unusable_node, true});
  }
}

void MapReduceJob::count_fetch_failures(const map_reduce_job_input::FetchFailed& input,
                                        MapReduceStateEffects& effects) {
  std::int32_t fetching = 0;
  for (const auto& [reduce, attempts] : copying_)
    if (reduce_states_.at(static_cast<std::size_t>(reduce)) == MapReduceTaskState::running) ++fetching;
  std::vector<FailFinishedMap> failed;
  fetch_failures_.on_notice(input.reduce, input.host, input.maps, fetching, failed);
  effects.insert(effects.end(), failed.begin(), failed.end());
}

// -- facts ---------------------------------------------------------------------------------

void MapReduceJob::observe(const map_reduce_job_input::TaskObserved& input) {
  const auto index = static_cast<std::size_t>(input.task.index);
  (input.task.is_reduce ? reduce_states_ : map_states_).at(index) = input.state;
  (input.task.is_reduce ? progress_.reduces : progress_.maps).at(index) = is_final(input.state) ? 1 : input.progress;
}

void MapReduceJob::observe(const map_reduce_job_input::CopyObserved& input) {
  auto& attempts = copying_[input.reduce.index];
  if (input.copies) attempts.insert(input.reduce.attempt);
  else attempts.erase(input.reduce.attempt);
  if (attempts.empty()) copying_.erase(input.reduce.index);
}

float MapReduceJob::progress() const {
  return is_initialized_ ? job_progress(progress_) : job_progress({progress_.setup, progress_.cleanup, {}, {}});
}

MapReduceJobState MapReduceJob::shown() const {
  const State shown = shown_state(state_, settings_.is_last_master);
  return is_final(shown) && !is_unregistered_ ? shown_before_ : shown;
}

std::optional<Instant> MapReduceJob::next_due() const { return fail_wait_until_; }

void MapReduceJob::check_invariants() const {
  HEDDLE_ASSERT(fail_wait_until_.has_value() == (state_ == State::fail_wait), "the wait of a failed job has no end");
}

}  // namespace heddle::policies
