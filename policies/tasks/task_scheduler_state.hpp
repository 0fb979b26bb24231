// Tables of the task scheduler, and the steps that its inputs share. Private to policies/tasks.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "policies/tasks/application_health.hpp"
#include "policies/tasks/offer_deadlines.hpp"
#include "policies/tasks/offer_round.hpp"
#include "policies/tasks/task_pools.hpp"
#include "policies/tasks/task_scheduler.hpp"
#include "policies/tasks/task_set.hpp"
#include "policies/tasks/types/attempt_table.hpp"
#include "policies/tasks/types/executor_directory.hpp"
#include "policies/tasks/types/task_descriptions.hpp"
#include "policies/tasks/types/task_effects.hpp"
#include "policies/tasks/types/task_questions.hpp"
#include "policies/tasks/types/task_scheduler_settings.hpp"
#include "policies/tasks/types/task_set_key.hpp"
#include "policies/tasks/unschedulable_sets.hpp"

namespace heddle::policies {

struct TaskSchedulerState {
  explicit TaskSchedulerState(TaskSchedulerSettings given) : settings{std::move(given)}, pools{settings} {
    if (settings.exclusion) health.emplace(*settings.exclusion, settings.shuffle_service);
  }

  TaskSchedulerSettings settings;
  ExecutorDirectory directory;
  AttemptTable attempts;
  TaskSets sets;
  std::vector<TaskSetSlot> free_sets;
  std::vector<TaskSetSlot> finished_sets;
  std::map<StageId, std::map<std::int32_t, TaskSetSlot>> by_stage;
  TaskPools pools;
  std::optional<ApplicationHealth> health;
  UnschedulableSets unschedulable;
  std::uint64_t next_order = 0;
  LocalityHistory locality_history;
  std::int32_t sets_with_cores = 0;  // known sets with another number of task cores than the setting
  OfferDeadlines offer_deadlines;
  std::optional<Instant> reported_expiry;  // expiry of an exclusion for which all executors were offered
  std::deque<std::pair<std::int32_t, DecommissionState>> removed_decommissioned;  // oldest first
  std::deque<std::pair<std::int32_t, bool>> unknown_decommissions;  // executor, true if its whole host; oldest first
  OfferRound round;
};

// -- sets (task_scheduler.cpp) ---------------------------------------------------
TaskSetSlot make_set(TaskSchedulerState& state, Instant now, const TaskSetDescription& description);
/// The slot of a set that is known or has just finished; no_set if none.
[[nodiscard]] TaskSetSlot slot_of(const TaskSchedulerState& state, TaskSetKey key);
[[nodiscard]] const TaskSet* find_set(const TaskSchedulerState& state, TaskSetKey key);
/// Removes a zombie set without running attempts.
void maybe_finish(TaskSchedulerState& state, Instant now, TaskSetSlot slot, TaskSchedulerEffects& effects);
/// A task is to run (again).
inline void add_pending(TaskSchedulerState& state, TaskSet& set, std::int32_t index) {
  set.add_pending(index, state.directory);
  state.pools.mark_waiting(set);
}
void abort_set(TaskSchedulerState& state, Instant now, TaskSetSlot slot, SetFailure failure, std::int32_t index,
               TaskSchedulerEffects& effects);
/// When an executor or host that a waiting set could use is no longer excluded; none if already reported.
[[nodiscard]] std::optional<Instant> next_exclusion_expiry(const TaskSchedulerState& state);
/// Frees the slots of finished sets that no timer refers to.
void sweep_finished(TaskSchedulerState& state);

// -- rounds (task_rounds.cpp) ----------------------------------------------------
/// True if an executor is new, or has more slots than known.
bool register_offers(TaskSchedulerState& state, Instant now, std::span<const SlotOffer> offers,
                     TaskSchedulerEffects& effects);
/// After the turn of a set: sets the deadline at which all executors must be offered, if refused ones may take more.
void update_deadline(TaskSchedulerState& state, Instant now, TaskSetSlot slot, const LocalityWaits::Timer& before,
                     bool is_full);
/// Checks the task binary before a launch. False if it cannot be sent; then the set is aborted.
bool check_task_binary(TaskSchedulerState& state, Instant now, TaskSetSlot slot, std::int32_t index,
                       TaskSchedulerEffects& effects);
AttemptSlot launch(TaskSchedulerState& state, Instant now, TaskSetSlot slot, const OfferPlace& place,
                   const TaskSet::Dequeued& task, bool queued, TaskSchedulerEffects& effects);
/// The effect that describes a launch.
[[nodiscard]] TaskLaunch launch_effect_of(const TaskSchedulerState& state, const LiveAttempt& attempt);
void find_unschedulable(TaskSchedulerState& state, Instant now, TaskSetSlot slot, TaskSchedulerEffects& effects);
[[nodiscard]] bool can_run_nowhere(const TaskSchedulerState& state, const TaskSet& set, std::int32_t index);

// -- endings (task_endings.cpp) --------------------------------------------------
/// False if the attempt is unknown, or its executor was removed.
bool report_attempt(TaskSchedulerState& state, Instant now, LaunchId id, const AttemptStatus& status,
                    TaskSchedulerEffects& effects);
/// Removes the attempt from the tables. Returns a copy of it.
LiveAttempt end_attempt(TaskSchedulerState& state, AttemptSlot slot);
void succeed_attempt(TaskSchedulerState& state, Instant now, AttemptSlot slot, TaskSchedulerEffects& effects);
void remove_executor(TaskSchedulerState& state, Instant now, std::int32_t executor, LossReason reason,
                     TaskSchedulerEffects& effects);

}  // namespace heddle::policies
