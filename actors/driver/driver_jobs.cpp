// The Driver's jobs until they run: submitted, their outputs prepared, enough slots waited for, cancelled.
#include <fmt/format.h>

#include <algorithm>

#include "actors/driver/driver.hpp"

namespace heddle::actors {
namespace {

/// In Spark's words.
constexpr const char* executors_of_stages_are_fixed =
    "ResourceProfiles are only supported on YARN and Kubernetes and Standalone with dynamic allocation enabled.";

OutputPrepared prepare_outputs(ports::OutputCommit& commit, const std::vector<std::string>& paths, std::int32_t attempt,
                               JobId id) {
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const auto made = commit.set_up(paths[i], paths, attempt);
    if (made) continue;
    OutputPrepared answer{id, OutputFound::refused, made.error().text};
    const std::vector<std::string> ours(paths.begin(), paths.begin() + static_cast<std::ptrdiff_t>(i));
    if (ours.empty()) return answer;
    if (const auto removed = commit.abort(ours, attempt); !removed)
      answer.text += "; what was made before it stays: " + removed.error().text;
    return answer;
  }
  return {id, OutputFound::ready, {}};
}

OutputPrepared take_over_outputs(ports::OutputCommit& commit, const std::vector<std::string>& paths,
                                 std::int32_t attempt, JobId id) {
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
  if (plan && !settings_.allocation.dynamic && plan->names_executors())
    plan = Error{Errc::refused, executors_of_stages_are_fixed};
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
  const auto paths = job.plan.output_paths();
  if (paths.empty()) {
    start_when_ready(job);
  } else {
    job.is_being_prepared = true;
    const bool is_known_to_others = message.earlier_drivers > 0;
    ports_.background->run([commit = ports_.commit, paths, attempt = settings_.application_attempt, id,
                            driver = DriverActor{self_}, is_known_to_others] {
      caf::anon_send(driver, is_known_to_others ? take_over_outputs(*commit, paths, attempt, id)
                                                : prepare_outputs(*commit, paths, attempt, id));
    });
  }
  arm_tick(tools_.clock->now());
}

void Driver::on_output_prepared(const OutputPrepared& message) {
  const auto position = jobs_.find(message.job);
  if (position == jobs_.end() || !position->second.is_being_prepared) return;
  auto& job = position->second;
  job.is_being_prepared = false;
  const bool is_wanted =
      job.phase == JobPhase::preparing;  // else it was cancelled meanwhile, and its outputs are to go
  switch (message.found) {
    case OutputFound::ready:
      for (const auto stage : job.plan.result_stages())
        if (job.plan.stage(stage).output)
          job.winners[stage].resize(static_cast<std::size_t>(job.plan.partitions(stage)));
      return is_wanted ? start_when_ready(job) : finish_ended_jobs(tools_.clock->now());
    case OutputFound::refused:
      return is_wanted ? fail_job(job, JobStatus::failed, message.text) : finish_ended_jobs(tools_.clock->now());
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
      write_event("executors_ready",
                  ports::EventFields{}.add("registered", executors_.live()).add("expected", executors_expected_));
  }
  std::vector<JobId> waiting;
  for (const auto& [id, job] : jobs_)
    if (job.phase == JobPhase::waiting) waiting.push_back(id);
  for (const auto id : waiting)  // the start of one may end another
    if (const auto job = jobs_.find(id); job != jobs_.end() && job->second.phase == JobPhase::waiting)
      start_when_slots_suffice(job->second);
}

/// Spark's check of barrier stages before a job begins (SPARK-24819): looked at again and again, and given up after so
/// many times.
void Driver::start_when_slots_suffice(JobRecord& job) {
  auto lack = lack_of_slots(job);
  if (lack.empty()) return start_job(job);
  if (++job.slot_checks > settings_.barrier_check_failures_max)
    return fail_job(job, JobStatus::failed, std::move(lack));
  const auto now = tools_.clock->now();
  job.phase = JobPhase::waiting;
  job.slots_due = now + settings_.barrier_check_interval;
  short_of_slots_.insert(job.id);
  arm_tick(now);
}

std::string Driver::lack_of_slots(const JobRecord& job) {
  for (std::int32_t stage = 0; stage < std::ssize(job.plan.graph().stages); ++stage) {
    if (!job.plan.is_barrier(stage)) continue;
    const auto cores = job.plan.task_cores(stage);
    const auto slots = slots_for(cores > 0 ? cores : settings_.task_scheduler.task_cores);
    if (job.plan.partitions(stage) > slots)
      return fmt::format(
          "barrier stage '{}' requires more slots than the cluster has now: {} for its tasks, {} are there",
          job.plan.stage(stage).name, job.plan.partitions(stage), slots);
  }
  return {};
}

std::int64_t Driver::slots_for(std::int32_t task_cores) {
  const auto [total, is_new] = slots_by_task_cores_.try_emplace(task_cores, 0);
  if (is_new)
    for (const auto& [id, entry] : executors_)
      if (entry.has_place()) total->second += entry.devices.slots(settings_.devices, entry.cores, task_cores);
  return total->second;
}

void Driver::count_slots(const ExecutorEntry& entry, std::int32_t sign) {
  if (!entry.has_place()) return;
  for (auto& [task_cores, total] : slots_by_task_cores_)
    total += sign * entry.devices.slots(settings_.devices, entry.cores, task_cores);
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
  for (std::int32_t stage = 0; stage < std::ssize(job.plan.graph().stages); ++stage)
    job.plan.set_profile(stage, profile_of(job.plan, stage));
  job.plan.add_to(stage_scheduler_, [this](const std::vector<TaskSplit>& splits) { return places_of(splits); });
  for (const auto& [shuffle, planned] : job.plan.shuffles())
    next_shuffle_ = std::max(next_shuffle_, ShuffleId{shuffle.value + 1});
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
    stage_scheduler_.on_submit_job(now, part, plan.dataset(stage), {policies::IndexRange{0, plan.partitions(stage)}},
                                   effects);
    std::vector<policies::JobStage> stages;
    for (const auto& [id_of_stage, shuffle] : stage_scheduler_.stages_of(part))
      stages.push_back({id_of_stage, shuffle});
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
    if (const auto job = jobs_.find(id); job != jobs_.end())
      fail_job(job->second, JobStatus::failed, "the application ends");
  for (auto& [id, entry] : executors_)
    if (entry.handle) self_->send(entry.handle, StopExecutor{"the application ends"});
  if (executor_source_) self_->send(executor_source_, *stop_);
}

}  // namespace heddle::actors
