// The Driver's stages: what the stage scheduler says is carried out, its task sets are submitted, and why one failed is
// put in words.
#include <fmt/format.h>

#include <array>

#include "actors/driver/driver.hpp"
#include "actors/driver/input_sizes.hpp"
#include "caf_compat/encoded_bytes.hpp"
#include "policies/tasks/adaptive_locality/expected_task_shares.hpp"

namespace heddle::actors {
namespace {

/// As Spark writes sizes: a unit from two of it on.
std::string size_text(std::int64_t bytes) {
  constexpr std::array<const char*, 7> units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; size >= 2048 && unit + 1 < units.size(); ++unit) size /= 1024;
  return fmt::format("{:.1f} {}", size, units.at(unit));
}

}  // namespace

void Driver::carry_out(policies::StageEffects& effects) {
  const auto now = tools_.clock->now();
  const auto kill_stage = [&](StageId stage) {
    policies::TaskSchedulerEffects task_effects;
    task_scheduler_.kill_stage(now, stage, task_effects);
    carry_out(now, task_effects);
  };
  for (auto& effect : effects) {
    if (const auto* set = std::get_if<policies::SubmitTaskSet>(&effect)) {
      submit_task_set(*set);
    } else if (const auto* submitted = std::get_if<policies::StageSubmitted>(&effect)) {
      policies::AllocationEffects wanted;
      allocation_.on_stage_submitted(now, submitted->stage, submitted->attempt, submitted->tasks, submitted->profile,
                                     submitted->partitions, submitted->places, wanted);
      want_executors(wanted);
    } else if (const auto* failed = std::get_if<policies::JobFailed>(&effect)) {
      describe_failure(*failed);
    } else if (const auto* ended = std::get_if<policies::JobEnded>(&effect)) {
      end_part(ended->job, ended->succeeded);
    } else if (const auto* cancel = std::get_if<policies::CancelStage>(&effect)) {
      kill_stage(cancel->stage);
    } else if (const auto* kill = std::get_if<policies::KillStageAttempts>(&effect)) {
      kill_stage(kill->stage);
    } else if (const auto* done = std::get_if<policies::PartitionDone>(&effect)) {
      policies::TaskSchedulerEffects task_effects;
      task_scheduler_.on_partition_done(now, done->stage, done->partition, task_effects);
      carry_out(now, task_effects);
    } else if (const auto* completed = std::get_if<policies::StageCompleted>(&effect)) {
      write_event("stage_completed", ports::EventFields{}
                                         .add("stage", completed->stage)
                                         .add("attempt", completed->attempt)
                                         .add("succeeded", completed->succeeded));
      allocation_.on_stage_completed(completed->stage, completed->attempt);
      if (const auto* over = find_set({completed->stage, completed->attempt}); over != nullptr)
        if (auto job = jobs_.find(over->key.job); job != jobs_.end()) tell_progress(job->second);
    } else if (std::holds_alternative<policies::ResubmitScheduled>(effect)) {
      arm_tick(now);
    }
  }
}

TaskSetRecord Driver::record_of(const JobRecord& job, const policies::SubmitTaskSet& set) const {
  TaskSetRecord record;
  record.key = {job.id, set.stage, set.attempt};
  record.stage = job.plan.stage_of(set.dataset);
  record.root = job.plan.root_of(record.stage);
  record.kind = set.kind == policies::StageKind::map ? policies::TaskSetKind::map : policies::TaskSetKind::result;
  record.partitions = set.partitions;
  record.tasks = set.tasks;
  for (std::int32_t next = 0; const auto& range : set.partitions) {
    record.first_index.push_back(next);
    next += range.count;
  }
  record.work = job.plan.work_of(record.stage, set.shuffle);
  record.work.key = record.key;
  record.work.application = settings_.application;
  record.work.application_attempt = settings_.application_attempt;
  record.is_barrier = set.is_barrier;
  return record;
}

