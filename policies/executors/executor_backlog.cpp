// The listener half of ExecutorAllocation: how stages and tasks change the sums per profile. The entry of a stage
// attempt lives until its last task has ended, and stores its contribution to the sums, so that a change is a
// difference.
#include <algorithm>

#include "model/assert.hpp"
#include "policies/executors/executor_allocation.hpp"

namespace heddle::policies {

// -- state of the backlog -----------------------------------------------------------

void ExecutorAllocation::mark_backlog(Instant now) {
  if (!add_time_) add_time_ = now + settings_.backlog_timeout;
}

void ExecutorAllocation::mark_drained() {
  add_time_.reset();
  for (Profile& entry : profiles_) {
    if (entry.to_add >= 0) entry.to_add = 1;
  }
}

/// Applies the difference of one attempt to the sums.
void ExecutorAllocation::recount(Attempt& attempt) {
  has_changed_ = true;
  if (!attempt.profile) return;
  Profile& sums = profiles_[static_cast<std::size_t>(attempt.profile->value)];
  const std::int32_t pending = attempt.tasks.value_or(0) - (attempt.started ? attempt.started->count() : 0);
  const std::int32_t speculative = attempt.speculative_pending ? attempt.speculative_pending->count() : 0;
  sums.pending += pending - attempt.counted_pending;
  sums.speculative += speculative - attempt.counted_speculative;
  sums.running += attempt.running - attempt.counted_running;
  sums.unschedulable += (attempt.is_unschedulable ? 1 : 0) - (attempt.counted_unschedulable ? 1 : 0);
  backlog_.attempts_with_pending += (pending > 0 ? 1 : 0) - (attempt.counted_pending > 0 ? 1 : 0);
  backlog_.attempts_with_speculative += (speculative > 0 ? 1 : 0) - (attempt.counted_speculative > 0 ? 1 : 0);
  attempt.counted_pending = pending;
  attempt.counted_speculative = speculative;
  attempt.counted_running = attempt.running;
  attempt.counted_unschedulable = attempt.is_unschedulable;
}

/// An attempt without tasks counts for no profile.
void ExecutorAllocation::drop_if_unused(AttemptKey key) {
  const auto position = attempts_.find(key);
  if (position == attempts_.end()) return;
  Attempt& attempt = position->second;
  if (attempt.tasks || attempt.running > 0 || attempt.started || attempt.speculative_pending ||
      attempt.speculative_running)
    return;
  if (attempt.profile) {
    Profile& sums = profiles_[static_cast<std::size_t>(attempt.profile->value)];
    sums.unschedulable -= attempt.counted_unschedulable ? 1 : 0;
    attempt.counted_unschedulable = false;
    attempt.profile.reset();
  }
  if (!attempt.is_unschedulable) attempts_.erase(position);
}

// -- stages ------------------------------------------------------------------------

void ExecutorAllocation::apply(Instant now, const allocation_input::StageBegun& input, AllocationEffects& effects) {
  if (!settings_.dynamic) return;
  is_initializing_ = false;
  Attempt& attempt = attempts_[{input.stage, input.attempt}];
  if (!attempt.tasks) backlog_.active_attempts += 1;
  attempt.tasks = input.tasks;
  mark_backlog(now);
  Profile& entry = profile(input.profile);
  if (!attempt.profile) attempt.profile = input.profile;
  if (entry.to_add < 0) entry.to_add = 1;
  recount(attempt);
  drop_hints(attempt);
  attempt.hint_profile = input.profile;
  set_hints(attempt, input.partitions, input.places);
  if (entry.target >= 0) return;
  entry.target = settings_.executors_initial;
  if (entry.target > 0) effects.emplace_back(totals(false));
}

/// Counts tasks per preferred host. A task without preferred locations is not counted.
void ExecutorAllocation::set_hints(Attempt& attempt, const std::vector<IndexRange>& partitions,
                                   const TaskSetLocations& places) {
  if (!places.lists || places.lists->is_blank()) return;
  std::vector<std::int32_t> tasks_of_host;
  std::size_t position = 0;
  for (const IndexRange& range : partitions) {
    for (std::int32_t partition = range.first; partition < range.first + range.count; ++partition, ++position) {
      const auto named = places.of(position, partition);
      attempt.locality_tasks += named.empty() ? 0 : 1;
      for (const PreferredLocation& place : named) {
        HEDDLE_ASSERT(!place.host.is_none(), "preferred location without a host");
        const auto host = static_cast<std::size_t>(place.host.value);
        if (tasks_of_host.size() <= host) tasks_of_host.resize(std::max(host + 1, tasks_of_host.size() * 2), 0);
        tasks_of_host[host] += 1;
      }
    }
  }
  Profile& sums = profiles_[static_cast<std::size_t>(attempt.hint_profile->value)];
  sums.locality_tasks += attempt.locality_tasks;
  for (std::size_t host = 0; host < tasks_of_host.size(); ++host) {
    if (tasks_of_host[host] == 0) continue;
    const HostId id{static_cast<std::int32_t>(host)};
    attempt.hosts.push_back({id, tasks_of_host[host]});
    sums.hosts[id] += tasks_of_host[host];
  }
}

void ExecutorAllocation::drop_hints(Attempt& attempt) {
  if (!attempt.hint_profile) return;
  Profile& sums = profiles_[static_cast<std::size_t>(attempt.hint_profile->value)];
  sums.locality_tasks -= attempt.locality_tasks;
  for (const HostTasks& hint : attempt.hosts) {
    const auto position = sums.hosts.find(hint.host);
    position->second -= hint.tasks;
    if (position->second == 0) sums.hosts.erase(position);
  }
  attempt.locality_tasks = 0;
  attempt.hosts.clear();
  attempt.hint_profile.reset();
}

void ExecutorAllocation::apply(Instant, const allocation_input::StageEnded& input) {
  if (!settings_.dynamic) return;
  const AttemptKey key{input.stage, input.attempt};
  const auto position = attempts_.find(key);
  if (position != attempts_.end()) {
    Attempt& attempt = position->second;
    if (attempt.tasks) backlog_.active_attempts -= 1;
    if (attempt.speculative_pending) backlog_.speculative_sets -= 1;
    if (attempt.speculative_running) backlog_.speculative_sets -= 1;
    attempt.tasks.reset();
    attempt.speculative_pending.reset();
    attempt.started.reset();
    attempt.speculative_running.reset();
    drop_hints(attempt);
    recount(attempt);
    drop_if_unused(key);
  }
  if (backlog_.active_attempts == 0 && backlog_.speculative_sets == 0) mark_drained();
}

// -- tasks -------------------------------------------------------------------------

void ExecutorAllocation::apply(Instant now, const allocation_input::TaskStarted& input) {
  if (!settings_.dynamic) return;
  Attempt& attempt = attempts_[{input.stage, input.attempt}];
  attempt.running += 1;
  if (input.is_speculative) {
    if (!attempt.speculative_running) {
      attempt.speculative_running.emplace();
      backlog_.speculative_sets += 1;
    }
    attempt.speculative_running->insert(input.index);
    if (attempt.speculative_pending) attempt.speculative_pending->erase(input.index);
  } else {
    if (!attempt.started) attempt.started.emplace();
    attempt.started->insert(input.index);
  }
  recount(attempt);
  if (!backlog_.has_pending_tasks()) mark_drained();
  monitor_.on_task_started(now, input.executor);
}

void ExecutorAllocation::apply(Instant now, const allocation_input::TaskStopped& input) {
  if (!settings_.dynamic) return;
  const AttemptKey key{input.stage, input.attempt};
  const auto position = attempts_.find(key);
  Attempt* attempt = position == attempts_.end() ? nullptr : &position->second;
  bool has_ended = false;
  if (attempt != nullptr) {
    if (attempt->running > 0) {
      attempt->running -= 1;
      has_ended = attempt->running == 0;
    }
    if (input.is_speculative && attempt->speculative_running) attempt->speculative_running->erase(input.index);
    if (input.reason == TaskEndReason::success && attempt->speculative_pending)
      attempt->speculative_pending->erase(input.index);
    recount(*attempt);
  }
  if (input.reason == TaskEndReason::failed) {
    if (!backlog_.has_pending_tasks()) mark_backlog(now);
    if (attempt != nullptr && !input.is_speculative && attempt->started && attempt->started->erase(input.index))
      recount(*attempt);
  }
  if (has_ended) drop_if_unused(key);
  monitor_.on_task_ended(now, input.stage, input.executor, input.reason);
}

void ExecutorAllocation::apply(Instant now, const allocation_input::CopySubmitted& input) {
  if (!settings_.dynamic) return;
  Attempt& attempt = attempts_[{input.stage, input.attempt}];
  if (!attempt.speculative_pending) {
    attempt.speculative_pending.emplace();
    backlog_.speculative_sets += 1;
  }
  attempt.speculative_pending->insert(input.index);
  recount(attempt);
  mark_backlog(now);
}

void ExecutorAllocation::apply(Instant now, const allocation_input::SetUnschedulable& input) {
  if (!settings_.dynamic) return;
  Attempt& attempt = attempts_[{input.stage, input.attempt}];
  attempt.is_unschedulable = true;
  recount(attempt);
  mark_backlog(now);
}

void ExecutorAllocation::apply(Instant, const allocation_input::SetSchedulable& input) {
  if (!settings_.dynamic) return;
  const AttemptKey key{input.stage, input.attempt};
  const auto position = attempts_.find(key);
  if (position == attempts_.end()) return;
  position->second.is_unschedulable = false;
  recount(position->second);
  drop_if_unused(key);
}

void ExecutorAllocation::apply(Instant, const allocation_input::JobBegun& input) {
  if (!settings_.dynamic) return;
  has_changed_ = true;
  monitor_.on_job_started(input.job, input.stages);
}

void ExecutorAllocation::apply(Instant, const allocation_input::JobDone& input) {
  if (!settings_.dynamic) return;
  has_changed_ = true;
  monitor_.on_job_ended(input.job);
}

// -- executors and their blocks --------------------------------------------------------

void ExecutorAllocation::apply(Instant, const allocation_input::ExecutorActive& input) {
  if (settings_.dynamic) monitor_.on_active(input.executor);
}

void ExecutorAllocation::apply(Instant now, const allocation_input::ExecutorRegistered& input) {
  if (!settings_.dynamic) return;
  has_changed_ = true;
  monitor_.on_executor_added(now, input.executor, input.profile);
}

std::optional<RemovalKind> ExecutorAllocation::apply(Instant, const allocation_input::ExecutorGone& input) {
  if (!settings_.dynamic) return std::nullopt;
  has_changed_ = true;
  return monitor_.on_executor_removed(input.executor, input.reason);
}

void ExecutorAllocation::apply(Instant now, const allocation_input::BlockUpdated& input) {
  if (!settings_.dynamic) return;
  has_changed_ = true;
  monitor_.on_block_updated(now, input.executor, input.dataset, input.partition, input.level);
}

void ExecutorAllocation::apply(Instant, const allocation_input::DatasetDropped& input) {
  if (!settings_.dynamic) return;
  has_changed_ = true;
  monitor_.on_unpersisted(input.dataset);
}

void ExecutorAllocation::apply(Instant, const allocation_input::ShuffleDropped& input) {
  if (!settings_.dynamic) return;
  has_changed_ = true;
  monitor_.on_shuffle_cleaned(input.shuffle);
}

void ExecutorAllocation::check_invariants() const {
  monitor_.check_invariants();
  std::vector<Profile> sums(profiles_.size());
  std::int32_t with_pending = 0;
  std::int32_t with_speculative = 0;
  std::int32_t active = 0;
  std::int32_t speculative_sets = 0;
  for (const auto& [key, attempt] : attempts_) {
    active += attempt.tasks ? 1 : 0;
    speculative_sets += (attempt.speculative_pending ? 1 : 0) + (attempt.speculative_running ? 1 : 0);
    HEDDLE_ASSERT(!attempt.started || attempt.started->is_consistent(),
                  "started tasks of stage " + to_string(key.first));
    if (!attempt.profile) continue;
    Profile& of_profile = sums[static_cast<std::size_t>(attempt.profile->value)];
    const std::int32_t pending = attempt.tasks.value_or(0) - (attempt.started ? attempt.started->count() : 0);
    const std::int32_t speculative = attempt.speculative_pending ? attempt.speculative_pending->count() : 0;
    of_profile.pending += pending;
    of_profile.speculative += speculative;
    of_profile.running += attempt.running;
    of_profile.unschedulable += attempt.is_unschedulable ? 1 : 0;
    with_pending += pending > 0 ? 1 : 0;
    with_speculative += speculative > 0 ? 1 : 0;
  }
  HEDDLE_ASSERT(active == backlog_.active_attempts && speculative_sets == backlog_.speculative_sets,
                "number of active attempts");
  HEDDLE_ASSERT(
      with_pending == backlog_.attempts_with_pending && with_speculative == backlog_.attempts_with_speculative,
      "attempts with pending tasks");
  for (std::size_t index = 0; index < sums.size(); ++index) {
    const Profile& kept = profiles_[index];
    const bool is_right = kept.pending == sums[index].pending && kept.speculative == sums[index].speculative &&
                          kept.running == sums[index].running && kept.unschedulable == sums[index].unschedulable;
    HEDDLE_ASSERT(is_right, "sums of profile " + std::to_string(index));
    HEDDLE_ASSERT(kept.locality_tasks >= 0, "hints of profile " + std::to_string(index));
  }
}

}  // namespace heddle::policies
