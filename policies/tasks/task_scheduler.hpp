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
#include <vector>

#include "policies/tasks/types/task_inputs.hpp"

namespace heddle::policies {

struct TaskSchedulerState;

/// A copyable value. One overload of apply per input, which appends to `effects` and never clears it.
class TaskScheduler {
public:
  explicit TaskScheduler(TaskSchedulerSettings settings);
  TaskScheduler(const TaskScheduler& other);
  TaskScheduler(TaskScheduler&& other) noexcept;
  TaskScheduler& operator=(TaskScheduler other) noexcept;
  ~TaskScheduler();

  using Inputs = task_input::Input;
  using Effects = TaskSchedulerEffects;

  // Inputs, each explained at its struct.
  void apply(Instant now, const task_input::HostIntroduced& input);
  void apply(Instant now, const task_input::ExecutorIntroduced& input);
  void apply(Instant now, const task_input::TaskSetSubmitted& input, TaskSchedulerEffects& effects);
  void apply(Instant now, const task_input::OffersMade& input, TaskSchedulerEffects& effects);
  bool apply(Instant now, const task_input::AttemptReported& input, TaskSchedulerEffects& effects);
  bool apply(Instant now, const task_input::AttemptMeasured& input, TaskSchedulerEffects& effects);
  void apply(Instant now, const task_input::ExecutorGone& input, TaskSchedulerEffects& effects);
  void apply(Instant now, const task_input::ExecutorDecommissioned& input, TaskSchedulerEffects& effects);
  void apply(Instant now, const task_input::PartitionFinished& input, TaskSchedulerEffects& effects);
  void apply(Instant now, const task_input::OutputMoved& input);
  void apply(Instant now, const task_input::StageKilled& input, TaskSchedulerEffects& effects);
  void apply(Instant now, const task_input::SpeculationDue& input, TaskSchedulerEffects& effects);
  void apply(Instant now, const task_input::TasksWantedAhead& input, TaskSchedulerEffects& effects);
  bool apply(Instant now, const task_input::AttemptRetracted& input);
  void apply(Instant now, const task_input::TimePassed& input, TaskSchedulerEffects& effects);

  // -- questions ---------------------------------------------------------------
  /// Attempts queued ahead on the executor, oldest first.
  [[nodiscard]] std::vector<LaunchId> queued_on(ExecutorId executor) const;

  /// When TimePassed has something to do; none: no timer runs. Covers each instant from which on a round over all
  /// executors can launch more because time has passed: a locality level opens, an exclusion expires. Not adaptive
  /// locality waits (see needs_revival).
  [[nodiscard]] std::optional<Instant> next_due() const;
  /// No instant can be named at which a waiting set launches more, and another round may: its waits are adaptive and
  /// change with the times of attempts that run, or it is a barrier set that found a place for some of its tasks.
  [[nodiscard]] bool needs_revival() const;
  /// Counts up when a host is excluded for the application, or let go of.
  [[nodiscard]] std::uint64_t host_exclusion_changes() const;
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
