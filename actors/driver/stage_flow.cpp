#include "actors/driver/stage_flow.hpp"

#include <fmt/format.h>

#include <array>

#include "actors/driver/input_sizes.hpp"
#include "actors/driver/job_flow.hpp"
#include "actors/driver/offer_flow.hpp"
#include "policies/tasks/adaptive_locality/expected_task_shares.hpp"

namespace heddle::actors {
namespace {

/// Formats a size as Spark does: a unit is used from 2 of it on. Example: 2047 MiB, but 2.0 GiB.
std::string size_text(std::int64_t bytes) {
  constexpr std::array<const char*, 7> units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; size >= 2048 && unit + 1 < units.size(); ++unit) size /= 1024;
  return fmt::format("{:.1f} {}", size, units.at(unit));
}

TaskSetRecord record_of(const DriverSettings& settings, const JobRecord& job, const policies::SubmitTaskSet& set) {
  TaskSetRecord record;
  record.key = {job.id, set.stage, set.attempt};
  record.stage = job.datasets.stage_of(set.dataset);
  record.root = job.plan.root_of(record.stage);
  record.kind = set.kind == policies::StageKind::map ? policies::TaskSetKind::map : policies::TaskSetKind::result;
  record.partitions = set.partitions;
  record.tasks = set.tasks;
  for (std::int32_t next = 0; const auto& range : set.partitions) {
    record.first_index.push_back(next);
    next += range.count;
  }
  record.work = job.plan.program_of(record.stage, set.shuffle);
  record.work.key = record.key;
  record.work.application = settings.application;
  record.work.application_attempt = settings.application_attempt;
  record.is_barrier = set.is_barrier;
  return record;
}

/// Adds the stage to the progress of its job, or resets the row of an earlier stage attempt.
void begin_progress(JobRecord& job, const TaskSetRecord& record, StageId stage, Instant now) {
  auto& progress = job.progress[record.stage];
  progress.stage = stage;
  progress.name = record.work.name;
  progress.tasks = job.plan.partitions(record.stage);
  progress.locality.resize(5);
  progress.is_done = false;
  job.times.try_emplace(record.stage, JobRecord::StageTimes{now, {}}).first->second.ended.reset();
}

void forget_task_times(Turn& turn) { turn.state.executors.forget_task_times(); }

void submit_task_set(Turn& turn, const policies::SubmitTaskSet& set) {
  auto& state = turn.state;
  auto* job = state.jobs.owner_of(set.job);
  if (job == nullptr) return;
  TaskSetRecord record = record_of(state.settings, *job, set);
  begin_progress(*job, record, set.stage, turn.now);
  turn.write_event("stage_submitted", ports::EventFields{}
                                          .add("job", job->id)
                                          .add("stage", set.stage)
                                          .add("attempt", set.attempt)
                                          .add("tasks", set.tasks));
  policies::TaskSetDescription description{{set.stage, set.attempt},
                                           set.job,
                                           record.kind,
                                           job->plan.graph().pool,
                                           set.tasks,
                                           set.partitions,
                                           set.places,
                                           job->plan.task_cores(record.stage)};
  description.is_barrier = set.is_barrier;
  record.task_binary_bytes = description.task_binary_bytes = state.work.encoded_bytes(record.work);
  if (state.work.fault) record.fault = state.work.fault(record.work);
  if (!record.fault.empty()) description.task_binary_bytes = -1;
  description.need = state.requests.need_of(job->datasets.profile(record.stage));
  if (state.settings.task_scheduler.adaptive)
    description.expected_shares =
        policies::expected_task_shares(input_sizes(record, job->plan, state.stage_scheduler->outputs()));
  state.jobs.add_set(*job, std::move(record));
  state.rounds.on_task_set(turn.now);
  policies::TaskSchedulerEffects effects;
  state.task_scheduler.apply(turn.now, task_input::TaskSetSubmitted{description}, effects);
  turn.effects.push(std::move(effects));
  turn.effects.push(Step{forget_task_times});
  turn.effects.push(Step{request_full_round});
}

void describe_failure(Turn& turn, const policies::JobFailed& failed) {
  auto* job = turn.state.jobs.owner_of(failed.job);
  const bool is_barrier = failed.failure == policies::JobFailure::barrier_failures ||
                          failed.failure == policies::JobFailure::barrier_result;
  if (job == nullptr || !job->end.text.empty()) return;
  job->end.text = is_barrier ? job->barrier.failure : "map outputs could not be fetched in several attempts of a stage";
  if (!is_barrier) return;
  job->end.exit_code = job->barrier.outcome.exit_code;
  job->end.failure = job->barrier.outcome.failure;
}

void kill_stage(Turn& turn, StageId stage) {
  policies::TaskSchedulerEffects effects;
  turn.state.task_scheduler.apply(turn.now, task_input::StageKilled{stage}, effects);
  turn.effects.push(std::move(effects));
}

void complete_stage(Turn& turn, const policies::StageCompleted& completed) {
  auto& state = turn.state;
  turn.write_event("stage_completed", ports::EventFields{}
                                          .add("stage", completed.stage)
                                          .add("attempt", completed.attempt)
                                          .add("succeeded", completed.succeeded));
  state.allocation.apply(turn.now, allocation_input::StageEnded{completed.stage, completed.attempt});
  const auto* set = state.jobs.find_set({completed.stage, completed.attempt});
  auto* job = set == nullptr ? nullptr : state.jobs.job_of(*set);
  if (job == nullptr) return;
  // A job without outputs ends with its last result stage, and the end of a job is reported too.
  const bool ends_job = completed.succeeded && set->kind == policies::TaskSetKind::result && job->winners.empty() &&
                        job->result_jobs.size() == 1;
  if (!ends_job) report_progress(turn, *job);
}

}  // namespace

