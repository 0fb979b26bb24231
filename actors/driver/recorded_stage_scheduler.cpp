#include "actors/driver/recorded_stage_scheduler.hpp"

#include <utility>

#include "actors/driver/decider_settings_fields.hpp"
#include "runtime/event_log/field_writer.hpp"

namespace heddle::actors {
namespace {

using ports::EventFields;
using runtime::EffectDigest;
using runtime::RunKind;

constexpr RunKind success_run{"stage_scheduler_success", {"stage", "stage_attempt", "executor", "host"}};
constexpr RunKind failure_run{"stage_scheduler_failure", {"stage", "stage_attempt"}};
constexpr RunKind resubmitted_run{"stage_scheduler_resubmitted", {"stage", "stage_attempt"}};

void digest_places(EffectDigest& digest, const policies::TaskSetPlaces& places) {
  if (!places.lists) return;
  digest.add_all(places.by_partition, places.lists->size());
  for (std::size_t index = 0; index < places.lists->size(); ++index)
    for (const auto& place : places.lists->of(index))
      digest.add_all(place.host.value, place.kind, place.executor.value);
}

void digest_ranges(EffectDigest& digest, const std::vector<policies::IndexRange>& ranges) {
  for (const auto& range : ranges) digest.add_all(range.first, range.count);
}

void digest_one(EffectDigest& digest, const policies::StageEffect& effect) {
  digest.add(static_cast<std::int64_t>(effect.index()) + 1);
  if (const auto* submitted = std::get_if<policies::StageSubmitted>(&effect)) {
    digest.add_all(submitted->stage.value, submitted->attempt, submitted->tasks);
    if (submitted->profile != ProfileId{0}) digest.add(submitted->profile.value);
    digest_ranges(digest, submitted->partitions);
  } else if (const auto* set = std::get_if<policies::SubmitTaskSet>(&effect)) {
    digest.add_all(set->stage.value, set->attempt, set->kind, set->job.value, set->dataset.value, set->shuffle.value,
                   set->tasks);
    digest_ranges(digest, set->partitions);
    digest_places(digest, set->places);
  } else if (const auto* completed = std::get_if<policies::StageCompleted>(&effect)) {
    digest.add_all(completed->stage.value, completed->attempt, completed->succeeded, completed->will_retry);
  } else if (const auto* result = std::get_if<policies::JobResult>(&effect)) {
    digest.add_all(result->job.value, result->output);
  } else if (const auto* failed = std::get_if<policies::JobFailed>(&effect)) {
    digest.add_all(failed->job.value, failed->failure, failed->stage.value);
  } else if (const auto* ended = std::get_if<policies::JobEnded>(&effect)) {
    digest.add_all(ended->job.value, ended->succeeded);
  } else if (const auto* cancel = std::get_if<policies::CancelStage>(&effect)) {
    digest.add(cancel->stage.value);
  } else if (const auto* kill = std::get_if<policies::KillStageAttempts>(&effect)) {
    digest.add(kill->stage.value);
  } else if (const auto* done = std::get_if<policies::PartitionDone>(&effect)) {
    digest.add_all(done->stage.value, done->partition);
  } else if (const auto* blocks = std::get_if<policies::BlocksRemoved>(&effect)) {
    digest.add(blocks->executor.value);
  } else if (const auto* again = std::get_if<policies::ResubmitScheduled>(&effect)) {
    digest.add(again->due.time_since_epoch().count());
  }
}

EffectDigest digest_from(const policies::StageEffects& effects, std::size_t first) {
  EffectDigest digest;
  digest_effects(digest, effects, first);
  return digest;
}

EventFields of_attempt(StageId stage, std::int32_t attempt) {
  return EventFields{}.add("stage", stage).add("stage_attempt", attempt);
}

}  // namespace

void digest_effects(EffectDigest& digest, const policies::StageEffects& effects, std::size_t first) {
  for (auto i = first; i < effects.size(); ++i) digest_one(digest, effects[i]);
}

RecordedStageScheduler::RecordedStageScheduler(policies::StageSchedulerSettings settings, PlaceRecords& places)
    : StageScheduler{settings}, records_{places.sink(), places.clock()}, places_{places} {
  if (records_.is_kept()) records_.write(now(), "stage_scheduler_settings", runtime::to_fields(settings));
}

// -- datasets and jobs -------------------------------------------------------------

policies::DatasetId RecordedStageScheduler::add_dataset(policies::DatasetDescription description) {
  std::vector<std::int64_t> parents;  // kind, parent, kind, parent
  std::vector<std::int64_t> shared;   // shuffles, -1 where there is none
  bool shares = false;
  for (const auto& each : description.dependencies) {
    parents.insert(parents.end(), {static_cast<int>(each.kind), each.parent.value});
    shared.push_back(each.shared.is_none() ? -1 : each.shared.value);
    shares = shares || !each.shared.is_none();
  }
  const auto places = places_.number_of(now(), description.preferred);
  auto fields = EventFields{}
                    .add("partitions", description.partitions)
                    .add_column("dependencies", parents)
                    .add("cached", description.cached)
                    .add("indeterminate", description.indeterminate)
                    .add("reduce_locality", description.reduce_locality)
                    .add("places", places);
  if (description.barrier) fields.add("barrier", true);
  if (shares) fields.add_column("shared", shared);
  if (description.profile != ProfileId{0}) fields.add("profile", description.profile);
  const auto id = StageScheduler::add_dataset(std::move(description));
  records_.write(now(), "stage_scheduler_dataset", std::move(fields.add("dataset", id)));
  return id;
}

void RecordedStageScheduler::forget_dataset(policies::DatasetId dataset) {
  StageScheduler::forget_dataset(dataset);
  records_.write(now(), "stage_scheduler_forget_dataset", EventFields{}.add("dataset", dataset));
}

void RecordedStageScheduler::on_submit_job(Instant when, JobId job, policies::DatasetId dataset,
                                           std::vector<policies::IndexRange> partitions,
                                           policies::StageEffects& effects) {
  const auto before = effects.size();
  auto fields = EventFields{}.add("job", job).add("dataset", dataset);
  add_ranges(fields, "partitions", partitions);
  StageScheduler::on_submit_job(when, job, dataset, std::move(partitions), effects);
  records_.write(when, "stage_scheduler_submit_job", std::move(fields), digest_from(effects, before));
}

void RecordedStageScheduler::on_submit_map_stage(Instant when, JobId job, ShuffleId shuffle,
                                                 policies::StageEffects& effects) {
  const auto before = effects.size();
  StageScheduler::on_submit_map_stage(when, job, shuffle, effects);
  records_.write(when, "stage_scheduler_submit_map_stage", EventFields{}.add("job", job).add("shuffle", shuffle),
                 digest_from(effects, before));
}

void RecordedStageScheduler::on_cancel_job(JobId job, policies::StageEffects& effects) {
  const auto before = effects.size();
  StageScheduler::on_cancel_job(job, effects);
  records_.write(now(), "stage_scheduler_cancel_job", EventFields{}.add("job", job), digest_from(effects, before));
}

// -- tasks -------------------------------------------------------------------------

void RecordedStageScheduler::on_task_success(StageId stage, std::int32_t attempt, std::int32_t partition,
                                             policies::OutputPlace place, policies::StageEffects& effects,
                                             std::span<const std::int64_t> sizes) {
  const auto before = effects.size();
  StageScheduler::on_task_success(stage, attempt, partition, place, effects, sizes);
  if (sizes.empty()) {
    digest_effects(records_.add_to_run(records_.run_time(), success_run,
                                       {stage.value, attempt, place.executor.value, place.host.value}, partition),
                   effects, before);
    return;
  }
  auto fields = of_attempt(stage, attempt).add("executor", place.executor).add("host", place.host.value);
  records_.write(now(), success_run.name,
                 std::move(fields.add("first", partition).add("count", 1).add_column("sizes", sizes)),
                 digest_from(effects, before));
}

void RecordedStageScheduler::on_fetch_failed(Instant when, StageId stage, std::int32_t attempt, std::int32_t partition,
                                             ShuffleId shuffle, std::int32_t map, policies::OutputPlace place,
                                             policies::StageEffects& effects) {
  const auto before = effects.size();
  StageScheduler::on_fetch_failed(when, stage, attempt, partition, shuffle, map, place, effects);
  auto fields = of_attempt(stage, attempt).add("partition", partition).add("shuffle", shuffle).add("map", map);
  records_.write(when, "stage_scheduler_fetch_failed",
                 std::move(fields.add("executor", place.executor).add("host", place.host.value)),
                 digest_from(effects, before));
}

void RecordedStageScheduler::on_task_failed(StageId stage, std::int32_t attempt, std::int32_t partition,
                                            policies::StageEffects& effects) {
  const auto before = effects.size();
  StageScheduler::on_task_failed(stage, attempt, partition, effects);
  digest_effects(records_.add_to_run(records_.run_time(), failure_run, {stage.value, attempt}, partition), effects,
                 before);
}

void RecordedStageScheduler::on_barrier_failed(Instant when, StageId stage, std::int32_t attempt,
                                               policies::StageEffects& effects) {
  const auto before = effects.size();
  StageScheduler::on_barrier_failed(when, stage, attempt, effects);
  records_.write(when, "stage_scheduler_barrier_failed", of_attempt(stage, attempt), digest_from(effects, before));
}

void RecordedStageScheduler::on_task_resubmitted(StageId stage, std::int32_t attempt, std::int32_t partition,
                                                 policies::StageEffects& effects) {
  const auto before = effects.size();
  StageScheduler::on_task_resubmitted(stage, attempt, partition, effects);
  digest_effects(records_.add_to_run(records_.run_time(), resubmitted_run, {stage.value, attempt}, partition), effects,
                 before);
}

void RecordedStageScheduler::on_task_set_failed(StageId stage, std::int32_t attempt, policies::StageEffects& effects) {
  const auto before = effects.size();
  StageScheduler::on_task_set_failed(stage, attempt, effects);
  records_.write(now(), "stage_scheduler_set_failed", of_attempt(stage, attempt), digest_from(effects, before));
}

// -- executors, blocks and time ----------------------------------------------------

void RecordedStageScheduler::on_executor_added(ExecutorId executor, policies::HostId host) {
  StageScheduler::on_executor_added(executor, host);
  records_.write(now(), "stage_scheduler_executor_added",
                 EventFields{}.add("executor", executor).add("host", host.value));
}

void RecordedStageScheduler::on_executor_lost(ExecutorId executor, std::optional<policies::HostId> lost_host,
                                              policies::StageEffects& effects) {
  const auto before = effects.size();
  StageScheduler::on_executor_lost(executor, lost_host, effects);
  auto fields = EventFields{}.add("executor", executor);
  if (lost_host) fields.add("lost_host", lost_host->value);
  records_.write(now(), "stage_scheduler_executor_lost", std::move(fields), digest_from(effects, before));
}

void RecordedStageScheduler::on_executor_decommissioned(ExecutorId executor, bool host_too) {
  StageScheduler::on_executor_decommissioned(executor, host_too);
  records_.write(now(), "stage_scheduler_decommissioned",
                 EventFields{}.add("executor", executor).add("host_too", host_too));
}

bool RecordedStageScheduler::on_output_moved(ShuffleId shuffle, std::int32_t map, policies::OutputPlace from,
                                             policies::OutputPlace to) {
  const bool has_moved = StageScheduler::on_output_moved(shuffle, map, from, to);
  records_.write(now(), "stage_scheduler_output_moved",
                 EventFields{}
                     .add("shuffle", shuffle)
                     .add("map", map)
                     .add("from_executor", from.executor)
                     .add("from_host", from.host.value)
                     .add("executor", to.executor)
                     .add("host", to.host.value));
  return has_moved;
}

void RecordedStageScheduler::on_cached(policies::DatasetId dataset, std::int32_t partition,
                                       std::vector<policies::OutputPlace> places) {
  auto fields = EventFields{}
                    .add("dataset", dataset)
                    .add("partition", partition)
                    .add_column("executors", places, [](const auto& place) { return place.executor.value; })
                    .add_column("hosts", places, [](const auto& place) { return place.host.value; });
  StageScheduler::on_cached(dataset, partition, std::move(places));
  records_.write(now(), "stage_scheduler_cached", std::move(fields));
}

void RecordedStageScheduler::on_time(Instant when, policies::StageEffects& effects) {
  const auto due = StageScheduler::next_due();
  if (!due || *due > when) return;  // nothing would change
  const auto before = effects.size();
  StageScheduler::on_time(when, effects);
  records_.write(when, "stage_scheduler_time", {}, digest_from(effects, before));
}

}  // namespace heddle::actors
