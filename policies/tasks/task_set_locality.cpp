// Locality levels of a task set and the timer that walks through them, and the look for tasks that run too long.
#include <algorithm>
#include <cmath>

#include "model/java_number.hpp"
#include "policies/tasks/task_set.hpp"

namespace heddle::policies {
namespace {

std::int64_t whole_milliseconds(Instant instant) { return to_milliseconds(instant.time_since_epoch()); }

}  // namespace

LocalityLevels TaskSet::valid_levels(const ExecutorDirectory& directory) const {
  LocalityLevels levels;
  if (pending_.by_executor.any_key([&](std::int32_t executor) { return directory.is_alive(executor); }))
    levels.add(LocalityLevel::process);
  if (pending_.by_host.any_key([&](std::int32_t host) { return directory.has_alive_executor(HostId{host}); }))
    levels.add(LocalityLevel::node);
  if (!pending_.without_preference.empty()) levels.add(LocalityLevel::no_pref);
  if (pending_.by_rack.any_key([&](std::int32_t rack) { return directory.rack_is_alive(rack); }))
    levels.add(LocalityLevel::rack);
  levels.add(LocalityLevel::any);
  return levels;
}

Duration TaskSet::wait_at(LocalityLevel level) const {
  switch (level) {
    case LocalityLevel::process: return waits_[0];
    case LocalityLevel::node: return waits_[1];
    case LocalityLevel::rack: return waits_[2];
    case LocalityLevel::no_pref:
    case LocalityLevel::any: break;
  }
  return Duration::zero();
}

bool TaskSet::has_more_at(LocalityLevel level) {
  const auto waits = [this](std::int32_t index) { return is_waiting(index); };
  switch (level) {
    case LocalityLevel::process: return pending_.by_executor.has_task(pending_.store, waits);
    case LocalityLevel::node: return pending_.by_host.has_task(pending_.store, waits);
    case LocalityLevel::no_pref: return !pending_.without_preference.empty();
    case LocalityLevel::rack: return pending_.by_rack.has_task(pending_.store, waits);
    case LocalityLevel::any: break;
  }
  return false;
}

TaskSet::LevelOutlook TaskSet::adaptive_outlook(Instant now, LocalityLevel nearest) const {
  const LocalityLevel farthest = levels_.level[levels_.count - 1];
  if (nearest > LocalityLevel::node || payoff_->might_go_far()) return {farthest, std::nullopt};
  const Instant opens = waiting_since_ + wait_at(nearest);
  if (now >= opens) return {farthest, std::nullopt};
  return {levels_.contains(LocalityLevel::node) ? LocalityLevel::node : nearest, opens};
}

LocalityLevel TaskSet::adaptive_level(Instant now, const ExecutorDirectory& directory) {
  std::size_t at = 0;
  while (at + 1 < levels_.count && !has_more_at(levels_.level[at])) ++at;
  // While a slot may take what is far nobody waits: the wait begins when that ends.
  if (payoff_->may_go_far(now, directory, [this](std::int32_t index) { return places_of(index); }))
    waiting_since_ = now;
  return adaptive_outlook(now, levels_.level[at]).level;
}

LocalityLevel TaskSet::allowed_level(Instant now, LocalityLevel wanted, const ExecutorDirectory& directory) {
  // Near its data a task may always be taken.
  if (payoff_) return wanted <= LocalityLevel::no_pref ? wanted : adaptive_level(now, directory);
  while (current_level_ + 1 < levels_.count) {
    const LocalityLevel level = levels_.level[current_level_];
    if (!has_more_at(level)) {
      // Nothing to wait for here.
      waiting_since_ = now;
    } else if (now - waiting_since_ >= wait_at(level)) {
      // Not `now`: the next level's wait has begun when this one's ended.
      waiting_since_ += wait_at(level);
    } else {
      return level;
    }
    ++current_level_;
  }
  return levels_.level[current_level_];
}

TaskSet::LevelOutlook TaskSet::level_outlook(Instant now) const {
  if (payoff_) return adaptive_outlook(now, levels_.level[0]);
  std::size_t level = current_level_;
  Instant since = waiting_since_;
  for (; level + 1 < levels_.count; ++level) {
    const Duration wait = wait_at(levels_.level[level]);
    if (now - since < wait) return {levels_.level[level], since + wait};
    since += wait;
  }
  return {levels_.level[level], std::nullopt};
}

void TaskSet::recompute_levels(const ExecutorDirectory& directory) {
  const LocalityLevels old = levels_;
  const std::size_t old_place = current_level_;
  levels_ = valid_levels(directory);
  if (payoff_) payoff_->on_executors_changed();
  current_level_ = levels_.place_of(old.level[old_place]);
  if (current_level_ <= old_place) return;
  // A nearer level has come: go back to the first that is new.
  for (std::size_t i = 0; i < levels_.count; ++i) {
    if (old.contains(levels_.level[i])) continue;
    current_level_ = i;
    return;
  }
}

void TaskSet::reset_timer(Instant now, LocalityLevel level) {
  if (payoff_) return;  // note_taken does
  waiting_since_ = now;
  current_level_ = levels_.place_of(level);
}

std::int32_t TaskSet::slots_of_executor(const TaskSchedulerSettings& settings) const {
  if (!settings.executor_cores) return 1;
  const bool has_own = need && need->executor_cores > 0;
  const std::int32_t slots = (has_own ? need->executor_cores : *settings.executor_cores) / cores;
  return need ? std::min(slots, need->device_slots) : slots;
}

bool TaskSet::check_speculation(Instant now, const TaskSchedulerSettings& settings, const AttemptTable& attempts,
                                const ExecutorDirectory& directory, TaskSchedulerEffects& effects) {
  const SpeculationSettings& rule = *settings.speculation;
  const bool has_threshold = rule.threshold && *rule.threshold > Duration::zero();
  if (is_zombie || is_barrier || (tasks == 1 && !has_threshold)) return false;
  const std::int32_t finished_min = std::max(java::to_int(std::floor(rule.quantile * tasks)), 1);
  if (static_cast<std::int32_t>(durations_.size()) >= finished_min) {
    const double longest = std::max(rule.multiplier * static_cast<double>(durations_.median()),
                                    static_cast<double>(to_milliseconds(rule.min_runtime)));
    return speculate_beyond(longest, false, now, settings, attempts, directory, effects);
  }
  if (!has_threshold || tasks > slots_of_executor(settings)) return false;
  return speculate_beyond(static_cast<double>(to_milliseconds(*rule.threshold)), true, now, settings, attempts,
                          directory, effects);
}

void TaskSet::note_progress(LaunchId attempt, const AttemptProgress& seen, bool is_final) {
  const double seconds = static_cast<double>(to_milliseconds(seen.run_time)) / 1000.0;
  if (!is_final) {
    if (seconds > 0) rates_.insert_or_assign(attempt, static_cast<double>(seen.records) / seconds);
    return;
  }
  records_done_ += static_cast<double>(seen.records);
  seconds_done_ += seconds;
}

/// A rate that nobody has told is 0, an average of nothing is beyond all.
bool TaskSet::is_inefficient(LaunchId attempt, double share) const {
  if (seconds_done_ <= 0) return true;
  const auto row = rates_.find(attempt);
  return (row == rates_.end() ? 0.0 : row->second) < records_done_ / seconds_done_ * share;
}

bool TaskSet::speculate_beyond(double threshold_ms, bool is_custom, Instant now, const TaskSchedulerSettings& settings,
                               const AttemptTable& attempts, const ExecutorDirectory& directory,
                               TaskSchedulerEffects& effects) {
  const SpeculationSettings& rule = *settings.speculation;
  const auto& kill_interval = rule.decommission_kill_interval;
  const auto outlives_its_executor = [&](const LiveAttempt& attempt) {
    if (is_custom || !kill_interval) return false;
    const ExecutorDirectory::Executor* executor = directory.find_executor(attempt.executor);
    if (executor == nullptr || !executor->is_decommissioned) return false;
    const auto expected_end =
        static_cast<double>(whole_milliseconds(attempt.launched)) + static_cast<double>(durations_.median());
    return static_cast<double>(whole_milliseconds(directory.past(attempt.executor).decommissioned_at) +
                               to_milliseconds(*kill_interval)) < expected_end;
  };
  bool found = false;
  for (AttemptSlot slot = attempts_of_set.first; slot != no_attempt; slot = attempts.at(slot).next_of_set) {
    const LiveAttempt& attempt = attempts.at(slot);
    const TaskState& state = task(attempt.index);
    if (attempt.queued || state.is_successful || state.copies != 1 || speculatable_.contains(attempt.index)) continue;
    const std::int64_t runtime = whole_milliseconds(now) - whole_milliseconds(attempt.launched);
    const bool is_long =
        is_custom || !rule.efficiency || static_cast<double>(runtime) > rule.long_run_factor * threshold_ms;
    const bool runs_too_long =
        static_cast<double>(runtime) > threshold_ms && (is_long || is_inefficient(attempt.id, rule.process_rate_share));
    if (!runs_too_long && !outlives_its_executor(attempt)) continue;
    add_pending(attempt.index, true, directory);
    speculatable_.insert(attempt.index);
    ever_speculatable_.insert(attempt.index);
    effects.events.emplace_back(SpeculativeTaskSubmitted{key, attempt.index});
    found = true;
  }
  return found;
}

}  // namespace heddle::policies
