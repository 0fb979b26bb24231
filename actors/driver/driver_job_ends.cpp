// How the Driver's jobs end: parts done or given up, attempts waited for, outputs committed or taken away, everything
// forgotten.
#include "actors/driver/driver.hpp"

namespace heddle::actors {
namespace {

constexpr Duration longest_wait_for_attempts = std::chrono::seconds{3};

}  // namespace

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
  ports_.background->run([commit = ports_.commit, paths = job.plan.output_paths(),
                          attempt = settings_.application_attempt, id = job.id, driver = DriverActor{self_}] {
    JobCommitted answer{id, true, {}};
    if (auto removed = commit->abort(paths, attempt); !removed) answer = {id, false, removed.error().text};
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
  ports_.background->run([commit = ports_.commit, outputs, attempt = settings_.application_attempt, id = job.id,
                          driver = DriverActor{self_}] {
    JobCommitted answer{id, true, {}};
    if (auto done = commit->commit(outputs, attempt); done) answer.text = done->notice;
    else answer = {id, false, done.error().text};
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
  } else if (!message.succeeded) {
    job.end.text += "; what was written of the output could not be removed: " + message.text;
  } else if (!message.text.empty()) {
    tell_notice(message.text);
  }
  finish_job(message.job);
}

void Driver::finish_job(JobId id) {
  auto& job = jobs_.at(id);
  for (auto& [stage, progress] : job.progress) progress.is_done = true;
  tell_progress(job);
  job.end.totals = job.totals;
  job.end.totals.counters.assign(job.accepted.counters().begin(), job.accepted.counters().end());
  job.end.totals.failures.assign(job.failures.begin(), job.failures.end());
  write_event("job_finished", ports::EventFields{}
                                  .add("job", id)
                                  .add("status", static_cast<int>(job.end.status))
                                  .add("tasks", job.totals.tasks));
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
  const bool has_shuffles = !job.plan.shuffles().empty();
  jobs_.erase(id);
  if (has_shuffles) {
    has_removed_shuffles_ = true;
    auto message = removable_shuffles();
    for (auto& [executor, entry] : executors_) {
      if (!entry.handle) continue;
      message.epoch = entry.epoch;
      self_->send(entry.handle, message);
    }
  }
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

/// All shuffles that no job has any more, so that an executor of a node that had none when a job ended removes them,
/// too.
RemoveShuffles Driver::removable_shuffles() const {
  RemoveShuffles message{{}, next_shuffle_, {}};
  for (const auto& [id, job] : jobs_)
    for (const auto& [shuffle, planned] : job.plan.shuffles()) message.except.push_back(shuffle);
  return message;
}

}  // namespace heddle::actors
