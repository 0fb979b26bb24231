#include "policies/tasks/locality_waits.hpp"

#include <algorithm>

namespace heddle::policies {
namespace {

/// True if a task waits at the level. Removes stale entries from the lists it reads.
bool has_more_at(LocalityLevel level, PendingTasks& pending, const TaskStates& states) {
  const auto waits = [&](std::int32_t index) { return states.is_waiting(index); };
  switch (level) {
    case LocalityLevel::process: return pending.by_executor.has_task(pending.store, waits);
    case LocalityLevel::node: return pending.by_host.has_task(pending.store, waits);
    case LocalityLevel::no_pref: return !pending.without_preference.empty();
    case LocalityLevel::rack: return pending.by_rack.has_task(pending.store, waits);
    case LocalityLevel::any: break;
  }
  return false;
}

/// As has_more_at, but keeps stale entries and counts them.
bool seems_to_have_more_at(LocalityLevel level, const PendingTasks& pending, const TaskStates& states) {
  const auto waits = [&](std::int32_t index) { return states.is_waiting(index); };
  switch (level) {
    case LocalityLevel::process: return pending.by_executor.has_any_task(pending.store, waits);
    case LocalityLevel::node: return pending.by_host.has_any_task(pending.store, waits);
    case LocalityLevel::no_pref: return !pending.without_preference.empty();
    case LocalityLevel::rack: return pending.by_rack.has_any_task(pending.store, waits);
    case LocalityLevel::any: break;
  }
  return false;
}

}  // namespace

bool LocalityLevels::contains(LocalityLevel wanted) const {
  return std::find(level.begin(), level.begin() + static_cast<std::ptrdiff_t>(count), wanted) !=
         level.begin() + static_cast<std::ptrdiff_t>(count);
}

std::size_t LocalityLevels::position_of(LocalityLevel wanted) const {
  std::size_t place = 0;
  while (wanted > level[place]) ++place;
  return place;
}

LocalityLevels LocalityWaits::valid_levels(const PendingTasks& pending, const ExecutorDirectory& directory) {
  LocalityLevels levels;
  if (pending.by_executor.any_key([&](std::int32_t executor) { return directory.is_alive(executor); }))
    levels.add(LocalityLevel::process);
  if (pending.by_host.any_key([&](std::int32_t host) { return directory.has_alive_executor(HostId{host}); }))
    levels.add(LocalityLevel::node);
  if (!pending.without_preference.empty()) levels.add(LocalityLevel::no_pref);
  if (pending.by_rack.any_key([&](std::int32_t rack) { return directory.rack_is_alive(rack); }))
    levels.add(LocalityLevel::rack);
  levels.add(LocalityLevel::any);
  return levels;
}

Duration LocalityWaits::wait_at(LocalityLevel level) const {
  switch (level) {
    case LocalityLevel::process: return durations_[0];
    case LocalityLevel::node: return durations_[1];
    case LocalityLevel::rack: return durations_[2];
    case LocalityLevel::no_pref:
    case LocalityLevel::any: break;
  }
  return Duration::zero();
}

LocalityWaits::Outlook LocalityWaits::adaptive_outlook(Instant now, LocalityLevel nearest) const {
  const LocalityLevel farthest = levels_.level[levels_.count - 1];
  if (nearest > LocalityLevel::node || payoff_->might_go_far()) return {farthest, std::nullopt};
  const Instant opens = waiting_since_ + wait_at(nearest);
  if (now >= opens) return {farthest, std::nullopt};
  return {levels_.contains(LocalityLevel::node) ? LocalityLevel::node : nearest, opens};
}

LocalityLevel LocalityWaits::adaptive_level(Instant now, PendingTasks& pending, const TaskStates& states,
                                            const ExecutorDirectory& directory,
                                            const LocalityPayoff::PlacesOf& places_of) {
  std::size_t at = 0;
  while (at + 1 < levels_.count && !has_more_at(levels_.level[at], pending, states)) ++at;
  // The wait starts when slots may no longer take far tasks.
  if (payoff_->may_go_far(now, directory, places_of)) waiting_since_ = now;
  return adaptive_outlook(now, levels_.level[at]).level;
}

LocalityLevel LocalityWaits::allowed_level(Instant now, PendingTasks& pending, const TaskStates& states) {
  while (current_level_ + 1 < levels_.count) {
    const LocalityLevel level = levels_.level[current_level_];
    if (!has_more_at(level, pending, states)) {
      // No task waits at this level.
      waiting_since_ = now;
    } else if (now - waiting_since_ >= wait_at(level)) {
      // Not `now`: the wait of the next level starts when that of this level ends.
      waiting_since_ += wait_at(level);
    } else {
      return level;
    }
    ++current_level_;
  }
  is_blocked_ = false;
  return levels_.level[current_level_];
}

LocalityWaits::Outlook LocalityWaits::outlook(Instant now) const {
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

std::optional<Instant> LocalityWaits::next_opening(Instant now, const PendingTasks& pending,
                                                   const TaskStates& states) const {
  if (!is_blocked_ || current_level_ + 1 >= levels_.count) return std::nullopt;
  const LocalityLevel level = levels_.level[current_level_];
  const Instant opens = waiting_since_ + wait_at(level);
  return opens > now && seems_to_have_more_at(level, pending, states) ? opens : now;
}

void LocalityWaits::recompute_levels(const PendingTasks& pending, const ExecutorDirectory& directory) {
  const LocalityLevels old = levels_;
  const std::size_t old_place = current_level_;
  levels_ = valid_levels(pending, directory);
  if (payoff_) payoff_->on_executors_changed();
  current_level_ = levels_.position_of(old.level[old_place]);
  if (current_level_ <= old_place) return;
  // A nearer level was added: go back to the nearest new level.
  for (std::size_t i = 0; i < levels_.count; ++i) {
    if (old.contains(levels_.level[i])) continue;
    current_level_ = i;
    return;
  }
}

void LocalityWaits::reset_timer(Instant now, LocalityLevel level) {
  if (payoff_) return;  // adaptive waits: restart() resets the timer
  waiting_since_ = now;
  current_level_ = levels_.position_of(level);
}

}  // namespace heddle::policies
