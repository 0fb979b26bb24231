// A TaskScheduler with its inputs in the event log, under the names that the Driver calls.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/driver/place_records.hpp"
#include "policies/tasks/task_scheduler.hpp"
#include "runtime/event_log/recorded.hpp"

namespace heddle::actors {

class RecordedTaskScheduler final : public runtime::Recorded<policies::TaskScheduler, PlaceRecords> {
public:
  RecordedTaskScheduler(const policies::TaskSchedulerSettings& settings, PlaceRecords& places)
      : Recorded{settings, places.sink(), places.clock(), &places} {}

  void introduce_host(policies::HostId host, std::string_view name, std::string_view rack) {
    apply(policies::task_input::HostIntroduced{host, std::string{name}, std::string{rack}});
  }
  void introduce_executor(ExecutorId executor, std::string_view name) {
    apply(policies::task_input::ExecutorIntroduced{executor, std::string{name}});
  }
  void on_task_set(Instant now, const policies::TaskSetDescription& set, policies::TaskSchedulerEffects& effects) {
    apply(now, policies::task_input::TaskSetSubmitted{set}, effects);
  }
  void on_offers(Instant now, std::span<const policies::SlotOffer> offers, bool is_full, RandomStream* random,
                 policies::TaskSchedulerEffects& effects) {
    apply(now, policies::task_input::OffersMade{offers, is_full, random}, effects);
  }
  bool on_status(Instant now, policies::LaunchId attempt, const policies::AttemptStatus& status,
                 policies::TaskSchedulerEffects& effects) {
    return policies::task_input::tell_status(*this, now, attempt, status, effects);
  }
  void on_executor_lost(Instant now, ExecutorId executor, policies::LossReason reason,
                        policies::TaskSchedulerEffects& effects) {
    apply(now, policies::task_input::ExecutorGone{executor, reason}, effects);
  }
  void on_decommission(Instant now, ExecutorId executor, bool whole_host, policies::TaskSchedulerEffects& effects) {
    apply(now, policies::task_input::ExecutorDecommissioned{executor, whole_host}, effects);
  }
  void on_partition_done(Instant now, StageId stage, std::int32_t partition, policies::TaskSchedulerEffects& effects) {
    apply(now, policies::task_input::PartitionFinished{stage, partition}, effects);
  }
  void on_output_moved(Instant now, StageId stage, std::int32_t partition, policies::HostId host) {
    apply(now, policies::task_input::OutputMoved{stage, partition, host});
  }
  void kill_stage(Instant now, StageId stage, policies::TaskSchedulerEffects& effects) {
    apply(now, policies::task_input::StageKilled{stage}, effects);
  }
  void check_speculation(Instant now, policies::TaskSchedulerEffects& effects) {
    apply(now, policies::task_input::SpeculationDue{}, effects);
  }
  void queue_ahead(Instant now, ExecutorId executor, std::int32_t max_count, policies::TaskSchedulerEffects& effects) {
    apply(now, policies::task_input::TasksWantedAhead{executor, max_count}, effects);
  }
  bool retract(Instant now, policies::LaunchId attempt) {
    return apply(now, policies::task_input::AttemptRetracted{attempt});
  }
  void on_time(Instant now, policies::TaskSchedulerEffects& effects) {
    apply(now, policies::task_input::TimePassed{}, effects);
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
  [[nodiscard]] decltype(auto) find_attempt(const Arguments&... arguments) const {
    return (**this).find_attempt(arguments...);
  }
  template <class... Arguments>
  [[nodiscard]] decltype(auto) is_executor_excluded(const Arguments&... arguments) const {
    return (**this).is_executor_excluded(arguments...);
  }
  template <class... Arguments>
  [[nodiscard]] decltype(auto) is_host_excluded(const Arguments&... arguments) const {
    return (**this).is_host_excluded(arguments...);
  }
  template <class... Arguments>
  [[nodiscard]] decltype(auto) launch_of(const Arguments&... arguments) const {
    return (**this).launch_of(arguments...);
  }
  template <class... Arguments>
  [[nodiscard]] decltype(auto) locality_levels(const Arguments&... arguments) const {
    return (**this).locality_levels(arguments...);
  }
  template <class... Arguments>
  [[nodiscard]] decltype(auto) next_due(const Arguments&... arguments) const {
    return (**this).next_due(arguments...);
  }
  template <class... Arguments>
  [[nodiscard]] decltype(auto) progress(const Arguments&... arguments) const {
    return (**this).progress(arguments...);
  }
  template <class... Arguments>
  [[nodiscard]] decltype(auto) queued_on(const Arguments&... arguments) const {
    return (**this).queued_on(arguments...);
  }
  template <class... Arguments>
  [[nodiscard]] decltype(auto) running_on(const Arguments&... arguments) const {
    return (**this).running_on(arguments...);
  }
  template <class... Arguments>
  [[nodiscard]] decltype(auto) task_sets(const Arguments&... arguments) const {
    return (**this).task_sets(arguments...);
  }
  template <class... Arguments>
  [[nodiscard]] decltype(auto) idle_executors(const Arguments&... arguments) const {
    return (**this).idle_executors(arguments...);
  }
};

}  // namespace heddle::actors
