#include "policies/tasks/task_speculation.hpp"

#include <algorithm>
#include <cmath>

#include "model/java_number.hpp"

namespace heddle::policies {
namespace {

std::int64_t whole_milliseconds(Instant instant) { return to_milliseconds(instant.time_since_epoch()); }

/// Number of tasks of the set that fit one executor; 1 if its cores are unknown.
std::int32_t slots_of_executor(const TaskSet& set, const TaskSchedulerSettings& settings) {
  if (!settings.executor_cores) return 1;
  const bool has_own = set.need && set.need->executor_cores > 0;
  const std::int32_t slots = (has_own ? set.need->executor_cores : *settings.executor_cores) / set.cores;
  return set.need ? std::min(slots, set.need->device_slots) : slots;
}

bool speculate_beyond(double threshold_ms, bool is_custom, Instant now, TaskSet& set,
                      const TaskSchedulerSettings& settings, const AttemptTable& attempts,
                      const ExecutorDirectory& directory, TaskSchedulerEffects& effects) {
  const SpeculationSettings& rule = *settings.speculation;
  const auto& kill_interval = rule.decommission_kill_interval;
  const auto outlives_its_executor = [&](const LiveAttempt& attempt) {
    if (is_custom || !kill_interval) return false;
    const ExecutorDirectory::Executor* executor = directory.find_executor(attempt.executor);
    if (executor == nullptr || !executor->is_decommissioned) return false;
    const auto expected_end = static_cast<double>(whole_milliseconds(attempt.launched)) +
                              static_cast<double>(set.copies.durations().median());
    return static_cast<double>(whole_milliseconds(directory.past(attempt.executor).decommissioned_at) +
                               to_milliseconds(*kill_interval)) < expected_end;
  };
  bool found = false;
  for (AttemptSlot slot = set.attempts_of_set.first; slot != no_attempt; slot = attempts.at(slot).next_of_set) {
    const LiveAttempt& attempt = attempts.at(slot);
    const TaskState& state = set.states[attempt.index];
    if (attempt.queued || state.is_successful || state.copies != 1 || set.copies.is_requested(attempt.index)) continue;
    const std::int64_t runtime = whole_milliseconds(now) - whole_milliseconds(attempt.launched);
    const bool is_long =
        is_custom || !rule.efficiency || static_cast<double>(runtime) > rule.long_run_factor * threshold_ms;
    const bool runs_too_long = static_cast<double>(runtime) > threshold_ms &&
                               (is_long || set.copies.rates().is_inefficient(attempt.id, rule.process_rate_share));
    if (!runs_too_long && !outlives_its_executor(attempt)) continue;
    set.copies.request(attempt.index, set.places_of(attempt.index), directory);
    effects.events.emplace_back(SpeculativeTaskSubmitted{set.key, attempt.index});
    found = true;
  }
  return found;
}

}  // namespace

bool check_speculation(Instant now, TaskSet& set, const TaskSchedulerSettings& settings, const AttemptTable& attempts,
                       const ExecutorDirectory& directory, TaskSchedulerEffects& effects) {
  const SpeculationSettings& rule = *settings.speculation;
  const bool has_threshold = rule.threshold && *rule.threshold > Duration::zero();
  if (set.flags.is_zombie || set.flags.is_barrier || (set.tasks == 1 && !has_threshold)) return false;
  const DurationMedian& durations = set.copies.durations();
  const std::int32_t finished_min = std::max(java::to_int(std::floor(rule.quantile * set.tasks)), 1);
  if (static_cast<std::int32_t>(durations.size()) >= finished_min) {
    const double longest = std::max(rule.multiplier * static_cast<double>(durations.median()),
                                    static_cast<double>(to_milliseconds(rule.min_runtime)));
    return speculate_beyond(longest, false, now, set, settings, attempts, directory, effects);
  }
  if (!has_threshold || set.tasks > slots_of_executor(set, settings)) return false;
  return speculate_beyond(static_cast<double>(to_milliseconds(*rule.threshold)), true, now, set, settings, attempts,
                          directory, effects);
}

}  // namespace heddle::policies
