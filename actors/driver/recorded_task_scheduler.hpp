// A TaskScheduler that writes each of its inputs into the event log. It is used like the decider itself; what would
// change the decider without a record does not compile.
#pragma once

#include "actors/driver/place_records.hpp"
#include "policies/tasks/task_scheduler.hpp"
#include "runtime/event_log/input_records.hpp"

namespace heddle::actors {

class RecordedTaskScheduler : private policies::TaskScheduler {
public:
  RecordedTaskScheduler(policies::TaskSchedulerSettings settings, PlaceRecords& places);

  void introduce_host(policies::HostId host, std::string_view name, std::string_view rack);
  void introduce_executor(ExecutorId executor, std::string_view name);
  void on_task_set(Instant now, const policies::TaskSetDescription& set, policies::TaskSchedulerEffects& effects);
  /// With a stream, shuffles what is offered; the record holds its state, from which a replay draws the same order.
  void on_offers(Instant now, std::span<const policies::SlotOffer> offers, bool is_full, RandomStream* random,
                 policies::TaskSchedulerEffects& effects);
  bool on_status(Instant now, policies::LaunchId attempt, const policies::AttemptStatus& status,
                 policies::TaskSchedulerEffects& effects);
  void on_executor_lost(Instant now, ExecutorId executor, policies::LossReason reason,
                        policies::TaskSchedulerEffects& effects);
  void on_decommission(Instant now, ExecutorId executor, bool whole_host, policies::TaskSchedulerEffects& effects);
  void on_partition_done(Instant now, StageId stage, std::int32_t partition, policies::TaskSchedulerEffects& effects);
  void on_output_moved(Instant now, StageId stage, std::int32_t partition, policies::HostId host);
  void kill_stage(Instant now, StageId stage, policies::TaskSchedulerEffects& effects);
  void check_speculation(Instant now, policies::TaskSchedulerEffects& effects);
  void queue_ahead(Instant now, ExecutorId executor, std::int32_t max_count, policies::TaskSchedulerEffects& effects);
  bool retract(Instant now, policies::LaunchId attempt);
  void on_time(Instant now, policies::TaskSchedulerEffects& effects);
  /// Writes what is still open; called before other records, so that the log keeps the order of time.
  void flush_records() { records_.flush(); }

  using TaskScheduler::check_invariants;
  using TaskScheduler::explain;
  using TaskScheduler::find_attempt;
  using TaskScheduler::is_executor_excluded;
  using TaskScheduler::is_host_excluded;
  using TaskScheduler::launch_of;
  using TaskScheduler::locality_levels;
  using TaskScheduler::next_due;
  using TaskScheduler::progress;
  using TaskScheduler::queued_on;
  using TaskScheduler::running_on;
  using TaskScheduler::task_sets;
  [[nodiscard]] std::vector<ExecutorId> idle_executors() const { return TaskScheduler::idle_executors(); }

private:
  runtime::InputRecords records_;
  PlaceRecords& places_;
};

/// Adds what a call of a TaskScheduler decided, from the given numbers of launches and events on.
void digest_effects(runtime::EffectDigest& digest, const policies::TaskSchedulerEffects& effects, std::size_t launches,
                    std::size_t events);

}  // namespace heddle::actors
