#include "actors/driver/job_flow.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "actors/driver/executor_flow.hpp"
#include "policies/stages/barrier_admission.hpp"

namespace heddle::actors {
namespace {

constexpr Duration longest_wait_for_attempts = std::chrono::seconds{3};

/// Error text of Spark.
constexpr const char* executors_of_stages_are_fixed =
    "ResourceProfiles are only supported on YARN and Kubernetes and Standalone with dynamic allocation enabled.";

std::shared_ptr<const PreferredLocationLists> places_of(Turn& turn, const std::vector<TaskSplit>& splits) {
  auto lists = std::make_shared<PreferredLocationLists>();
  std::vector<PreferredLocation> places;
  for (const auto& split : splits) {
    places.clear();
    const auto& cached = split.split.cached_hosts;
    for (const auto& host : split.split.hosts) {
      auto& place = places.emplace_back(turn.host_id(host));
      if (std::find(cached.begin(), cached.end(), host) != cached.end())
        place.kind = PreferredLocation::Kind::cached_on_host;
    }
    lists->add(places);
  }
  return lists->is_blank() ? nullptr : lists;
}

/// The resource profile of a stage, which selects its executors. executor_cores 0: the default profile.
ProfileId profile_of(Turn& turn, const policies::JobPlan& plan, std::int32_t stage) {
  auto& state = turn.state;
  const auto& description = plan.stage(stage);
  if (description.executor_cores == 0) return policies::ResourceProfiles::standard;
  const auto [profile, is_new] =
      state.requests.profile_of(description.executor_cores, description.executor_memory_mib, plan.task_cores(stage));
  if (!is_new) return profile;
  const auto tasks = state.requests.tasks_per_executor(profile);
  state.allocation.apply(turn.now, allocation_input::ProfileDescribed{profile, tasks});
  turn.write_event("profile_added", ports::EventFields{}
                                        .add("profile", profile)
                                        .add("executor_cores", description.executor_cores)
                                        .add("executor_memory_mib", description.executor_memory_mib)
                                        .add("tasks_per_executor", tasks));
  return profile;
}

/// Why a barrier stage of the job cannot run on the registered executors; empty if all can.
std::string barrier_slot_shortage(DriverState& state, const JobRecord& job) {
  std::vector<policies::BarrierStageSlots> stages;
  for (std::int32_t stage = 0; stage < job.plan.stages(); ++stage) {
    if (!job.plan.is_barrier(stage)) continue;
    const auto cores = job.plan.task_cores(stage);
    stages.push_back({stage, job.plan.partitions(stage),
                      state.executors.slots_for(cores > 0 ? cores : state.settings.task_scheduler.task_cores)});
  }
  const auto shortage = policies::first_shortage(stages);
  if (!shortage) return {};
  return fmt::format("barrier stage '{}' requires more slots than the cluster has now: {} required, {} available",
                     job.plan.stage(shortage->stage).name, shortage->tasks, shortage->slots);
}

void start_job(Turn& turn, JobRecord& job) {
  auto& state = turn.state;
  state.jobs.enter(job, JobPhase::running);
  std::vector<ProfileId> profiles;
  for (std::int32_t stage = 0; stage < job.plan.stages(); ++stage)
    profiles.push_back(profile_of(turn, job.plan, stage));
  job.datasets = JobDatasets{std::move(profiles), state.settings.map_outputs.reduce_locality};
  job.datasets.add_to(state.stage_scheduler, turn.now, job.plan,
                      [&turn](const std::vector<TaskSplit>& splits) { return places_of(turn, splits); });
  state.jobs.number_shuffles(job.plan);
  for (const auto stage : job.plan.result_stages()) {
    const auto result_job = state.jobs.add_result_job(job, stage);
    turn.effects.push(StartResultJob{job.id, result_job, stage});
  }
}

/// Checks the slots of barrier stages before a job starts, as Spark does (SPARK-24819). Repeats a failed check after
/// heddle.barrier.check_interval, up to a limit.
void start_if_slots_suffice(Turn& turn, JobRecord& job) {
  auto& state = turn.state;
  auto shortage = barrier_slot_shortage(state, job);
  if (!shortage.empty()) ++job.barrier.slot_checks;
  switch (policies::admit(!shortage.empty(), job.barrier.slot_checks, state.settings.barrier.failures_max)) {
    case policies::BarrierAdmission::start: return start_job(turn, job);
    case policies::BarrierAdmission::fail: return fail_job(turn, job, JobStatus::failed, std::move(shortage));
    case policies::BarrierAdmission::check_again:
      state.jobs.wait_for_slots(job, turn.now + state.settings.barrier.interval);
      turn.effects.push(ArmTick{});
  }
}

void start_when_ready(Turn& turn, JobRecord& job) {
  if (turn.state.gate.is_open()) return start_if_slots_suffice(turn, job);
  turn.state.jobs.enter(job, JobPhase::waiting);
  start_waiting_jobs(turn);
}

void commit_job(Turn& turn, JobRecord& job) {
  turn.state.jobs.enter(job, JobPhase::committing);
  job.end.status = JobStatus::succeeded;
  CommitOutputs commit{job.id, {}};
  for (auto& [stage, winners] : job.winners) {
    std::erase(winners, std::string{});  // of maps that were let fail
    commit.outputs.push_back(
        {job.plan.stage(stage).output->path, job.plan.stage(stage).output->lazy, std::move(winners)});
  }
  if (commit.outputs.empty()) turn.effects.push(CommitDone{job.id});
  else turn.effects.push(std::move(commit));
}

void check_barrier_slots(Turn& turn, bool is_early) {
  for (const auto id : turn.state.jobs.waiting_for_slots()) turn.effects.push(CheckBarrierSlots{id, is_early});
}

void forget_shuffles(Turn& turn, const JobRecord& job) {
  auto& state = turn.state;
  job.datasets.forget(state.stage_scheduler, turn.now);
  for (const auto& [shuffle, planned] : job.plan.shuffles()) {
    state.broadcast.forget_shuffle(shuffle);
    state.migration.forget(shuffle);
    if (state.settings.allocation.dynamic) state.allocation.apply(turn.now, allocation_input::ShuffleDropped{shuffle});
  }
}

void finish_job(Turn& turn, JobRecord& job) {
  auto& state = turn.state;
  for (auto& [stage, progress] : job.progress) progress.is_done = true;
  report_progress(turn, job);
  job.end.totals = job.totals;
  job.end.totals.counters.assign(job.accepted.counters().begin(), job.accepted.counters().end());
  job.map_reduce.counters.add_to(job.end.totals.counters);
  job.end.totals.failures.assign(job.failures.begin(), job.failures.end());
  turn.write_event("job_finished", ports::EventFields{}
                                       .add("job", job.id)
                                       .add("status", static_cast<int>(job.end.status))
                                       .add("tasks", job.totals.tasks));
  if (job.has_client) {
    turn.effects.push(SendToClient{job.id, job.end});
    turn.effects.push(DisconnectClient{job.id});
  }
  const bool has_leftovers = job.end.status != JobStatus::succeeded || !job.live_sets.empty();
  forget_shuffles(turn, job);
  for (const auto& key : job.sets) forget_set(turn, key, has_leftovers);
  const bool has_shuffles = !job.plan.shuffles().empty();
  state.jobs.remove(job.id);
  const auto& totals = state.jobs.totals();
  state.events->summarize(ports::EventFields{}
                              .add("jobs", totals.jobs)
                              .add("tasks", totals.tasks)
                              .add("failed_attempts", totals.failed_attempts));
  if (has_shuffles) {
    auto message = state.jobs.removable_shuffles({});
    for (const auto& [id, entry] : state.executors) {
      if (!entry.is_live()) continue;
      message.epoch = entry.epoch;
      turn.post(id, message);
    }
  }
  forget_lost_executors(turn);
  turn.effects.push(ArmTick{});
}

/// The plan of a job; an error if the graph cannot run here.
Result<policies::JobPlan> make_plan(const DriverSettings& settings, JobPackage package) {
  auto plan = policies::JobPlan::make(std::move(package));
  if (plan && !settings.allocation.dynamic && plan->names_executors())
    return Error{Errc::refused, executors_of_stages_are_fixed};
  return plan;
}

void record_submission(Turn& turn, const JobRecord& job, std::size_t stages) {
  turn.write_event("job_submitted", ports::EventFields{}.add("job", job.id).add("stages", stages));
}

/// Has the output folders of the job created, then starts it.
void prepare_job(Turn& turn, JobRecord& job) {
  auto paths = job.plan.output_paths();
  if (paths.empty()) return start_when_ready(turn, job);
  job.is_being_prepared = true;
  turn.effects.push(PrepareOutputs{job.id, std::move(paths), job.earlier_drivers > 0});
}

}  // namespace

// -- submission --------------------------------------------------------------------------------

void submit_job(Turn& turn, SubmitJob& message, bool has_client) {
  auto& state = turn.state;
  JobRecord record;
  record.id = state.jobs.assign_id();
  record.has_client = has_client;
  record.earlier_drivers = message.earlier_drivers;
  record.totals.locality.assign(5, 0);
  record.end.job = record.id;
  if (has_client) turn.effects.push(ReplyToClient{JobAccepted{message.request, record.id}});
  const bool is_in_file = !message.package_file.empty();
  const auto stages = message.package.graph.stages.size();
  auto plan = is_in_file ? policies::JobPlan{} : make_plan(state.settings, std::move(message.package));
  if (!plan || state.requests.stopped()) {
    record.end.text = plan ? "the application is stopping; it accepts no more jobs" : plan.error().text;
    if (has_client) turn.effects.push(ReplyToClient{std::move(record.end)});
    return;
  }
  record.plan = std::move(*plan);
  auto& job = state.jobs.add(std::move(record));
  if (has_client) turn.effects.push(ConnectClient{job.id});
  if (is_in_file) {
    job.is_being_prepared = true;
    turn.effects.push(ReadPackage{job.id, std::move(message.package_file)});
  } else {
    record_submission(turn, job, stages);
    prepare_job(turn, job);
  }
  turn.effects.push(ArmTick{});
}

void handle_package_read(Turn& turn, PackageRead& message) {
  auto* job = turn.state.jobs.find(message.job);
  if (job == nullptr || !job->is_being_prepared || job->plan.stages() > 0) return;
  job->is_being_prepared = false;
  record_submission(turn, *job, message.package.graph.stages.size());
  if (job->phase != JobPhase::preparing) return abort_stopped_jobs(turn);  // it was cancelled or failed meanwhile
  auto plan = message.text.empty() ? make_plan(turn.state.settings, std::move(message.package))
                                   : Result<policies::JobPlan>{Error{Errc::refused, message.text}};
  if (!plan) return fail_job(turn, *job, JobStatus::failed, plan.error().text);
  job->plan = std::move(*plan);
  prepare_job(turn, *job);
  turn.effects.push(ArmTick{});
}

void handle_output_prepared(Turn& turn, const OutputPrepared& message) {
  auto& state = turn.state;
  auto* job = state.jobs.find(message.job);
  if (job == nullptr || !job->is_being_prepared) return;
  job->is_being_prepared = false;
  const bool is_wanted = job->phase == JobPhase::preparing;  // false: the job was cancelled or failed meanwhile
  switch (message.found) {
    case OutputFound::ready:
      for (const auto stage : job->plan.result_stages())
        if (job->plan.stage(stage).output)
          job->winners[stage].resize(static_cast<std::size_t>(job->plan.partitions(stage)));
      return is_wanted ? start_when_ready(turn, *job) : abort_stopped_jobs(turn);
    case OutputFound::refused:
      if (!is_wanted) return abort_stopped_jobs(turn);
      job->end.failure = message.failure;
      return fail_job(turn, *job, JobStatus::failed, message.text);
    case OutputFound::committed:
      turn.notify_clients(
          "the Driver of an earlier attempt had decided to commit the output; this Driver completes it");
      state.jobs.enter(*job, JobPhase::committing);
      job->end.status = JobStatus::succeeded;
      job->end.text.clear();
      turn.effects.push(CommitDone{job->id});
  }
}

void cancel_job(Turn& turn, const CancelJob& message) {
  if (auto* job = turn.state.jobs.find(message.job)) fail_job(turn, *job, JobStatus::cancelled, message.reason);
}

void stop_driver(Turn& turn, const StopDriver& message) {
  auto& state = turn.state;
  if (state.requests.stopped()) return;
  state.requests.stop({message.succeeded, message.text});
  turn.write_event("driver_stopping", ports::EventFields{}.add("succeeded", message.succeeded));
  for (const auto id : state.jobs.ids())
    turn.effects.push(FailJob{id, JobStatus::failed, "the application was stopped before the job finished"});
  for (const auto& [id, entry] : state.executors)
    if (entry.is_live()) turn.post(id, StopExecutor{"the application is stopping"});
  if (state.requests.has_source()) turn.effects.push(SendToSource{*state.requests.stopped()});
}

// -- start ---------------------------------------------------------------------------------------

void start_waiting_jobs(Turn& turn) {
  auto& state = turn.state;
  if (!state.gate.is_open()) {
    if (!state.gate.open_with(state.executors.live(), turn.now)) return turn.effects.push(ArmTick{});
    if (state.gate.ratio_min() > 0)
      turn.write_event(
          "executors_ready",
          ports::EventFields{}.add("registered", state.executors.live()).add("expected", state.gate.expected()));
  }
  for (const auto id : state.jobs.waiting()) turn.effects.push(StartWaitingJob{id});
}

void apply(Turn& turn, const StartWaitingJob& step) {
  auto* job = turn.state.jobs.find(step.job);
  if (job != nullptr && job->phase == JobPhase::waiting) start_if_slots_suffice(turn, *job);
}

void check_barrier_slots_in_time(Turn& turn) { check_barrier_slots(turn, false); }

void check_barrier_slots_early(Turn& turn) { check_barrier_slots(turn, true); }

void apply(Turn& turn, const CheckBarrierSlots& step) {
  auto& state = turn.state;
  if (!state.jobs.is_waiting_for_slots(step.job)) return;  // an effect before this one started or ended the job
  auto& job = *state.jobs.find(step.job);
  if (*job.barrier.slots_due <= turn.now || (step.is_early && barrier_slot_shortage(state, job).empty()))
    start_if_slots_suffice(turn, job);
}

/// A result job without tasks ends at once. If that ends the whole job, its other result jobs are not started.
void apply(Turn& turn, const StartResultJob& step) {
  auto& state = turn.state;
  const auto* job = state.jobs.find(step.job);
  if (job == nullptr || job->phase != JobPhase::running) return;
  policies::StageEffects effects;
  state.stage_scheduler.apply(
      turn.now,
      stage_input::JobSubmitted{
          step.result_job, job->datasets.of(step.stage), {IndexRange{0, job->plan.partitions(step.stage)}}},
      effects);
  std::vector<policies::JobStage> stages;
  for (const auto& [stage, shuffle] : state.stage_scheduler->stages_of(step.result_job))
    stages.push_back({stage, shuffle});
  state.allocation.apply(turn.now, allocation_input::JobBegun{step.result_job, stages});
  turn.effects.push(std::move(effects));
}

// -- ends ----------------------------------------------------------------------------------------

void end_result_job(Turn& turn, JobId result_job, bool succeeded) {
  auto* job = turn.state.jobs.owner_of(result_job);
  turn.state.jobs.remove_result_job(result_job);
  turn.state.allocation.apply(turn.now, allocation_input::JobDone{result_job});
  if (job == nullptr || job->phase != JobPhase::running) return;
  if (!succeeded) fail_job(turn, *job, JobStatus::failed, job->end.text);
  else if (job->result_jobs.empty()) commit_job(turn, *job);
}

void apply(Turn& turn, const FailJob& step) {
  if (auto* job = turn.state.jobs.find(step.job)) fail_job(turn, *job, step.status, step.text);
}

void fail_job(Turn& turn, JobRecord& job, JobStatus status, std::string text) {
  const auto is_ending =
      job.phase == JobPhase::stopping || job.phase == JobPhase::committing || job.phase == JobPhase::aborting;
  if (is_ending) return;
  turn.state.jobs.stop(job, status, std::move(text), turn.now + longest_wait_for_attempts);
  for (const auto& [result_job, stage] : job.result_jobs) turn.effects.push(CancelResultJob{result_job});
  turn.effects.push(ArmTick{});
  turn.effects.push(Step{abort_stopped_jobs});
}

void apply(Turn& turn, const CancelResultJob& step) {
  policies::StageEffects effects;
  turn.state.stage_scheduler.apply(turn.now, stage_input::JobCancelled{step.result_job}, effects);
  turn.effects.push(std::move(effects));
}

void abort_stopped_jobs(Turn& turn) {
  for (const auto id : turn.state.jobs.start_aborts(turn.now)) {
    const auto& job = *turn.state.jobs.find(id);
    if (job.winners.empty()) turn.effects.push(CommitDone{id});  // no folder was created: existing folders are not ours
    else turn.effects.push(AbortOutputs{id, job.plan.output_paths()});
  }
}

void handle_job_committed(Turn& turn, const JobCommitted& message) {
  auto* job = turn.state.jobs.find(message.job);
  if (job == nullptr || (job->phase != JobPhase::committing && job->phase != JobPhase::aborting)) return;
  const bool has_failed = message.failure != FailureKind::none;
  if (has_failed && job->end.status == JobStatus::succeeded) {
    job->end.status = JobStatus::failed;
    job->end.failure = message.failure;
    job->end.text = "the output could not be committed: " + message.text;
  } else if (has_failed) {
    job->end.text += "; its incomplete output could not be removed: " + message.text;
  } else if (!message.text.empty()) {
    turn.notify_clients(message.text);
  }
  finish_job(turn, *job);
}

void forget_set(Turn& turn, policies::TaskSetKey key, bool is_urgent) {
  auto& state = turn.state;
  const auto* set = state.jobs.find_set(key);
  if (set == nullptr) return;
  for (auto& [id, entry] : state.executors) unload_stage(turn, id, entry, set->key, is_urgent);
  // Task attempts that still run hold slots: the Driver keeps their set until the last one has ended.
  if (!set->is_live) state.jobs.remove_set(key);
}

void forget_lost_executors(Turn& turn) {
  for (const auto id : turn.state.executors.forget_lost(turn.state.jobs.first()))
    turn.state.broadcast.forget_reader(id);
}

// -- progress ------------------------------------------------------------------------------------

void report_progress(Turn& turn, JobRecord& job) {
  if (!job.has_client) return;
  auto& state = turn.state;
  std::map<std::int32_t, std::int32_t> running;
  for (const auto& key : job.live_sets)
    if (const auto* set = state.jobs.find_set(key))
      if (const auto live = state.task_scheduler->progress(key)) running[set->stage] += live->running;
  auto message = ProgressReports::report(job, turn.now, running);
  message.executors = state.executors.live();
  message.executors_wanted = state.requests.target_total();
  if (message.executors == 0 && message.executors_wanted > 0) {
    message.waiting = fmt::format("no executor has registered yet; {} requested", message.executors_wanted);
  } else if (state.jobs.is_waiting_for_slots(job.id)) {
    message.waiting = barrier_slot_shortage(state, job);
  } else if (!job.live_sets.empty()) {
    const auto explanation = state.task_scheduler->explain(turn.now, *job.live_sets.begin());
    if (explanation.refusal != policies::TaskRefusal::none) message.waiting = explanation.text;
  }
  turn.effects.push(SendToClient{job.id, std::move(message)});
}

}  // namespace heddle::actors