void Driver::submit_task_set(const policies::SubmitTaskSet& set) {
  auto* job = job_of_part(set.job);
  if (job == nullptr) return;
  const auto now = tools_.clock->now();
  TaskSetRecord record = record_of(*job, set);
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
  write_event("stage_submitted", ports::EventFields{}
                                     .add("job", job->id)
                                     .add("stage", set.stage)
                                     .add("attempt", set.attempt)
                                     .add("tasks", set.tasks));
  policies::TaskSetDescription description{key,       set.job,        record.kind, job->plan.graph().pool,
                                           set.tasks, set.partitions, set.places,  job->plan.task_cores(record.stage)};
  description.is_barrier = set.is_barrier;
  record.description_bytes = description.description_bytes = caf_compat::encoded_bytes(self_->system(), record.work);
  if (ports_.fault_of_work) record.fault = ports_.fault_of_work(record.work);
  if (!record.fault.empty()) description.description_bytes = -1;
  description.need = need_of(job->plan.profile(record.stage));
  if (settings_.task_scheduler.adaptive)
    description.expected_shares =
        policies::expected_task_shares(input_sizes(record, job->plan, stage_scheduler_.outputs()));
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

void Driver::describe_failure(const policies::JobFailed& failed) {
  auto* job = job_of_part(failed.job);
  const bool is_barrier = failed.failure == policies::JobFailure::barrier_failures ||
                          failed.failure == policies::JobFailure::barrier_result;
  if (job == nullptr || !job->end.text.empty()) return;
  job->end.text = is_barrier ? job->barrier_failure : "a stage's map outputs could not be fetched, again and again";
  if (!is_barrier) return;
  job->end.exit_code = job->barrier_outcome.exit_code;
  job->end.failure = job->barrier_outcome.failure;
}

void Driver::describe_failure(const policies::TaskSetFailed& failed) {
  const auto* set = find_set(failed.set);
  if (set == nullptr) return;
  const auto position = jobs_.find(set->key.job);
  if (position == jobs_.end() || !position->second.end.text.empty()) return;
  auto& end = position->second.end;
  if (failed.failure == policies::SetFailure::excluded_everywhere) {
    end.text = fmt::format("stage '{}' can run nowhere: task {} is excluded from every executor", set->work.name,
                           failed.index);
    return;
  }
  if (failed.failure == policies::SetFailure::results_too_large) {
    end.text = fmt::format(
        "stage '{}': Total size of serialized results of {} tasks ({}) is bigger than spark.driver.maxResultSize ({})",
        set->work.name, failed.results, size_text(failed.result_bytes),
        size_text(settings_.task_scheduler.result_bytes_max));
    return;
  }
  if (failed.failure == policies::SetFailure::not_describable) {
    end.text = fmt::format("stage '{}' cannot be told to executors: {}", set->work.name, set->fault);
    return;
  }
  if (failed.failure == policies::SetFailure::description_too_large) {
    end.text = fmt::format(
        "stage '{}': what goes ahead of its tasks to each executor ({}) reaches heddle.rpc.message.max_size ({}); give "
        "large values to "
        "tasks as files, or raise it",
        set->work.name, size_text(set->description_bytes), size_text(settings_.task_scheduler.description_bytes_max));
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
  end.text = fmt::format("stage '{}': task {} failed {} time{}; last on {}: {}", set->work.name,
                         set->partition_of(failed.index), settings_.task_scheduler.max_failures,
                         settings_.task_scheduler.max_failures == 1 ? "" : "s", set->last_failure_place,
                         set->last_failure.text);
}

void Driver::warn_of_large(const policies::LargeDescription& large) {
  const auto* set = find_set(large.set);
  if (set == nullptr) return;
  write_event("large_description", ports::EventFields{}
                                       .add("stage", large.set.stage)
                                       .add("attempt", large.set.attempt)
                                       .add("bytes", set->description_bytes));
  tell_notice(fmt::format(
      "stage '{}': what goes ahead of its tasks to each executor is very large ({} KiB); at most {} KiB is recommended",
      set->work.name, set->description_bytes / 1024, policies::description_bytes_recommended / 1024));
}

}  // namespace heddle::actors
