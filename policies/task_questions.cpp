// What can be asked of the task scheduler, and what must always hold.
#include <algorithm>

#include "model/assert.hpp"
#include "policies/task_scheduler_state.hpp"

namespace heddle::policies {

LaunchId TaskScheduler::find_attempt(TaskSetKey key, std::int32_t index, std::int32_t attempt) const {
  const TaskSet* set = state_->find_set(key);
  if (set == nullptr || index < 0 || index >= set->tasks) return LaunchId{};
  for (AttemptSlot slot = set->task(index).first_live; slot != no_attempt; slot = state_->attempts.at(slot).next_of_task)
    if (state_->attempts.at(slot).attempt == attempt) return state_->attempts.at(slot).id;
  return LaunchId{};
}

std::optional<TaskLaunch> TaskScheduler::launch_of(LaunchId id) const {
  const AttemptSlot slot = state_->attempts.find(id);
  if (slot == no_attempt) return std::nullopt;
  const LiveAttempt& attempt = state_->attempts.at(slot);
  const TaskSet& set = state_->sets[attempt.set];
  TaskLaunch launch;
  launch.id = id;
  launch.set = set.key;
  launch.index = attempt.index;
  launch.partition = set.partition_of(attempt.index);
  launch.attempt = attempt.attempt;
  launch.executor = ExecutorId{attempt.executor};
  launch.level = attempt.level;
  launch.speculative = attempt.speculative;
  launch.queued = attempt.queued;
  return launch;
}

std::optional<TaskSetProgress> TaskScheduler::progress(TaskSetKey key) const {
  const TaskSet* set = state_->find_set(key);
  if (set == nullptr) return std::nullopt;
  TaskSetProgress progress = set->progress;
  progress.running = set->running;
  progress.queued = set->queued;
  progress.successful = set->successful;
  progress.zombie = set->is_zombie;
  progress.finished = set->is_finished;
  return progress;
}

std::vector<TaskSetKey> TaskScheduler::task_sets() const {
  std::vector<TaskSetKey> keys;
  for (const auto& stage : state_->by_stage)
    for (const auto& attempt : stage.second) keys.push_back(state_->sets[attempt.second].key);
  return keys;
}

std::vector<LocalityLevel> TaskScheduler::locality_levels(TaskSetKey key) const {
  const TaskSet* set = state_->find_set(key);
  if (set == nullptr) return {};
  return {set->levels().level.begin(), set->levels().level.begin() + static_cast<std::ptrdiff_t>(set->levels().count)};
}

std::int32_t TaskScheduler::running_on(ExecutorId executor) const {
  const ExecutorDirectory::Executor* record = state_->directory.find_executor(static_cast<std::int32_t>(executor.value));
  if (record == nullptr) return 0;
  std::int32_t running = 0;
  for (AttemptSlot slot = record->attempts.first; slot != no_attempt; slot = state_->attempts.at(slot).next_on_executor)
    running += state_->attempts.at(slot).queued ? 0 : 1;
  return running;
}

std::vector<ExecutorId> TaskScheduler::idle_executors() const {
  std::vector<ExecutorId> idle;
  const auto& executors = state_->directory.executors();
  for (std::size_t number = 0; number < executors.size(); ++number)
    if (executors[number].is_known && executors[number].known_attempts == 0) idle.emplace_back(static_cast<std::int64_t>(number));
  return idle;
}

bool TaskScheduler::is_executor_excluded(ExecutorId executor) const {
  return state_->health && state_->health->is_excluded(static_cast<std::int32_t>(executor.value));
}

bool TaskScheduler::is_host_excluded(HostId host) const { return state_->health && state_->health->is_excluded(host); }

bool TaskScheduler::is_executor_excluded(TaskSetKey key, ExecutorId executor, std::int32_t index) const {
  const TaskSet* set = state_->find_set(key);
  if (set == nullptr || !set->exclusion) return false;
  const auto number = static_cast<std::int32_t>(executor.value);
  return index < 0 ? set->exclusion->excludes(number) : set->exclusion->excludes(number, index);
}

bool TaskScheduler::is_host_excluded(TaskSetKey key, HostId host, std::int32_t index) const {
  const TaskSet* set = state_->find_set(key);
  if (set == nullptr || !set->exclusion) return false;
  return index < 0 ? set->exclusion->excludes(host) : set->exclusion->excludes(host, index);
}

TaskSetExplanation TaskScheduler::explain(Instant, TaskSetKey) const { return {}; }

void TaskScheduler::check_invariants() const {}

}  // namespace heddle::policies
