// The Driver's jobs: from a submission to stages, from stages to task sets, from the last result to a committed output.
#include <fmt/format.h>

#include <array>

#include "actors/driver/driver.hpp"

namespace heddle::actors {
namespace {

constexpr Duration longest_wait_for_attempts = std::chrono::seconds{3};

std::vector<std::string> output_paths(const JobPlan& plan) {
  std::vector<std::string> paths;
  for (const auto& stage : plan.graph().stages)
    if (stage.output) paths.push_back(stage.output->path);
  return paths;
}

/// As Spark writes sizes: a unit from two of it on.
std::string size_text(std::int64_t bytes) {
  constexpr std::array<const char*, 7> units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; size >= 2048 && unit + 1 < units.size(); ++unit) size /= 1024;
  return fmt::format("{:.1f} {}", size, units.at(unit));
}

OutputPrepared prepare_outputs(ports::OutputCommit& commit, const std::vector<std::string>& paths, std::int32_t attempt, JobId id) {
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const auto made = commit.set_up(paths[i], attempt);
    if (made) continue;
    OutputPrepared answer{id, OutputFound::refused, made.error().text};
    const std::vector<std::string> ours(paths.begin(), paths.begin() + static_cast<std::ptrdiff_t>(i));
    if (ours.empty()) return answer;
    if (const auto removed = commit.abort(ours); !removed) answer.text += "; what was made before it stays: " + removed.error().text;
    return answer;
  }
  return {id, OutputFound::ready, {}};
}

OutputPrepared take_over_outputs(ports::OutputCommit& commit, const std::vector<std::string>& paths, std::int32_t attempt, JobId id) {
  const auto found = commit.recover(paths, attempt);
  if (!found) return {id, OutputFound::refused, found.error().text};
  return {id, *found == ports::CommitState::committed ? OutputFound::committed : OutputFound::ready, {}};
}

}  // namespace

// -- from the client -------------------------------------------------------------

void Driver::on_submit_job(const SubmitJob& message) {
  auto client = caf::actor_cast<ClientActor>(self_->current_sender());
  const JobId id = next_job_;
  next_job_ = JobId{id.value + 1};
  if (client) self_->send(client, JobAccepted{message.request, id});
  auto plan = JobPlan::make(message);
  if (!plan || stop_) {
    JobFinished refused;
    refused.job = id;
    refused.text = plan ? "the application ends" : plan.error().text;
    if (client) self_->send(client, refused);
    return;
  }
  write_event("job_submitted", ports::EventFields{}.add("job", id).add("stages", message.graph.stages.size()));
  JobRecord record;
  record.id = id;
  record.client = client;
  record.request = message.request;
  record.plan = std::move(*plan);
  record.totals.locality.assign(5, 0);
  record.end.job = id;
  auto& job = jobs_.emplace(id, std::move(record)).first->second;
  const auto paths = output_paths(job.plan);
  if (paths.empty()) {
    start_when_ready(job);
  } else {
    job.is_being_prepared = true;
    const bool is_known_to_others = message.earlier_drivers > 0;
    ports_.background->run(
        [commit = ports_.commit, paths, attempt = settings_.application_attempt, id, driver = DriverActor{self_}, is_known_to_others] {
          caf::anon_send(
              driver, is_known_to_others ? take_over_outputs(*commit, paths, attempt, id) : prepare_outputs(*commit, paths, attempt, id));
        });
  }
  arm_tick(tools_.clock->now());
}

