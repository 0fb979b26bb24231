// Decides which task runs on which executor: task sets, pools, locality waits, failures, exclusion, unschedulable sets,
// speculation. Order: sets by pool rules (task_pools.hpp); per set from the nearest level to the farthest, passes over
// the offers in shuffled or given order, one task per executor and pass. Ties: order of submission (FIFO), name as a
// string (FAIR). Cost: a launch and its end are constant; a round adds the offers times the levels of the sets that get
// slots, and the pools. Source: Spark 3.5.3 TaskSchedulerImpl, TaskSetManager, Pool, TaskSetExcludelist, HealthTracker
// (spec TS, TSM, POOL, EXC, HT); queueing ahead is heddle's own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "policies/tasks/types/task_effects.hpp"
#include "policies/tasks/types/task_inputs.hpp"
#include "policies/tasks/types/task_questions.hpp"
#include "policies/tasks/types/task_scheduler_settings.hpp"
#include "policies/tasks/types/task_set_key.hpp"

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

  // Inputs; the comment of each is at its struct.
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

  /// When TimePassed changes something; none if no timer runs. Covers each instant at which a round over all executors
  /// can launch more because time has passed: a locality level opens, an exclusion expires. Does not cover adaptive
  /// locality waits (see needs_revival).
  [[nodiscard]] std::optional<Instant> next_due() const;
  /// True if another round may launch more, but at no known instant: a set has adaptive waits, which depend on running
  /// attempts, or a barrier set got slots for some of its tasks.
  [[nodiscard]] bool needs_revival() const;
  /// Number of changes to the hosts that are excluded for the application.
  [[nodiscard]] std::uint64_t host_exclusion_changes() const;
  /// The live attempt of a task by its indices; none if it is not live.
  [[nodiscard]] LaunchId find_attempt(TaskSetKey set, std::int32_t index, std::int32_t attempt) const;
  /// The launch with this id; none if the attempt is not live.
  [[nodiscard]] std::optional<TaskLaunch> launch_of(LaunchId attempt) const;
  /// A finished set is known until the next round or submission.
  [[nodiscard]] std::optional<TaskSetProgress> progress(TaskSetKey set) const;
  /// Known sets, by stage and attempt.
  [[nodiscard]] std::vector<TaskSetKey> task_sets() const;
  /// Locality levels of the set, nearest first; empty if the set is unknown.
  [[nodiscard]] std::vector<LocalityLevel> locality_levels(TaskSetKey set) const;
  /// State of an executor that is being decommissioned, or was and is still remembered; none otherwise.
  [[nodiscard]] std::optional<DecommissionState> decommission_state(ExecutorId executor) const;
  /// True if excluded for the application.
  [[nodiscard]] bool is_executor_excluded(ExecutorId executor) const;
  [[nodiscard]] bool is_host_excluded(HostId host) const;
  /// True if excluded in this set; for the whole set if `index` is -1.
  [[nodiscard]] bool is_executor_excluded(TaskSetKey set, ExecutorId executor, std::int32_t index) const;
  [[nodiscard]] bool is_host_excluded(TaskSetKey set, HostId host, std::int32_t index) const;
  /// Why the set launches nothing now.
  [[nodiscard]] TaskSetExplanation explain(Instant now, TaskSetKey set) const;
  /// Asserts the invariants between all tables.
  void check_invariants() const;

private:
  std::unique_ptr<TaskSchedulerState> state_;  // null only if moved from
};

}  // namespace heddle::policies
