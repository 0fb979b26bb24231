// An ExecutorAllocation that writes each of its inputs into the event log. It is used like the decider itself; what
// would change the decider without a record does not compile.
#pragma once

#include "actors/driver/place_records.hpp"
#include "policies/executors/executor_allocation.hpp"
#include "runtime/event_log/input_records.hpp"

namespace heddle::actors {

class RecordedAllocation : private policies::ExecutorAllocation {
public:
  RecordedAllocation(policies::ExecutorAllocationSettings settings, PlaceRecords& places);

  void on_start(Instant now, policies::AllocationEffects& effects);
  void on_poll(Instant now, policies::AllocationEffects& effects);
  void on_time(Instant now, policies::AllocationEffects& effects) { on_poll(now, effects); }
  void on_request_answered(Instant now, bool accepted, policies::AllocationEffects& effects);
  void on_kill_answered(Instant now, const std::vector<ExecutorId>& acknowledged, policies::AllocationEffects& effects);
  void on_profile(ProfileId profile, std::int32_t tasks_per_executor);
  void on_reset();
  void on_stage_submitted(Instant now, StageId stage, std::int32_t attempt, std::int32_t tasks, ProfileId profile,
                          const std::vector<policies::IndexRange>& partitions, const policies::TaskSetPlaces& places,
                          policies::AllocationEffects& effects);
  void on_stage_completed(StageId stage, std::int32_t attempt);
  void on_task_started(Instant now, StageId stage, std::int32_t attempt, std::int32_t index, ExecutorId executor,
                       bool is_speculative);
  void on_task_ended(Instant now, StageId stage, std::int32_t attempt, std::int32_t index, ExecutorId executor,
                     bool is_speculative, policies::TaskEndReason reason);
  void on_speculative_submitted(Instant now, StageId stage, std::int32_t attempt, std::int32_t index);
  void on_unschedulable_added(Instant now, StageId stage, std::int32_t attempt);
  void on_unschedulable_removed(StageId stage, std::int32_t attempt);
  void on_job_started(JobId job, const std::vector<policies::JobStage>& stages);
  void on_job_ended(JobId job);
  void on_active(ExecutorId executor);
  void on_executor_added(Instant now, ExecutorId executor, ProfileId profile);
  std::optional<policies::RemovalKind> on_executor_removed(ExecutorId executor, policies::ExecutorEnd reason);
  void on_block_updated(Instant now, ExecutorId executor, std::int64_t dataset, std::int32_t partition,
                        policies::BlockLevel level);
  void on_unpersisted(std::int64_t dataset);
  void on_shuffle_cleaned(ShuffleId shuffle);
  /// Writes what is still open; called before other records, so that the log keeps the order of time.
  void flush_records() { records_.flush(); }

  using ExecutorAllocation::add_time;
  using ExecutorAllocation::check_invariants;
  using ExecutorAllocation::explain;
  using ExecutorAllocation::monitor;
  using ExecutorAllocation::needed;
  using ExecutorAllocation::next_due;
  using ExecutorAllocation::target;
  using ExecutorAllocation::to_add;

private:
  /// The instant of inputs that come without one.
  [[nodiscard]] Instant now() const { return records_.now(); }

  runtime::InputRecords records_;
  PlaceRecords& places_;
};

/// Adds what a call of an ExecutorAllocation decided, from the given effect on.
void digest_effects(runtime::EffectDigest& digest, const policies::AllocationEffects& effects, std::size_t first);

}  // namespace heddle::actors
