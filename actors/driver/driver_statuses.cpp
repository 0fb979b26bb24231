// What executors say of their attempts, and what follows: the task scheduler hears of it, and what it says is carried
// out.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "actors/driver/driver.hpp"

namespace heddle::actors {
namespace {

/// What the Driver keeps of an attempt's end: its counters, as Spark's accumulators. What a stage writes or shuffles
/// stays where it is made, stderr is the executor's log.
std::int64_t result_bytes(const TaskOutcome& outcome) {
  auto bytes = outcome.text.size();
  for (const auto& [name, count] : outcome.counters) bytes += name.size() + sizeof(count);
  return static_cast<std::int64_t>(bytes);
}

policies::AttemptStatus to_attempt_status(const TaskOutcome& outcome, bool tells_progress) {
  policies::AttemptStatus status;
  switch (outcome.state) {
    case TaskState::running: status.state = policies::AttemptState::running; break;
    case TaskState::finished:
      status.state = policies::AttemptState::finished;
      status.result_bytes = result_bytes(outcome);
      if (tells_progress) status.progress = policies::AttemptProgress{outcome.records_read, Duration{outcome.run_us}};
      break;
    case TaskState::killed: status.state = policies::AttemptState::killed; break;
    case TaskState::failed:
      status.state = policies::AttemptState::failed;
      status.failure = outcome.failure == FailureKind::fetch_failed ? policies::AttemptFailure::fetch_failed
                                                                    : policies::AttemptFailure::exception;
      break;
  }
  return status;
}

}  // namespace

void Driver::on_status_update(const StatusUpdate& message) {
  auto* entry = executors_.current(message.executor, message.epoch);
  if (entry == nullptr) {
    write_event("stale_status_update", ports::EventFields{}.add("executor", message.executor));
    return;
  }
  const auto now = tools_.clock->now();
  entry->last_heard = now;
  for (const auto& range : message.finished) finish_range(now, *entry, range);
  for (const auto& status : message.statuses) take_status(now, message.executor, *entry, status);
  request_round(message.executor);
}

bool Driver::compares_rates() const {
  const auto& rules = settings_.task_scheduler.speculation;
  return rules && rules->efficiency;
}

/// What the attempts of an executor have read so far, as its heartbeat says.
void Driver::take_progress(Instant now, const std::vector<RunningTask>& running) {
  if (!compares_rates()) return;
  policies::TaskSchedulerEffects effects;
  for (const auto& task : running) {
    const policies::TaskSetKey key{task.stage.stage, task.stage.attempt};
    const auto* set = find_set(key);
    if (set == nullptr) continue;
    const auto launch = task_scheduler_.find_attempt(key, set->index_of(task.index), task.attempt);
    if (launch.is_none()) continue;
    policies::AttemptStatus status;
    status.state = policies::AttemptState::running;
    status.progress = policies::AttemptProgress{task.records, Duration{task.run_us}};
    note_reported(now, launch);
    task_scheduler_.on_status(now, launch, status, effects);
  }
  carry_out(now, effects);
}

void Driver::finish_range(Instant now, ExecutorEntry& entry, const FinishedRange& range) {
  const policies::TaskSetKey key{range.stage.stage, range.stage.attempt};
  const auto* set = find_set(key);
  if (set == nullptr) return;
  std::int64_t total_us = 0;
  for (const auto run_us : range.run_us) total_us += run_us;
  const double mean_us = range.count > 0 ? static_cast<double>(total_us) / range.count : 0;
  entry.task_us = entry.task_us < 0 ? mean_us : 0.8 * entry.task_us + 0.2 * mean_us;
  if (settings_.application_attempt > 0)
    write_event("tasks_finished", ports::EventFields{}
                                      .add("stage", range.stage.stage)
                                      .add("stage_attempt", range.stage.attempt)
                                      .add("first", range.first_index)
                                      .add("count", range.count)
                                      .add("attempt", range.attempt)
                                      .add("epoch", entry.epoch)
                                      .add_column("start_us", range.start_us)
                                      .add_column("run_us", range.run_us));
  policies::TaskSchedulerEffects effects;
  policies::AttemptStatus finished;
  for (std::int32_t i = 0; i < range.count; ++i) {
    const auto launch = task_scheduler_.find_attempt(key, set->index_of(range.first_index + i), range.attempt);
    if (launch.is_none()) continue;
    note_reported(now, launch);
    if (compares_rates())
      finished.progress = policies::AttemptProgress{0, Duration{range.run_us[static_cast<std::size_t>(i)]}};
    task_scheduler_.on_status(now, launch, finished, effects);
  }
  carry_out(now, effects);
}

void Driver::take_status(Instant now, ExecutorId executor, ExecutorEntry& entry, const TaskStatus& status) {
  const policies::TaskSetKey key{status.stage.stage, status.stage.attempt};
  auto* set = find_set(key);
  if (set == nullptr) return;
  const auto launch = task_scheduler_.find_attempt(key, set->index_of(status.index), status.attempt);
  if (launch.is_none()) return;
  const auto& outcome = status.outcome;
  write_event("task_status", ports::EventFields{}
                                 .add("stage", key.stage)
                                 .add("stage_attempt", key.attempt)
                                 .add("index", status.index)
                                 .add("attempt", status.attempt)
                                 .add("executor", executor)
                                 .add("state", static_cast<int>(outcome.state))
                                 .add("failure", static_cast<int>(outcome.failure))
                                 .add("exit_code", outcome.exit_code)
                                 .add("start_us", outcome.start_us)
                                 .add("run_us", outcome.run_us));
  if (outcome.state == TaskState::finished) {
    const auto run_us = static_cast<double>(outcome.run_us);
    entry.task_us = entry.task_us < 0 ? run_us : 0.8 * entry.task_us + 0.2 * run_us;
  }
  if (outcome.state == TaskState::failed) {
    set->last_failure = outcome;
    set->last_failure_place = entry.host_name;
  }
  if (const auto job = jobs_.find(set->key.job); job != jobs_.end() && outcome.state == TaskState::failed)
    count_failure(job->second, *set, outcome);
  current_outcome_ = &outcome;
  note_reported(now, launch);
  policies::TaskSchedulerEffects effects;
  auto attempt_status = to_attempt_status(outcome, compares_rates());
  if (attempt_status.failure == policies::AttemptFailure::fetch_failed) {
    const auto source = fetch_source(outcome);
    attempt_status.source_executor = source.executor;
    attempt_status.source_host = source.host;
  }
  task_scheduler_.on_status(now, launch, attempt_status, effects);
  carry_out(now, effects);
  current_outcome_ = nullptr;
}

void Driver::count_failure(JobRecord& job, const TaskSetRecord& set, const TaskOutcome& outcome) {
  job.progress[set.stage].failed_attempts += 1;
  job.totals.failed_attempts += 1;
  job.failures[outcome.text.substr(0, 200)] += 1;
}

void Driver::count_lost_attempt(TaskSetRecord& set, const ExecutorEntry* entry) {
  TaskOutcome outcome;
  outcome.state = TaskState::failed;
  outcome.text =
      fmt::format("its executor is gone: {}", current_loss_.empty() ? "the connection to it is lost" : current_loss_);
  set.last_failure = outcome;
  set.last_failure_place = entry == nullptr ? std::string{} : entry->host_name;
  if (const auto job = jobs_.find(set.key.job); job != jobs_.end()) count_failure(job->second, set, outcome);
}

// -- effects of the task scheduler -----------------------------------------------------

void Driver::carry_out(Instant now, policies::TaskSchedulerEffects& effects) {
  for (const auto& effect : effects.events) {
    if (const auto* ended = std::get_if<policies::TaskEnded>(&effect)) {
      on_task_ended(now, *ended);
    } else if (const auto* failed = std::get_if<policies::TaskSetFailed>(&effect)) {
      describe_failure(*failed);
      policies::StageEffects stage_effects;
      stage_scheduler_.on_task_set_failed(failed->set.stage, failed->set.attempt, stage_effects);
      carry_out(stage_effects);
    } else if (const auto* large = std::get_if<policies::LargeDescription>(&effect)) {
      warn_of_large(*large);
    } else if (const auto* kill = std::get_if<policies::KillAttempt>(&effect)) {
      kill_attempt(*kill);
    } else if (const auto* finished = std::get_if<policies::TaskSetFinished>(&effect)) {
      if (auto* set = find_set(finished->set)) {
        set->is_live = false;
        if (const auto job = jobs_.find(set->key.job); job != jobs_.end()) job->second.live_sets.erase(finished->set);
        else forget_set(finished->set, true);
      }
      finish_ended_jobs(now);
      tell_exclusions();  // failures of the set count for the application now
    } else if (std::holds_alternative<policies::ReviveOffersWanted>(effect)) {
      request_full_round();
    } else if (const auto* copy = std::get_if<policies::SpeculativeTaskSubmitted>(&effect)) {
      allocation_.on_speculative_submitted(now, copy->set.stage, copy->set.attempt, copy->index);
    } else if (const auto* stuck = std::get_if<policies::UnschedulableSetAdded>(&effect)) {
      allocation_.on_unschedulable_added(now, stuck->set.stage, stuck->set.attempt);
    } else if (const auto* freed = std::get_if<policies::UnschedulableSetRemoved>(&effect)) {
      allocation_.on_unschedulable_removed(freed->set.stage, freed->set.attempt);
    } else if (const auto* excluded = std::get_if<policies::KillExcludedExecutor>(&effect)) {
      if (excluded->idle) kill_executors({excluded->executor}, "makes room for one that may run what waits");
      else end_excluded(now, {excluded->executor}, "it is excluded after failures");
    } else if (const auto* host = std::get_if<policies::KillExcludedHost>(&effect)) {
      end_excluded(now, executors_.live_on(host->host), "its node is excluded after failures");
    }
  }
  launch(effects);
}

void Driver::on_task_ended(Instant now, const policies::TaskEnded& ended) {
  auto* entry = executors_.find(ended.executor);
  if (entry != nullptr && ended.outcome != policies::AttemptOutcome::resubmitted) {
    entry->release(ended.cores);
    entry->devices.give_back(ended.id);
    if (entry->handle) dirty_.insert(ended.executor);
    if (entry->handle && entry->assigned == 0 && !entry->draining.empty())
      kill_executors({ended.executor}, entry->draining);
  }
  note_ended(now, ended);
  auto* set = find_set(ended.set);
  if (set == nullptr) return;
  const auto position = jobs_.find(set->key.job);
  auto* job = position == jobs_.end() ? nullptr : &position->second;
  policies::StageEffects effects;
  switch (ended.outcome) {
    case policies::AttemptOutcome::success:
      if (!set->has_failed) keep_success(ended, *set, job, entry, effects);
      break;
    case policies::AttemptOutcome::resubmitted:
      if (job != nullptr) job->progress[set->stage].finished -= 1;
      note_barrier_failure(*set, ended);
      if (set->is_barrier) stage_scheduler_.on_barrier_failed(now, ended.set.stage, ended.set.attempt, effects);
      stage_scheduler_.on_task_resubmitted(ended.set.stage, ended.set.attempt, ended.partition, effects);
      break;
    case policies::AttemptOutcome::fetch_failed:
      note_barrier_failure(*set, ended);
      take_fetch_failure(now, ended, job, effects);
      break;
    case policies::AttemptOutcome::executor_lost_by_application: count_lost_attempt(*set, entry); [[fallthrough]];
    default:
      note_barrier_failure(*set, ended);
      if (set->is_barrier) stage_scheduler_.on_barrier_failed(now, ended.set.stage, ended.set.attempt, effects);
      else stage_scheduler_.on_task_failed(ended.set.stage, ended.set.attempt, ended.partition, effects);
      break;
  }
  carry_out(effects);
}

/// Counts a task that is done, and what it leaves: a part of an output, or a map output that others may fetch.
void Driver::keep_success(const policies::TaskEnded& ended, TaskSetRecord& set, JobRecord* job,
                          const ExecutorEntry* entry, policies::StageEffects& effects) {
  set.finished += 1;
  if (job != nullptr) {
    job->progress[set.stage].finished += 1;
    const auto shuffle = set.work.shuffle_output ? set.work.shuffle_output->shuffle : ShuffleId{};
    job->accepted.accept({set.stage, shuffle}, ended.partition, current_outcome_, job->totals);
    if (const auto winners = job->winners.find(set.stage);
        set.kind == policies::TaskSetKind::result && winners != job->winners.end())
      winners->second[static_cast<std::size_t>(ended.partition)] =
          ports::task_attempt_name(set.key, ended.partition, ended.attempt);
  }
  policies::OutputPlace place;
  if (entry != nullptr) place = {ended.executor, entry->host};
  std::span<const std::int64_t> sizes;
  if (current_outcome_ != nullptr) sizes = current_outcome_->partition_bytes;
  if (set.work.shuffle_output && job != nullptr) broadcast_.mark_changed(set.work.shuffle_output->shuffle);
  stage_scheduler_.on_task_success(ended.set.stage, ended.set.attempt, ended.partition, place, effects, sizes);
  if (set.work.shuffle_output && migration_.is_leaving(place.host))
    migrate_output(set.work.shuffle_output->shuffle, ended.partition, place);
}

/// The executor that wrote the map output which could not be fetched, and its host; none if the output has moved since.
policies::OutputPlace Driver::fetch_source(const TaskOutcome& outcome) {
  if (outcome.failed_map < 0) return {};
  const auto known = stage_scheduler_.outputs().place(outcome.failed_shuffle, outcome.failed_map);
  const auto* writer = executors_.find(known.executor);
  return writer != nullptr && writer->place == outcome.failed_at ? known : policies::OutputPlace{};
}

/// Tells which map output could not be fetched, if it still stands where it was looked for.
void Driver::take_fetch_failure(Instant now, const policies::TaskEnded& ended, const JobRecord* job,
                                policies::StageEffects& effects) {
  policies::OutputPlace place;
  ShuffleId shuffle;
  std::int32_t map = -1;
  if (current_outcome_ != nullptr) {
    shuffle = current_outcome_->failed_shuffle;
    map = current_outcome_->failed_map;
    place = fetch_source(*current_outcome_);
    if (job != nullptr) broadcast_.mark_changed(shuffle);
  }
  stage_scheduler_.on_fetch_failed(now, ended.set.stage, ended.set.attempt, ended.partition, shuffle, map, place,
                                   effects);
  tell_exclusions();  // heddle.exclusion.on_fetch_failure: what served it may be excluded now
}

/// The first end of an attempt of a barrier stage that is none in order: what still ends of it does not count.
void Driver::note_barrier_failure(TaskSetRecord& set, const policies::TaskEnded& ended) {
  const auto position = jobs_.find(set.key.job);
  if (!set.is_barrier || set.has_failed || position == jobs_.end()) return;
  auto& job = position->second;
  set.has_failed = true;
  const bool is_told = set.last_failure.state == TaskState::failed;
  job.barrier_failure =
      fmt::format("barrier stage '{}' failed as a whole: task {} did not end well{}{}", set.work.name, ended.partition,
                  is_told ? fmt::format(", on {}: {}", set.last_failure_place, set.last_failure.text) : std::string{},
                  set.kind == policies::TaskSetKind::result ? "; a result stage is not run again" : "");
  job.barrier_outcome = set.last_failure;
  auto& finished = job.progress[set.stage].finished;
  finished = std::max(0, finished - set.finished);  // all tasks run again
}

}  // namespace heddle::actors