void Driver::on_output_prepared(const OutputPrepared& message) {
  const auto position = jobs_.find(message.job);
  if (position == jobs_.end() || !position->second.is_being_prepared) return;
  auto& job = position->second;
  job.is_being_prepared = false;
  const bool is_wanted = job.phase == JobPhase::preparing;  // else it was cancelled meanwhile, and its outputs are to go
  switch (message.found) {
    case OutputFound::ready:
      for (const auto stage : job.plan.result_stages())
        if (job.plan.stage(stage).output) job.winners[stage].resize(static_cast<std::size_t>(job.plan.partitions(stage)));
      return is_wanted ? start_when_ready(job) : finish_ended_jobs(tools_.clock->now());
    case OutputFound::refused: return is_wanted ? fail_job(job, JobStatus::failed, message.text) : finish_ended_jobs(tools_.clock->now());
    case OutputFound::committed:
      tell_notice("the former master had decided the commit before it was lost; the commit is finished now");
      ending_jobs_.erase(job.id);
      job.phase = JobPhase::committing;
      job.end_due.reset();
      job.end.status = JobStatus::succeeded;
      job.end.text.clear();
      self_->send(DriverActor{self_}, JobCommitted{job.id, true, {}});
  }
}

void Driver::start_when_ready(JobRecord& job) {
  if (is_ready_) return start_when_slots_suffice(job);
  job.phase = JobPhase::waiting;
  start_waiting_jobs(tools_.clock->now());
}

/// Once ready, always ready: executors that are lost later do not hold up jobs (BE-13).
void Driver::start_waiting_jobs(Instant now) {
  if (!is_ready_) {
    is_ready_ = executors_.live() >= executors_expected_ * settings_.registered_ratio_min || now >= registration_due_;
    if (!is_ready_) return arm_tick(now);
    if (settings_.registered_ratio_min > 0)
      write_event("executors_ready", ports::EventFields{}.add("registered", executors_.live()).add("expected", executors_expected_));
  }
  std::vector<JobId> waiting;
  for (const auto& [id, job] : jobs_)
    if (job.phase == JobPhase::waiting) waiting.push_back(id);
  for (const auto id : waiting)  // the start of one may end another
    if (const auto job = jobs_.find(id); job != jobs_.end() && job->second.phase == JobPhase::waiting)
      start_when_slots_suffice(job->second);
}

/// Spark's check of barrier stages before a job begins (SPARK-24819): looked at again and again, and given up after so many times.
void Driver::start_when_slots_suffice(JobRecord& job) {
  auto lack = lack_of_slots(job);
  if (lack.empty()) return start_job(job);
  if (++job.slot_checks > settings_.barrier_check_failures_max) return fail_job(job, JobStatus::failed, std::move(lack));
  const auto now = tools_.clock->now();
  job.phase = JobPhase::waiting;
  job.slots_due = now + settings_.barrier_check_interval;
  short_of_slots_.insert(job.id);
  arm_tick(now);
}

std::string Driver::lack_of_slots(const JobRecord& job) {
  for (std::int32_t stage = 0; stage < std::ssize(job.plan.graph().stages); ++stage) {
    if (!job.plan.is_barrier(stage)) continue;
    const auto cores = std::max(job.plan.task_cores(stage), 0);
    std::int64_t slots = 0;
    for (const auto& [id, entry] : executors_)
      if (entry.handle && entry.draining.empty())
        slots += entry.devices.slots(settings_.devices, entry.cores, cores > 0 ? cores : settings_.task_scheduler.task_cores);
    if (job.plan.partitions(stage) > slots)
      return fmt::format("barrier stage '{}' requires more slots than the cluster has now: {} for its tasks, {} are there",
                         job.plan.stage(stage).name, job.plan.partitions(stage), slots);
  }
  return {};
}

/// `also_early`: an executor has come, so that it is looked at once, without counting.
void Driver::check_slots_again(Instant now, bool also_early) {
  const auto waiting = short_of_slots_;  // the end of one may end others
  for (const auto id : waiting) {
    if (!short_of_slots_.contains(id)) continue;
    auto& job = jobs_.at(id);
    if (*job.slots_due <= now || (also_early && lack_of_slots(job).empty())) start_when_slots_suffice(job);
  }
}