void apply(Turn& turn, const policies::StageEffect& effect) {
  auto& state = turn.state;
  if (const auto* set = std::get_if<policies::SubmitTaskSet>(&effect)) {
    submit_task_set(turn, *set);
  } else if (const auto* submitted = std::get_if<policies::StageSubmitted>(&effect)) {
    policies::AllocationEffects effects;
    state.allocation.apply(turn.now,
                           allocation_input::StageBegun{submitted->stage, submitted->attempt, submitted->tasks,
                                                        submitted->profile, submitted->partitions, submitted->places},
                           effects);
    turn.effects.push(std::move(effects));
  } else if (const auto* failed = std::get_if<policies::JobFailed>(&effect)) {
    describe_failure(turn, *failed);
  } else if (const auto* ended = std::get_if<policies::JobEnded>(&effect)) {
    end_result_job(turn, ended->job, ended->succeeded);
  } else if (const auto* cancel = std::get_if<policies::CancelStage>(&effect)) {
    kill_stage(turn, cancel->stage);
  } else if (const auto* kill = std::get_if<policies::KillStageAttempts>(&effect)) {
    kill_stage(turn, kill->stage);
  } else if (const auto* done = std::get_if<policies::PartitionDone>(&effect)) {
    policies::TaskSchedulerEffects effects;
    state.task_scheduler.apply(turn.now, task_input::PartitionFinished{done->stage, done->partition}, effects);
    turn.effects.push(std::move(effects));
    turn.effects.push(ArmTick{});
  } else if (const auto* completed = std::get_if<policies::StageCompleted>(&effect)) {
    complete_stage(turn, *completed);
  } else if (std::holds_alternative<policies::ResubmitScheduled>(effect)) {
    turn.effects.push(ArmTick{});
  }
}

void describe_failure(Turn& turn, const policies::TaskSetFailed& failed) {
  const auto& settings = turn.state.settings;
  const auto* set = turn.state.jobs.find_set(failed.set);
  auto* job = set == nullptr ? nullptr : turn.state.jobs.job_of(*set);
  if (job == nullptr || !job->end.text.empty()) return;
  auto& end = job->end;
  if (failed.failure == policies::SetFailure::excluded_everywhere) {
    end.text = fmt::format("stage '{}' can run nowhere: task {} is excluded from every executor", set->work.name,
                           failed.index);
    return;
  }
  if (failed.failure == policies::SetFailure::results_too_large) {
    end.text = fmt::format(
        "stage '{}': Total size of serialized results of {} tasks ({}) is bigger than spark.driver.maxResultSize ({})",
        set->work.name, failed.results, size_text(failed.result_bytes),
        size_text(settings.task_scheduler.result_bytes_max));
    return;
  }
  if (failed.failure == policies::SetFailure::no_task_binary) {
    end.text = fmt::format("stage '{}' cannot be sent to executors: {}", set->work.name, set->fault);
    return;
  }
  if (failed.failure == policies::SetFailure::task_binary_too_large) {
    end.text = fmt::format(
        "stage '{}': its task binary ({}) is too large to send to executors: heddle.rpc.message.max_size is {}; pass "
        "large values as files, or raise the setting",
        set->work.name, size_text(set->task_binary_bytes), size_text(settings.task_scheduler.task_binary_bytes_max));
    return;
  }
  if (failed.failure == policies::SetFailure::barrier_not_placed) {
    end.text = fmt::format(
        "barrier stage '{}': one round could not launch all of its tasks, and with heddle.locality.wait.legacy_reset "
        "no "
        "later round may; set it to false",
        set->work.name);
    return;
  }
  end.exit_code = set->last_failure.exit_code;
  end.failure = set->last_failure.failure;
  if (failed.failure == policies::SetFailure::unreachable) {
    end.text = fmt::format("stage '{}': the file system of task {} stays unreachable; last on {}: {}", set->work.name,
                           set->partition_of(failed.index), set->last_failure_place, set->last_failure.text);
    return;
  }
  end.text = fmt::format("stage '{}': task {} failed {} time{}; last on {}: {}", set->work.name,
                         set->partition_of(failed.index), settings.task_scheduler.max_failures,
                         settings.task_scheduler.max_failures == 1 ? "" : "s", set->last_failure_place,
                         set->last_failure.text);
}

void warn_of_large_task_binary(Turn& turn, const policies::LargeTaskBinary& large) {
  const auto* set = turn.state.jobs.find_set(large.set);
  if (set == nullptr) return;
  turn.write_event("large_task_binary", ports::EventFields{}
                                            .add("stage", large.set.stage)
                                            .add("attempt", large.set.attempt)
                                            .add("bytes", set->task_binary_bytes));
  turn.notify_clients(fmt::format(
      "stage '{}': its task binary, sent to each executor, is very large ({} KiB); at most {} KiB is recommended",
      set->work.name, set->task_binary_bytes / 1024, policies::task_binary_bytes_recommended / 1024));
}

}  // namespace heddle::actors
