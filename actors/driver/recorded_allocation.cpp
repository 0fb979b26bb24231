#include "actors/driver/recorded_allocation.hpp"

#include <utility>

#include "actors/driver/decider_settings_fields.hpp"
#include "runtime/event_log/field_writer.hpp"

namespace heddle::actors {
namespace {

using ports::EventFields;
using runtime::EffectDigest;
using runtime::RunKind;

constexpr RunKind started_run{"allocation_task_started", {"stage", "stage_attempt", "executor", "speculative"}};
constexpr RunKind ended_run{"allocation_task_ended", {"stage", "stage_attempt", "executor", "speculative", "reason"}};
constexpr RunKind copy_run{"allocation_copy_submitted", {"stage", "stage_attempt"}};

EffectDigest digest_from(const policies::AllocationEffects& effects, std::size_t first) {
  EffectDigest digest;
  digest_effects(digest, effects, first);
  return digest;
}

EventFields attempt_fields(StageId stage, std::int32_t attempt) {
  return EventFields{}.add("stage", stage).add("stage_attempt", attempt);
}

}  // namespace

void digest_effects(EffectDigest& digest, const policies::AllocationEffects& effects, std::size_t first) {
  for (auto i = first; i < effects.size(); ++i) {
    digest.add(static_cast<std::int64_t>(effects[i].index()) + 1);
    if (const auto* totals = std::get_if<policies::RequestExecutorTotals>(&effects[i])) {
      digest.add(totals->needs_answer ? 1 : 0);
      for (const auto& profile : totals->profiles) {
        digest.add_all(profile.profile.value, profile.total, profile.locality_tasks);
        for (const auto& host : profile.hosts) digest.add_all(host.host.value, host.tasks);
      }
    } else if (const auto* removed = std::get_if<policies::RemoveIdleExecutors>(&effects[i])) {
      digest.add(removed->decommission ? 1 : 0);
      for (const auto executor : removed->executors) digest.add(executor.value);
    }
  }
}

RecordedAllocation::RecordedAllocation(policies::ExecutorAllocationSettings settings, PlaceRecords& places)
    : ExecutorAllocation{settings}, records_{places.sink(), places.clock()}, places_{places} {
  if (records_.is_kept()) records_.write(now(), "allocation_settings", runtime::to_fields(std::move(settings)));
}

// -- polls and answers -------------------------------------------------------------

void RecordedAllocation::on_start(Instant when, policies::AllocationEffects& effects) {
  const auto before = effects.size();
  ExecutorAllocation::on_start(when, effects);
  records_.write(when, "allocation_start", {}, digest_from(effects, before));
}

void RecordedAllocation::on_poll(Instant when, policies::AllocationEffects& effects) {
  const auto before = effects.size();
  ExecutorAllocation::on_poll(when, effects);
  records_.write(when, "allocation_poll", {}, digest_from(effects, before));
}

void RecordedAllocation::on_request_answered(Instant when, bool accepted, policies::AllocationEffects& effects) {
  const auto before = effects.size();
  ExecutorAllocation::on_request_answered(when, accepted, effects);
  records_.write(when, "allocation_request_answered", EventFields{}.add("accepted", accepted),
                 digest_from(effects, before));
}

void RecordedAllocation::on_kill_answered(Instant when, const std::vector<ExecutorId>& acknowledged,
                                          policies::AllocationEffects& effects) {
  const auto before = effects.size();
  ExecutorAllocation::on_kill_answered(when, acknowledged, effects);
  records_.write(when, "allocation_kill_answered", EventFields{}.add_column("executors", acknowledged),
                 digest_from(effects, before));
}

void RecordedAllocation::on_profile(ProfileId profile, std::int32_t tasks_per_executor) {
  ExecutorAllocation::on_profile(profile, tasks_per_executor);
  records_.write(now(), "allocation_profile",
                 EventFields{}.add("profile", profile.value).add("tasks_per_executor", tasks_per_executor));
}

void RecordedAllocation::on_reset() {
  ExecutorAllocation::on_reset();
  records_.write(now(), "allocation_reset", {});
}

// -- stages and tasks --------------------------------------------------------------

void RecordedAllocation::on_stage_submitted(Instant when, StageId stage, std::int32_t attempt, std::int32_t tasks,
                                            ProfileId profile, const std::vector<policies::IndexRange>& partitions,
                                            const policies::TaskSetPlaces& places,
                                            policies::AllocationEffects& effects) {
  const auto number = places_.number_of(when, places.lists);
  const auto before = effects.size();
  ExecutorAllocation::on_stage_submitted(when, stage, attempt, tasks, profile, partitions, places, effects);
  auto fields = attempt_fields(stage, attempt).add("tasks", tasks).add("profile", profile.value);
  add_ranges(fields, "partitions", partitions);
  fields.add("places", number).add("places_by_partition", places.by_partition);
  records_.write(when, "allocation_stage_submitted", std::move(fields), digest_from(effects, before));
}

void RecordedAllocation::on_stage_completed(StageId stage, std::int32_t attempt) {
  ExecutorAllocation::on_stage_completed(stage, attempt);
  records_.write(now(), "allocation_stage_completed", attempt_fields(stage, attempt));
}

void RecordedAllocation::on_task_started(Instant when, StageId stage, std::int32_t attempt, std::int32_t index,
                                         ExecutorId executor, bool is_speculative) {
  ExecutorAllocation::on_task_started(when, stage, attempt, index, executor, is_speculative);
  static_cast<void>(
      records_.add_to_run(when, started_run, {stage.value, attempt, executor.value, is_speculative ? 1 : 0}, index));
}

void RecordedAllocation::on_task_ended(Instant when, StageId stage, std::int32_t attempt, std::int32_t index,
                                       ExecutorId executor, bool is_speculative, policies::TaskEndReason reason) {
  ExecutorAllocation::on_task_ended(when, stage, attempt, index, executor, is_speculative, reason);
  static_cast<void>(records_.add_to_run(
      when, ended_run,
      {stage.value, attempt, executor.value, is_speculative ? 1 : 0, static_cast<std::int64_t>(reason)}, index));
}

void RecordedAllocation::on_speculative_submitted(Instant when, StageId stage, std::int32_t attempt,
                                                  std::int32_t index) {
  ExecutorAllocation::on_speculative_submitted(when, stage, attempt, index);
  static_cast<void>(records_.add_to_run(when, copy_run, {stage.value, attempt}, index));
}

void RecordedAllocation::on_unschedulable_added(Instant when, StageId stage, std::int32_t attempt) {
  ExecutorAllocation::on_unschedulable_added(when, stage, attempt);
  records_.write(when, "allocation_unschedulable_added", attempt_fields(stage, attempt));
}

void RecordedAllocation::on_unschedulable_removed(StageId stage, std::int32_t attempt) {
  ExecutorAllocation::on_unschedulable_removed(stage, attempt);
  records_.write(now(), "allocation_unschedulable_removed", attempt_fields(stage, attempt));
}

void RecordedAllocation::on_job_started(JobId job, const std::vector<policies::JobStage>& stages) {
  ExecutorAllocation::on_job_started(job, stages);
  records_.write(now(), "allocation_job_started",
                 EventFields{}
                     .add("job", job)
                     .add_column("stages", stages, [](const auto& each) { return each.stage.value; })
                     .add_column("shuffles", stages, [](const auto& each) { return each.shuffle.value; }));
}

void RecordedAllocation::on_job_ended(JobId job) {
  ExecutorAllocation::on_job_ended(job);
  records_.write(now(), "allocation_job_ended", EventFields{}.add("job", job));
}

// -- executors and what they hold --------------------------------------------------

void RecordedAllocation::on_active(ExecutorId executor) {
  ExecutorAllocation::on_active(executor);
  records_.write(now(), "allocation_active", EventFields{}.add("executor", executor));
}

void RecordedAllocation::on_executor_added(Instant when, ExecutorId executor, ProfileId profile) {
  ExecutorAllocation::on_executor_added(when, executor, profile);
  records_.write(when, "allocation_executor_added",
                 EventFields{}.add("executor", executor).add("profile", profile.value));
}

std::optional<policies::RemovalKind> RecordedAllocation::on_executor_removed(ExecutorId executor,
                                                                             policies::ExecutorEnd reason) {
  const auto kind = ExecutorAllocation::on_executor_removed(executor, reason);
  EffectDigest digest;
  digest.add(kind ? static_cast<std::int64_t>(*kind) + 2 : 1);
  records_.write(now(), "allocation_executor_removed",
                 EventFields{}.add("executor", executor).add("reason", static_cast<int>(reason)), digest);
  return kind;
}

void RecordedAllocation::on_block_updated(Instant when, ExecutorId executor, std::int64_t dataset,
                                          std::int32_t partition, policies::BlockLevel level) {
  ExecutorAllocation::on_block_updated(when, executor, dataset, partition, level);
  records_.write(when, "allocation_block_updated",
                 EventFields{}
                     .add("executor", executor)
                     .add("dataset", dataset)
                     .add("partition", partition)
                     .add("level", static_cast<int>(level)));
}

void RecordedAllocation::on_unpersisted(std::int64_t dataset) {
  ExecutorAllocation::on_unpersisted(dataset);
  records_.write(now(), "allocation_unpersisted", EventFields{}.add("dataset", dataset));
}

void RecordedAllocation::on_shuffle_cleaned(ShuffleId shuffle) {
  ExecutorAllocation::on_shuffle_cleaned(shuffle);
  records_.write(now(), "allocation_shuffle_cleaned", EventFields{}.add("shuffle", shuffle));
}

}  // namespace heddle::actors