void Driver::start_job(JobRecord& job) {
  job.phase = JobPhase::running;
  short_of_slots_.erase(job.id);
  job.plan.prefer_large_inputs(settings_.reduce_locality);
  job.plan.add_to(stage_scheduler_, [this](const std::vector<TaskSplit>& splits) { return places_of(splits); });
  for (const auto stage : job.plan.result_stages()) {
    const JobId part = next_job_;
    next_job_ = JobId{part.value + 1};
    job.parts.emplace(part, stage);
    job_of_part_.emplace(part, job.id);
  }
  const auto now = tools_.clock->now();
  const auto id = job.id;
  const auto parts = job.parts;  // ends of empty parts change the job's own
  for (const auto& [part, stage] : parts) {
    const auto position = jobs_.find(id);
    if (position == jobs_.end() || position->second.phase != JobPhase::running) return;
    policies::StageEffects effects;
    const auto& plan = position->second.plan;
    stage_scheduler_.on_submit_job(now, part, plan.dataset(stage), {policies::IndexRange{0, plan.partitions(stage)}}, effects);
    std::vector<policies::JobStage> stages;
    for (const auto& [id_of_stage, shuffle] : stage_scheduler_.stages_of(part)) stages.push_back({id_of_stage, shuffle});
    allocation_.on_job_started(part, stages);
    carry_out(effects);
  }
}

std::shared_ptr<const policies::PlaceLists> Driver::places_of(const std::vector<TaskSplit>& splits) {
  auto lists = std::make_shared<policies::PlaceLists>();
  std::vector<policies::TaskPlace> places;
  for (const auto& split : splits) {
    places.clear();
    for (const auto& host : split.split.hosts) places.emplace_back(host_id(host));
    lists->add(places);
  }
  return lists->is_blank() ? nullptr : lists;
}

void Driver::on_cancel_job(const CancelJob& message) {
  const auto position = jobs_.find(message.job);
  if (position != jobs_.end()) fail_job(position->second, JobStatus::cancelled, message.reason);
}

void Driver::on_stop_driver(const StopDriver& message) {
  if (stop_) return;
  stop_ = StopAllocator{message.succeeded, message.text};
  write_event("driver_stopping", ports::EventFields{}.add("succeeded", message.succeeded));
  std::vector<JobId> ids;
  for (const auto& [id, job] : jobs_) ids.push_back(id);
  for (const auto id : ids)
    if (const auto job = jobs_.find(id); job != jobs_.end()) fail_job(job->second, JobStatus::failed, "the application ends");
  for (auto& [id, entry] : executors_)
    if (entry.handle) self_->send(entry.handle, StopExecutor{"the application ends"});
  if (executor_source_) self_->send(executor_source_, *stop_);
}

// -- effects of the stage scheduler --------------------------------------------------

