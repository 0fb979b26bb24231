// An ExecutorAllocation with its inputs in the event log, under the names that the Driver calls.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/driver/place_records.hpp"
#include "policies/executors/executor_allocation.hpp"
#include "runtime/event_log/recorded.hpp"

namespace heddle::actors {

class RecordedAllocation final : public runtime::Recorded<policies::ExecutorAllocation, PlaceRecords> {
public:
  RecordedAllocation(const policies::ExecutorAllocationSettings& settings, PlaceRecords& places)
      : Recorded{settings, places.sink(), places.clock(), &places} {}

  void on_start(Instant now, policies::AllocationEffects& effects) {
    apply(now, policies::allocation_input::Started{}, effects);
  }
  void on_time(Instant now, policies::AllocationEffects& effects) {
    apply(now, policies::allocation_input::PollDue{}, effects);
  }
  void on_request_answered(Instant now, bool accepted, policies::AllocationEffects& effects) {
    apply(now, policies::allocation_input::RequestAnswered{accepted}, effects);
  }
  void on_kill_answered(Instant now, const std::vector<ExecutorId>& acknowledged,
                        policies::AllocationEffects& effects) {
    apply(now, policies::allocation_input::KillAnswered{acknowledged}, effects);
  }
  void on_profile(ProfileId profile, std::int32_t tasks_per_executor) {
    apply(policies::allocation_input::ProfileDescribed{profile, tasks_per_executor});
  }
  void on_reset() { apply(policies::allocation_input::Reset{}); }
  void on_stage_submitted(Instant now, StageId stage, std::int32_t attempt, std::int32_t tasks, ProfileId profile,
                          const std::vector<policies::IndexRange>& partitions, const policies::TaskSetPlaces& places,
                          policies::AllocationEffects& effects) {
    apply(now, policies::allocation_input::StageBegun{stage, attempt, tasks, profile, partitions, places}, effects);
  }
  void on_stage_completed(StageId stage, std::int32_t attempt) {
    apply(policies::allocation_input::StageEnded{stage, attempt});
  }
  void on_task_started(Instant now, StageId stage, std::int32_t attempt, std::int32_t index, ExecutorId executor,
                       bool is_speculative) {
    apply(now, policies::allocation_input::TaskStarted{stage, attempt, index, executor, is_speculative});
  }
  void on_task_ended(Instant now, StageId stage, std::int32_t attempt, std::int32_t index, ExecutorId executor,
                     bool is_speculative, policies::TaskEndReason reason) {
    apply(now, policies::allocation_input::TaskStopped{stage, attempt, index, executor, is_speculative, reason});
  }
  void on_speculative_submitted(Instant now, StageId stage, std::int32_t attempt, std::int32_t index) {
    apply(now, policies::allocation_input::CopySubmitted{stage, attempt, index});
  }
  void on_unschedulable_added(Instant now, StageId stage, std::int32_t attempt) {
    apply(now, policies::allocation_input::SetUnschedulable{stage, attempt});
  }
  void on_unschedulable_removed(StageId stage, std::int32_t attempt) {
    apply(policies::allocation_input::SetSchedulable{stage, attempt});
  }
  void on_job_started(JobId job, const std::vector<policies::JobStage>& stages) {
    apply(policies::allocation_input::JobBegun{job, stages});
  }
  void on_job_ended(JobId job) { apply(policies::allocation_input::JobDone{job}); }
  void on_executor_added(Instant now, ExecutorId executor, ProfileId profile) {
    apply(now, policies::allocation_input::ExecutorRegistered{executor, profile});
  }
  std::optional<policies::RemovalKind> on_executor_removed(ExecutorId executor, policies::ExecutorEnd reason) {
    return apply(policies::allocation_input::ExecutorGone{executor, reason});
  }
  void on_shuffle_cleaned(ShuffleId shuffle) { apply(policies::allocation_input::ShuffleDropped{shuffle}); }

  template <class... Arguments>
  [[nodiscard]] decltype(auto) add_time(const Arguments&... arguments) const {
    return (**this).add_time(arguments...);
  }
  template <class... Arguments>
  [[nodiscard]] decltype(auto) check_invariants(const Arguments&... arguments) const {
    return (**this).check_invariants(arguments...);
  }
  template <class... Arguments>
  [[nodiscard]] decltype(auto) explain(const Arguments&... arguments) const {
    return (**this).explain(arguments...);
  }
  [[nodiscard]] decltype(auto) monitor() const { return std::invoke(&policies::ExecutorAllocation::monitor, **this); }
  template <class... Arguments>
  [[nodiscard]] decltype(auto) needed(const Arguments&... arguments) const {
    return (**this).needed(arguments...);
  }
  template <class... Arguments>
  [[nodiscard]] decltype(auto) next_due(const Arguments&... arguments) const {
    return (**this).next_due(arguments...);
  }
  template <class... Arguments>
  [[nodiscard]] decltype(auto) target(const Arguments&... arguments) const {
    return (**this).target(arguments...);
  }
  template <class... Arguments>
  [[nodiscard]] decltype(auto) to_add(const Arguments&... arguments) const {
    return (**this).to_add(arguments...);
  }
};

}  // namespace heddle::actors
