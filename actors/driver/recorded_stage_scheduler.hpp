// A StageScheduler with its inputs in the event log, under the names that the Driver calls.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/driver/place_records.hpp"
#include "policies/stages/stage_scheduler.hpp"
#include "runtime/event_log/recorded.hpp"

namespace heddle::actors {

class RecordedStageScheduler final : public runtime::Recorded<policies::StageScheduler, PlaceRecords> {
public:
  RecordedStageScheduler(const policies::StageSchedulerSettings& settings, PlaceRecords& places)
      : Recorded{settings, places.sink(), places.clock(), &places} {}

  policies::DatasetId add_dataset(policies::DatasetDescription description) {
    return apply(policies::stage_input::DatasetAdded{std::move(description)});
  }
  void forget_dataset(policies::DatasetId dataset) { apply(policies::stage_input::DatasetForgotten{dataset}); }
  void on_submit_job(Instant now, JobId job, policies::DatasetId dataset, std::vector<policies::IndexRange> partitions,
                     policies::StageEffects& effects) {
    apply(now, policies::stage_input::JobSubmitted{job, dataset, std::move(partitions)}, effects);
  }
  void on_cancel_job(JobId job, policies::StageEffects& effects) {
    apply(policies::stage_input::JobCancelled{job}, effects);
  }
  void on_task_success(StageId stage, std::int32_t attempt, std::int32_t partition, policies::OutputPlace place,
                       policies::StageEffects& effects, std::span<const std::int64_t> sizes = {}) {
    apply(policies::stage_input::TaskSucceeded{stage, attempt, partition, place, sizes}, effects);
  }
  void on_fetch_failed(Instant now, StageId stage, std::int32_t attempt, std::int32_t partition, ShuffleId shuffle,
                       std::int32_t map, policies::OutputPlace place, policies::StageEffects& effects) {
    apply(now, policies::stage_input::FetchFailed{stage, attempt, partition, shuffle, map, place}, effects);
  }
  void on_task_failed(StageId stage, std::int32_t attempt, std::int32_t partition, policies::StageEffects& effects) {
    apply(policies::stage_input::TaskFailed{stage, attempt, partition}, effects);
  }
  void on_barrier_failed(Instant now, StageId stage, std::int32_t attempt, policies::StageEffects& effects) {
    apply(now, policies::stage_input::BarrierFailed{stage, attempt}, effects);
  }
  void on_task_resubmitted(StageId stage, std::int32_t attempt, std::int32_t partition,
                           policies::StageEffects& effects) {
    apply(policies::stage_input::TaskResubmitted{stage, attempt, partition}, effects);
  }
  void on_task_set_failed(StageId stage, std::int32_t attempt, policies::StageEffects& effects) {
    apply(policies::stage_input::SetGivenUp{stage, attempt}, effects);
  }
  void on_executor_added(ExecutorId executor, policies::HostId host) {
    apply(policies::stage_input::ExecutorRegistered{executor, host});
  }
  void on_executor_lost(ExecutorId executor, std::optional<policies::HostId> lost_host,
                        policies::StageEffects& effects) {
    apply(policies::stage_input::ExecutorGone{executor, lost_host}, effects);
  }
  void on_executor_decommissioned(ExecutorId executor, bool host_too) {
    apply(policies::stage_input::ExecutorDecommissioned{executor, host_too});
  }
  bool on_output_moved(ShuffleId shuffle, std::int32_t map, policies::OutputPlace from, policies::OutputPlace to) {
    return apply(policies::stage_input::OutputMoved{shuffle, map, from, to});
  }
  void on_time(Instant now, policies::StageEffects& effects) {
    apply(now, policies::stage_input::TimePassed{}, effects);
  }

  template <class... Arguments>
  [[nodiscard]] decltype(auto) check_invariants(const Arguments&... arguments) const {
    return (**this).check_invariants(arguments...);
  }
  template <class... Arguments>
  [[nodiscard]] decltype(auto) explain(const Arguments&... arguments) const {
    return (**this).explain(arguments...);
  }
  template <class... Arguments>
  [[nodiscard]] decltype(auto) failed(const Arguments&... arguments) const {
    return (**this).failed(arguments...);
  }
  template <class... Arguments>
  [[nodiscard]] decltype(auto) is_active(const Arguments&... arguments) const {
    return (**this).is_active(arguments...);
  }
  template <class... Arguments>
  [[nodiscard]] decltype(auto) next_due(const Arguments&... arguments) const {
    return (**this).next_due(arguments...);
  }
  template <class... Arguments>
  [[nodiscard]] decltype(auto) outputs(const Arguments&... arguments) const {
    return (**this).outputs(arguments...);
  }
  template <class... Arguments>
  [[nodiscard]] decltype(auto) parents(const Arguments&... arguments) const {
    return (**this).parents(arguments...);
  }
  template <class... Arguments>
  [[nodiscard]] decltype(auto) running(const Arguments&... arguments) const {
    return (**this).running(arguments...);
  }
  template <class... Arguments>
  [[nodiscard]] decltype(auto) shuffle_of(const Arguments&... arguments) const {
    return (**this).shuffle_of(arguments...);
  }
  template <class... Arguments>
  [[nodiscard]] decltype(auto) stage_of(const Arguments&... arguments) const {
    return (**this).stage_of(arguments...);
  }
  template <class... Arguments>
  [[nodiscard]] decltype(auto) stages_of(const Arguments&... arguments) const {
    return (**this).stages_of(arguments...);
  }
  template <class... Arguments>
  [[nodiscard]] decltype(auto) waiting(const Arguments&... arguments) const {
    return (**this).waiting(arguments...);
  }
};

}  // namespace heddle::actors