void Driver::carry_out(policies::StageEffects& effects) {
  const auto now = tools_.clock->now();
  for (auto& effect : effects) {
    if (const auto* set = std::get_if<policies::SubmitTaskSet>(&effect)) {
      submit_task_set(*set);
    } else if (const auto* submitted = std::get_if<policies::StageSubmitted>(&effect)) {
      policies::AllocationEffects wanted;
      allocation_.on_stage_submitted(now, submitted->stage, submitted->attempt, submitted->tasks, ProfileId{0}, submitted->partitions,
                                     submitted->places, wanted);
      want_executors(wanted);
    } else if (const auto* failed = std::get_if<policies::JobFailed>(&effect)) {
      auto* job = job_of_part(failed->job);
      const bool is_barrier =
          failed->failure == policies::JobFailure::barrier_failures || failed->failure == policies::JobFailure::barrier_result;
      if (job == nullptr || !job->end.text.empty()) continue;
      job->end.text = is_barrier ? job->barrier_failure : "a stage's map outputs could not be fetched, again and again";
      if (!is_barrier) continue;
      job->end.exit_code = job->barrier_outcome.exit_code;
      job->end.failure = job->barrier_outcome.failure;
    } else if (const auto* ended = std::get_if<policies::JobEnded>(&effect)) {
      end_part(ended->job, ended->succeeded);
    } else if (const auto* cancel = std::get_if<policies::CancelStage>(&effect)) {
      policies::TaskSchedulerEffects task_effects;
      task_scheduler_.kill_stage(now, cancel->stage, task_effects);
      carry_out(now, task_effects);
    } else if (const auto* kill = std::get_if<policies::KillStageAttempts>(&effect)) {
      policies::TaskSchedulerEffects task_effects;
      task_scheduler_.kill_stage(now, kill->stage, task_effects);
      carry_out(now, task_effects);
    } else if (const auto* done = std::get_if<policies::PartitionDone>(&effect)) {
      policies::TaskSchedulerEffects task_effects;
      task_scheduler_.on_partition_done(now, done->stage, done->partition, task_effects);
      carry_out(now, task_effects);
    } else if (const auto* completed = std::get_if<policies::StageCompleted>(&effect)) {
      write_event(
          "stage_completed",
          ports::EventFields{}.add("stage", completed->stage).add("attempt", completed->attempt).add("succeeded", completed->succeeded));
      allocation_.on_stage_completed(completed->stage, completed->attempt);
      if (const auto* over = find_set({completed->stage, completed->attempt}); over != nullptr)
        if (auto job = jobs_.find(over->key.job); job != jobs_.end()) tell_progress(job->second);
    } else if (std::holds_alternative<policies::ResubmitScheduled>(effect)) {
      arm_tick(now);
    }
  }
}

void Driver::submit_task_set(const policies::SubmitTaskSet& set) {
  auto* job = job_of_part(set.job);
  if (job == nullptr) return;
  const auto now = tools_.clock->now();
  TaskSetRecord record;
  record.key = {job->id, set.stage, set.attempt};
  record.stage = job->plan.stage_of(set.dataset);
  record.root = job->plan.root_of(record.stage);
  record.kind = set.kind == policies::StageKind::map ? policies::TaskSetKind::map : policies::TaskSetKind::result;
  record.partitions = set.partitions;
  record.tasks = set.tasks;
  for (std::int32_t next = 0; const auto& range : set.partitions) {
    record.first_index.push_back(next);
    next += range.count;
  }
  record.work = job->plan.work_of(record.stage, set.shuffle);
  record.work.key = record.key;
  record.work.application = settings_.application;
  record.work.application_attempt = settings_.application_attempt;
  auto& progress = job->progress[record.stage];
  progress.stage = set.stage;
  progress.name = record.work.name;
  progress.tasks = job->plan.partitions(record.stage);
  progress.locality.resize(5);
  progress.is_done = false;
  job->times.try_emplace(record.stage, JobRecord::StageTimes{tools_.clock->now(), {}}).first->second.ended.reset();
  const policies::TaskSetKey key{set.stage, set.attempt};
  job->live_sets.insert(key);
  job->sets.push_back(key);
  write_event("stage_submitted",
              ports::EventFields{}.add("job", job->id).add("stage", set.stage).add("attempt", set.attempt).add("tasks", set.tasks));
  policies::TaskSetDescription description{key,       set.job,        record.kind, job->plan.graph().pool,
                                           set.tasks, set.partitions, set.places,  job->plan.task_cores(record.stage)};
  description.is_barrier = record.is_barrier = set.is_barrier;
  if (!settings_.devices.empty()) {
    auto& need = description.need.emplace();
    for (const auto& device : settings_.devices)
      need.resources.push_back({static_cast<std::int32_t>(need.resources.size()), device.amount});
  }
  sets_.insert_or_assign(key, std::move(record));
  if (!has_ended_starvation_ && !starvation_due_) starvation_due_ = now + settings_.starvation_timeout;
  policies::TaskSchedulerEffects effects;
  task_scheduler_.on_task_set(now, description, effects);
  carry_out(now, effects);
  for (auto& [id, entry] : executors_) entry.task_us = -1;  // what is to come may take longer than what was measured
  request_full_round();
}

