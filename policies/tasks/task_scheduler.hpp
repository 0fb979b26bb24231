// Decides which task runs where: task sets, pools, locality waits, failures, exclusion, unschedulable sets,
// speculation. Order: sets by pool rules (task_pools.hpp); per set from the most local level to the least, passes over
// the offers in shuffled or given order, one task per executor and pass. Ties: order of submission (FIFO), name as a
// string (FAIR). Cost: a launch and its end are constant; a round adds the offers times the levels of the sets that get
// slots, and the pools. Source: Spark 3.5.3 TaskSchedulerImpl, TaskSetManager, Pool, TaskSetExcludelist, HealthTracker
// (spec TS, TSM, POOL, EXC, HT); queueing ahead is heddle's own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/random_stream.hpp"
#include "policies/tasks/types/task_scheduler_events.hpp"

namespace heddle::policies {

struct TaskSchedulerState;

/// A copyable value. One method per event; every method appends to `effects` and never clears it.
class TaskScheduler {
public:
  explicit TaskScheduler(TaskSchedulerSettings settings);
  TaskScheduler(const TaskScheduler& other);
  TaskScheduler(TaskScheduler&& other) noexcept;
  TaskScheduler& operator=(TaskScheduler other) noexcept;
  ~TaskScheduler();

  /// Names a host and its rack (empty: none) before the host is first used. The same host may be introduced again,
  /// unchanged.
  void introduce_host(HostId host, std::string_view name, std::string_view rack);
  /// Names an executor; one that is not introduced is called by its number in decimal. Names decide no launch by
  /// themselves: where Spark walks a hash table of names, heddle walks in the same order.
  void introduce_executor(ExecutorId executor, std::string_view name);

  /// A stage attempt's tasks are ready. Every earlier attempt of the stage launches nothing from now on.
  void on_task_set(Instant now, const TaskSetDescription& set, TaskSchedulerEffects& effects);
  /// One round over these offers. `is_full`: all executors are offered, also those without a free core. An executor
  /// that is not known is thereby added. With a stream the offers are shuffled once, so that tasks spread over the
  /// executors (TS-2 step 5); without one they keep the given order.
  void on_offers(Instant now, std::span<const SlotOffer> offers, bool is_full, TaskSchedulerEffects& effects,
                 RandomStream* random = nullptr);
  /// An executor reports an attempt. One that is not known, or known as ended, is ignored; `false` says so.
  bool on_status(Instant now, LaunchId attempt, const AttemptStatus& status, TaskSchedulerEffects& effects);
  void on_executor_lost(Instant now, ExecutorId executor, LossReason reason, TaskSchedulerEffects& effects);
  /// The executor will go; `whole_host`: its host with it.
  void on_decommission(Instant now, ExecutorId executor, bool whole_host, TaskSchedulerEffects& effects);
  /// Another attempt of the stage finished this partition.
  void on_partition_done(Instant now, StageId stage, std::int32_t partition, TaskSchedulerEffects& effects);
  /// The output of this map task stands on another host now: it stays when the executor that made it goes by
  /// decommission.
  void on_output_moved(StageId stage, std::int32_t partition, HostId host);
  /// Kills what runs of all attempts of the stage; they launch nothing any more (TS-13).
  void kill_stage(Instant now, StageId stage, TaskSchedulerEffects& effects);
  /// One look for tasks that run too long, over all sets; the caller decides how often (100 ms in Spark).
  void check_speculation(Instant now, TaskSchedulerEffects& effects);

  /// Takes up to `max_count` tasks of one set, all equally local on the executor, and assigns them to it without
  /// running them: they are launches with `queued`. They run when their status says `running` (or any end). Locality
  /// timers do not see them. The set is the first in pool order that has tasks at its allowed level; nothing is taken
  /// from a level that still waits.
  void queue_ahead(Instant now, ExecutorId executor, std::int32_t max_count, TaskSchedulerEffects& effects);
  /// Takes a queued attempt back: its task is pending again, no effect. False if it is not queued (any more), or its
  /// set launches no more.
  bool retract(Instant now, LaunchId attempt);
  /// Attempts queued ahead on the executor, oldest first.
  [[nodiscard]] std::vector<LaunchId> queued_on(ExecutorId executor) const;

  /// When on_time has something to do; none: no timer runs.
  [[nodiscard]] std::optional<Instant> next_due() const;
  /// Fires what is due: sets that could run nowhere for too long are given up.
  void on_time(Instant now, TaskSchedulerEffects& effects);

  // -- questions ---------------------------------------------------------------
  /// The live attempt of a task by its numbers; none if it is not live.
  [[nodiscard]] LaunchId find_attempt(TaskSetKey set, std::int32_t index, std::int32_t attempt) const;
  /// What was launched under this id, while it is live.
  [[nodiscard]] std::optional<TaskLaunch> launch_of(LaunchId attempt) const;
  /// A set that has finished can be asked until the next round or submission.
  [[nodiscard]] std::optional<TaskSetProgress> progress(TaskSetKey set) const;
  /// Sets that are known, by stage and attempt.
  [[nodiscard]] std::vector<TaskSetKey> task_sets() const;
  /// Locality levels of the set, nearest first; empty for a set that is not known.
  [[nodiscard]] std::vector<LocalityLevel> locality_levels(TaskSetKey set) const;
  /// Attempts that run on the executor.
  [[nodiscard]] std::int32_t running_on(ExecutorId executor) const;
  /// Executors that are known and run nothing, in ascending order.
  [[nodiscard]] std::vector<ExecutorId> idle_executors() const;
  /// Being decommissioned, or gone and still remembered; none otherwise.
  [[nodiscard]] std::optional<DecommissionState> decommission_state(ExecutorId executor) const;
  /// Exclusion for the application.
  [[nodiscard]] bool is_executor_excluded(ExecutorId executor) const;
  [[nodiscard]] bool is_host_excluded(HostId host) const;
  /// Exclusion inside one set; `index` none (-1): for the whole set.
  [[nodiscard]] bool is_executor_excluded(TaskSetKey set, ExecutorId executor, std::int32_t index) const;
  [[nodiscard]] bool is_host_excluded(TaskSetKey set, HostId host, std::int32_t index) const;
  /// Why the set launches nothing at this moment.
  [[nodiscard]] TaskSetExplanation explain(Instant now, TaskSetKey set) const;
  /// Asserts what must hold between all tables.
  void check_invariants() const;

private:
  std::unique_ptr<TaskSchedulerState> state_;  // never null, unless moved from
};

}  // namespace heddle::policies
