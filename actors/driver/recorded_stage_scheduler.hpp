// A StageScheduler that writes each of its inputs into the event log. It is used like the decider itself; what would
// change the decider without a record does not compile.
#pragma once

#include "actors/driver/place_records.hpp"
#include "policies/stages/stage_scheduler.hpp"
#include "runtime/event_log/input_records.hpp"

namespace heddle::actors {

class RecordedStageScheduler : private policies::StageScheduler {
public:
  RecordedStageScheduler(policies::StageSchedulerSettings settings, PlaceRecords& places);

  policies::DatasetId add_dataset(policies::DatasetDescription description);
  void forget_dataset(policies::DatasetId dataset);
  void on_submit_job(Instant now, JobId job, policies::DatasetId dataset, std::vector<policies::IndexRange> partitions,
                     policies::StageEffects& effects);
  void on_submit_map_stage(Instant now, JobId job, ShuffleId shuffle, policies::StageEffects& effects);
  void on_cancel_job(JobId job, policies::StageEffects& effects);
  void on_task_success(StageId stage, std::int32_t attempt, std::int32_t partition, policies::OutputPlace place,
                       policies::StageEffects& effects, std::span<const std::int64_t> sizes = {});
  void on_fetch_failed(Instant now, StageId stage, std::int32_t attempt, std::int32_t partition, ShuffleId shuffle,
                       std::int32_t map, policies::OutputPlace place, policies::StageEffects& effects);
  void on_task_failed(StageId stage, std::int32_t attempt, std::int32_t partition, policies::StageEffects& effects);
  void on_barrier_failed(Instant now, StageId stage, std::int32_t attempt, policies::StageEffects& effects);
  void on_task_resubmitted(StageId stage, std::int32_t attempt, std::int32_t partition,
                           policies::StageEffects& effects);
  void on_task_set_failed(StageId stage, std::int32_t attempt, policies::StageEffects& effects);
  void on_executor_added(ExecutorId executor, policies::HostId host);
  void on_executor_lost(ExecutorId executor, std::optional<policies::HostId> lost_host,
                        policies::StageEffects& effects);
  void on_executor_decommissioned(ExecutorId executor, bool host_too);
  bool on_output_moved(ShuffleId shuffle, std::int32_t map, policies::OutputPlace from, policies::OutputPlace to);
  void on_cached(policies::DatasetId dataset, std::int32_t partition, std::vector<policies::OutputPlace> places);
  void on_time(Instant now, policies::StageEffects& effects);
  /// Writes what is still open; called before other records, so that the log keeps the order of time.
  void flush_records() { records_.flush(); }

  using StageScheduler::check_invariants;
  using StageScheduler::explain;
  using StageScheduler::failed;
  using StageScheduler::is_active;
  using StageScheduler::next_due;
  using StageScheduler::outputs;
  using StageScheduler::parents;
  using StageScheduler::running;
  using StageScheduler::shuffle_of;
  using StageScheduler::stage_of;
  using StageScheduler::stages_of;
  using StageScheduler::waiting;

private:
  /// The instant of inputs that come without one.
  [[nodiscard]] Instant now() const { return records_.now(); }

  runtime::InputRecords records_;
  PlaceRecords& places_;
};

/// Adds what a call of a StageScheduler decided, from the given effect on.
void digest_effects(runtime::EffectDigest& digest, const policies::StageEffects& effects, std::size_t first);

}  // namespace heddle::actors