JobRecord* Driver::job_of_part(JobId part) {
  const auto owner = job_of_part_.find(part);
  if (owner == job_of_part_.end()) return nullptr;
  const auto position = jobs_.find(owner->second);
  return position == jobs_.end() ? nullptr : &position->second;
}

// -- ends ------------------------------------------------------------------------------

void Driver::describe_failure(const policies::TaskSetFailed& failed) {
  const auto* set = find_set(failed.set);
  if (set == nullptr) return;
  const auto position = jobs_.find(set->key.job);
  if (position == jobs_.end() || !position->second.end.text.empty()) return;
  auto& end = position->second.end;
  if (failed.failure == policies::SetFailure::excluded_everywhere) {
    end.text = fmt::format("stage '{}' can run nowhere: task {} is excluded from every executor", set->work.name, failed.index);
    return;
  }
  if (failed.failure == policies::SetFailure::results_too_large) {
    end.text =
        fmt::format("stage '{}': Total size of serialized results of {} tasks ({}) is bigger than spark.driver.maxResultSize ({})",
                    set->work.name, failed.results, size_text(failed.result_bytes), size_text(settings_.task_scheduler.result_bytes_max));
    return;
  }
  if (failed.failure == policies::SetFailure::barrier_not_placed) {
    end.text = fmt::format(
        "barrier stage '{}': not all of its tasks found a place at once, and with heddle.locality.wait.legacy_reset "
        "they never might",
        set->work.name);
    return;
  }
  end.exit_code = set->last_failure.exit_code;
  end.failure = set->last_failure.failure;
  end.text = fmt::format("stage '{}': task {} failed {} time{}; last on {}: {}", set->work.name, set->partition_of(failed.index),
                         settings_.task_scheduler.max_failures, settings_.task_scheduler.max_failures == 1 ? "" : "s",
                         set->last_failure_place, set->last_failure.text);
}

void Driver::end_part(JobId part, bool succeeded) {
  auto* job = job_of_part(part);
  job_of_part_.erase(part);
  allocation_.on_job_ended(part);
  if (job == nullptr) return;
  job->parts.erase(part);
  if (job->phase != JobPhase::running) return;
  if (!succeeded) fail_job(*job, JobStatus::failed, job->end.text);
  else if (job->parts.empty()) commit_job(*job);
}

void Driver::fail_job(JobRecord& job, JobStatus status, std::string text) {
  if (job.phase == JobPhase::ending || job.phase == JobPhase::committing) return;
  const auto now = tools_.clock->now();
  job.phase = JobPhase::ending;
  short_of_slots_.erase(job.id);
  job.end.status = status;
  if (job.end.text.empty()) job.end.text = std::move(text);
  job.end_due = now + longest_wait_for_attempts;
  ending_jobs_.insert(job.id);
  const auto parts = job.parts;
  for (const auto& [part, stage] : parts) {
    policies::StageEffects effects;
    stage_scheduler_.on_cancel_job(part, effects);
    carry_out(effects);
  }
  arm_tick(now);
  finish_ended_jobs(now);
}

void Driver::finish_ended_jobs(Instant now) {
  for (auto next = ending_jobs_.begin(); next != ending_jobs_.end();) {
    auto& job = jobs_.at(*next);
    if (job.is_being_prepared || (!job.live_sets.empty() && *job.end_due > now)) {
      ++next;
      continue;
    }
    next = ending_jobs_.erase(next);
    job.phase = JobPhase::committing;
    job.end_due.reset();
    abort_outputs(job);
  }
}

