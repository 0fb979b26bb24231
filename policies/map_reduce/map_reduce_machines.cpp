#include "policies/map_reduce/map_reduce_machines.hpp"

#include <cstddef>
#include <optional>
#include <utility>
#include <variant>

#include "model/assert.hpp"

namespace heddle::policies {

std::string to_string(MapReduceTaskId task) {
  return (task.is_reduce ? "reduce " : "map ") + std::to_string(task.index);
}

std::string to_string(MapReduceAttempt attempt) {
  return to_string(task_of(attempt)) + " attempt " + std::to_string(attempt.attempt);
}

MapReduceMachines::MapReduceMachines(MapReduceMachineSettings settings)
    : settings_{std::move(settings)}, job_{settings_.job} {
  const auto& job = settings_.job;
  settings_.map_task.is_map_only = job.reduces == 0;
  for (const bool is_reduce : {false, true})
    for (std::int32_t index = 0; index < (is_reduce ? job.reduces : job.maps); ++index)
      tasks_.emplace(MapReduceTaskId{is_reduce, index},
                     MapReduceTask{{is_reduce, index}, is_reduce ? settings_.reduce_task : settings_.map_task});
}

const MapReduceTaskAttempt* MapReduceMachines::find(MapReduceAttempt attempt) const {
  const auto row = attempts_.find(attempt);
  return row == attempts_.end() ? nullptr : &row->second;
}

// -- inputs from outside -------------------------------------------------------------------------------

void MapReduceMachines::apply(Instant now, const map_reduce_job_input::Input& input) {
  now_ = now;
  put_job(input);
  apply_effects();
}

void MapReduceMachines::apply(Instant now, MapReduceTaskId task, const map_reduce_task_input::Input& input) {
  now_ = now;
  put_task(task, input);
  apply_effects();
}

void MapReduceMachines::apply(Instant now, MapReduceAttempt attempt, const map_reduce_attempt_input::Input& input) {
  now_ = now;
  put_attempt(attempt, input);
  apply_effects();
}

void MapReduceMachines::speculate(Instant now, MapReduceTaskId task) {
  if (tasks_.at(task).state() == MapReduceTaskState::running)
    apply(now, task, map_reduce_task_input::Signal{MapReduceTaskEvent::add_spec_attempt});
}

// -- the machines ----------------------------------------------------------------------------------------

void MapReduceMachines::put_job(const map_reduce_job_input::Input& input) {
  const auto before = job_.state();
  observe(MapReduceCell::Machine::job, before, event_of<MapReduceJobEvent>(input));
  job_.apply(now_, input, effects_);
  job_.check_invariants();
  if (job_.state() != before) changes_.push_back({"job", job_state_names.at(static_cast<std::size_t>(job_.state()))});
}

void MapReduceMachines::put_task(MapReduceTaskId id, const map_reduce_task_input::Input& input) {
  MapReduceTask& task = tasks_.at(id);
  const auto before = task.state();
  observe(MapReduceCell::Machine::task, before, event_of<MapReduceTaskEvent>(input));
  if (const auto* recovered = std::get_if<map_reduce_task_input::Recovered>(&input))
    for (std::size_t i = 0; i < recovered->attempts.size(); ++i)  // their machines get it from that of the task
      observe(MapReduceCell::Machine::attempt, MapReduceAttemptState::created,
              std::optional{MapReduceAttemptEvent::recover});
  task.apply(now_, input, effects_);
  task.check_invariants();
  if (task.state() != before)
    changes_.push_back({to_string(id), task_state_names.at(static_cast<std::size_t>(task.state()))});
  for (auto& recovered : task.take_recovered()) attempts_.emplace(recovered.attempt(), std::move(recovered));
  put_job(map_reduce_job_input::TaskObserved{id, task.state(), task.progress()});
}

void MapReduceMachines::put_attempt(MapReduceAttempt id, const map_reduce_attempt_input::Input& input) {
  MapReduceTaskAttempt& attempt = attempts_.at(id);
  const auto before = attempt.state();
  observe(MapReduceCell::Machine::attempt, before, event_of<MapReduceAttemptEvent>(input));
  attempt.apply(now_, input, effects_);
  if (attempt.state() != before)
    changes_.push_back({to_string(id), attempt_state_names.at(static_cast<std::size_t>(attempt.state()))});
  put_task(task_of(id),
           map_reduce_task_input::AttemptObserved{id.attempt, attempt.state(), attempt.progress(), attempt.host()});
}

void MapReduceMachines::notify_job(const map_reduce_job_input::Input& input) {
  if (job_.state() == MapReduceJobState::kill_abort || job_.state() == MapReduceJobState::killed) return;
  put_job(input);
}

// -- effects -----------------------------------------------------------------------------------------------

void MapReduceMachines::apply_effects() {
  while (!effects_.empty()) {
    const MapReduceStateEffects due = std::exchange(effects_, {});
    for (const auto& effect : due) std::visit([this](const auto& one) { route(one); }, effect);
  }
}

void MapReduceMachines::route(const NotifyTask& effect) {
  const auto id = task_of(effect.attempt);
  const std::int32_t number = effect.attempt.attempt;
  if (effect.event == MapReduceTaskEvent::attempt_failed)
    put_task(id, map_reduce_task_input::AttemptFailed{number, effect.fast_fail});
  else if (effect.event == MapReduceTaskEvent::attempt_killed)
    put_task(id, map_reduce_task_input::AttemptKilled{number, effect.reschedule});
  else put_task(id, map_reduce_task_input::AttemptSignal{effect.event, number});
}

void MapReduceMachines::route(const CommandTask& effect) {
  auto recorded = effect.event == MapReduceTaskEvent::schedule ? recovered_.extract(effect.task)
                                                               : decltype(recovered_)::node_type{};
  if (recorded.empty()) put_task(effect.task, map_reduce_task_input::Signal{effect.event});
  else put_task(effect.task, recorded.mapped());
}

void MapReduceMachines::route(const StartMapReduceAttempt& effect) {
  TaskAttemptSettings settings;
  settings.is_map_only = settings_.map_task.is_map_only;
  settings.reports_failure_once = true;
  const auto index = static_cast<std::size_t>(effect.attempt.index);
  if (!effect.attempt.is_reduce && index < settings_.hosts.size()) settings.hosts = settings_.hosts[index];
  const bool is_new =
      attempts_.emplace(effect.attempt, MapReduceTaskAttempt{effect.attempt, std::move(settings)}).second;
  HEDDLE_ASSERT(is_new, to_string(effect.attempt) + " started twice");
  put_attempt(effect.attempt, map_reduce_attempt_input::Signal{effect.reschedule ? MapReduceAttemptEvent::reschedule
                                                                                 : MapReduceAttemptEvent::schedule});
}

void MapReduceMachines::route(const KillMapReduceAttempt& effect) {
  put_attempt(effect.attempt, map_reduce_attempt_input::Killed{effect.reschedule});
}

void MapReduceMachines::route(const FailFinishedMap& effect) {
  const auto& map = attempts_.at(effect.map);
  if (map.status() == MapReduceAttemptStatus::succeeded || is_final(map.state()))
    put_attempt(effect.map, map_reduce_attempt_input::Signal{MapReduceAttemptEvent::too_many_fetch_failure});
}

void MapReduceMachines::route(const AddCompletionEvent& effect) {
  notify_job(map_reduce_job_input::AttemptCompleted{effect, attempts_.at(effect.attempt).host().value_or("")});
}

void MapReduceMachines::route(const NotifyTaskEnded& effect) {
  const auto place = outside_.size();
  outside_.push_back(effect);  // before the effects of the job
  notify_job(map_reduce_job_input::TaskCompleted{effect.task, effect.state});
  const auto job = job_.state();
  std::get<NotifyTaskEnded>(outside_[place]).fails_job =
      effect.state == MapReduceTaskState::failed &&
      (job == MapReduceJobState::fail_wait || job == MapReduceJobState::fail_abort || job == MapReduceJobState::failed);
}

void MapReduceMachines::route(const NotifyMapRescheduled& effect) {
  outside_.push_back(effect);
  notify_job(map_reduce_job_input::MapRescheduled{effect.task});
}

void MapReduceMachines::route(const NotifyFetchFailures& effect) {
  notify_job(map_reduce_job_input::FetchFailed{effect.reduce, effect.maps, effect.host});
}

void MapReduceMachines::route(const CompleteEmptyJob&) {
  notify_job(map_reduce_job_input::Signal{MapReduceJobEvent::completed});
}

void MapReduceMachines::route(const RaiseInternalError& effect) {
  errors_.push_back(effect.text);
  put_job(map_reduce_job_input::Signal{MapReduceJobEvent::internal_error});
}

}  // namespace heddle::policies