void Driver::abort_outputs(JobRecord& job) {
  if (job.winners.empty()) {  // nothing was prepared: what stands there is not ours
    self_->send(DriverActor{self_}, JobCommitted{job.id, true, {}});
    return;
  }
  ports_.background->run([commit = ports_.commit, paths = output_paths(job.plan), id = job.id, driver = DriverActor{self_}] {
    JobCommitted answer{id, true, {}};
    if (auto removed = commit->abort(paths); !removed) answer = {id, false, removed.error().text};
    caf::anon_send(driver, std::move(answer));
  });
}

void Driver::commit_job(JobRecord& job) {
  job.phase = JobPhase::committing;
  job.end.status = JobStatus::succeeded;
  std::vector<ports::OutputWinners> outputs;
  for (auto& [stage, winners] : job.winners)
    outputs.push_back({job.plan.stage(stage).output->path, job.plan.stage(stage).output->lazy, std::move(winners)});
  if (outputs.empty()) {
    self_->send(DriverActor{self_}, JobCommitted{job.id, true, {}});
    return;
  }
  ports_.background->run(
      [commit = ports_.commit, outputs, attempt = settings_.application_attempt, id = job.id, driver = DriverActor{self_}] {
        JobCommitted answer{id, true, {}};
        if (auto done = commit->commit(outputs, attempt); !done) answer = {id, false, done.error().text};
        caf::anon_send(driver, std::move(answer));
      });
}

void Driver::on_job_committed(const JobCommitted& message) {
  const auto position = jobs_.find(message.job);
  if (position == jobs_.end() || position->second.phase != JobPhase::committing) return;
  auto& job = position->second;
  if (!message.succeeded && job.end.status == JobStatus::succeeded) {
    job.end.status = JobStatus::failed;
    job.end.failure = FailureKind::output;
    job.end.text = "the output could not be committed: " + message.text;
  }
  finish_job(message.job);
}

void Driver::finish_job(JobId id) {
  auto& job = jobs_.at(id);
  for (auto& [stage, progress] : job.progress) progress.is_done = true;
  tell_progress(job);
  job.end.totals = job.totals;
  job.end.totals.counters.assign(job.counters.begin(), job.counters.end());
  job.end.totals.failures.assign(job.failures.begin(), job.failures.end());
  write_event("job_finished",
              ports::EventFields{}.add("job", id).add("status", static_cast<int>(job.end.status)).add("tasks", job.totals.tasks));
  ended_jobs_ += 1;
  ended_tasks_ += job.totals.tasks;
  ended_failures_ += job.totals.failed_attempts;
  tools_.events->summarize(
      ports::EventFields{}.add("jobs", ended_jobs_).add("tasks", ended_tasks_).add("failed_attempts", ended_failures_));
  if (job.client) self_->send(job.client, job.end);
  const bool has_leftovers = job.end.status != JobStatus::succeeded || !job.live_sets.empty();
  forget_shuffles(job);
  for (const auto& key : job.sets) forget_set(key, has_leftovers);
  for (const auto& [part, stage] : job.parts) job_of_part_.erase(part);
  ending_jobs_.erase(id);
  jobs_.erase(id);
  forget_lost_executors();
  arm_tick(tools_.clock->now());
}

void Driver::forget_set(policies::TaskSetKey key, bool is_urgent) {
  const auto position = sets_.find(key);
  if (position == sets_.end()) return;
  for (auto& [executor, entry] : executors_) forget_stage(entry, position->second.key, is_urgent);
  // Attempts that outlive their job still hold slots: the Driver knows their set until the last of them has ended.
  if (!position->second.is_live) sets_.erase(position);
}

void Driver::forget_shuffles(const JobRecord& job) {
  job.plan.forget_datasets(stage_scheduler_);
  for (const auto& [shuffle, planned] : job.plan.shuffles()) {
    forget_outputs(shuffle);
    if (settings_.allocation.dynamic) allocation_.on_shuffle_cleaned(shuffle);
  }
}

}  // namespace heddle::actors
