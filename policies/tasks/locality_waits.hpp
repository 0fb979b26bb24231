// Delay scheduling of one task set: the farthest locality level that a slot may take now, and when the next level
// opens. Order: nearest level first. With adaptive waits (locality_payoff.hpp) the fixed waits are upper bounds.
// Source: Spark 3.5.3 TaskSetManager (spec TSM-5 to TSM-9, TS-6).
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>

#include "policies/tasks/adaptive_locality/locality_payoff.hpp"
#include "policies/tasks/pending_tasks.hpp"
#include "policies/tasks/task_states.hpp"
#include "policies/tasks/types/executor_directory.hpp"
#include "policies/tasks/types/task_scheduler_settings.hpp"

namespace heddle::policies {

struct LocalityLevels {
  std::array<LocalityLevel, 5> level{LocalityLevel::any};
  std::size_t count = 0;
  void add(LocalityLevel next) { level[count++] = next; }
  [[nodiscard]] bool contains(LocalityLevel wanted) const;
  /// Index of the first level that is at least as far as `wanted`.
  [[nodiscard]] std::size_t position_of(LocalityLevel wanted) const;
};

class LocalityWaits {
public:
  LocalityWaits(Instant now, const TaskSchedulerSettings& settings)
      : durations_{settings.wait_process, settings.wait_node, settings.wait_rack}, waiting_since_{now} {}

  /// Computes the levels after the pending lists were filled.
  void begin(const PendingTasks& pending, const ExecutorDirectory& directory) {
    levels_ = valid_levels(pending, directory);
  }
  /// Recomputes the levels after executors were added or removed.
  void recompute_levels(const PendingTasks& pending, const ExecutorDirectory& directory);
  [[nodiscard]] const LocalityLevels& levels() const { return levels_; }

  /// The farthest level that the waits allow now. Advances the timer and removes stale entries from the lists it reads.
  [[nodiscard]] LocalityLevel allowed_level(Instant now, PendingTasks& pending, const TaskStates& states);
  /// As allowed_level, with adaptive waits. Precondition: payoff() is not null.
  [[nodiscard]] LocalityLevel adaptive_level(Instant now, PendingTasks& pending, const TaskStates& states,
                                             const ExecutorDirectory& directory,
                                             const LocalityPayoff::PlacesOf& places_of);
  /// As allowed_level without changes, and the instant at which the next level opens. Stale entries may make the level
  /// nearer than that of allowed_level.
  struct Outlook {
    LocalityLevel level = LocalityLevel::any;
    std::optional<Instant> opens_next;
  };
  [[nodiscard]] Outlook outlook(Instant now) const;

  /// A slot found no task at the allowed level and was refused farther ones. Without effect if waits are adaptive.
  void record_refusal() { is_blocked_ = !payoff_; }
  /// True if a slot was refused, and the farthest level was not allowed since then.
  [[nodiscard]] bool is_blocked() const { return is_blocked_; }
  /// When a refused slot may take more tasks: `now` if it may already, none if time alone changes nothing. Always none
  /// with adaptive waits, since their gain depends on running attempts and not on time alone.
  [[nodiscard]] std::optional<Instant> next_opening(Instant now, const PendingTasks& pending,
                                                    const TaskStates& states) const;

  void reset_timer(Instant now, LocalityLevel level);
  /// Adaptive waits: starts the wait for local slots now.
  void restart(Instant now) { waiting_since_ = now; }
  struct Timer {
    std::size_t level = 0;
    Instant since;
    bool is_blocked = false;
  };
  [[nodiscard]] Timer timer() const { return {current_level_, waiting_since_, is_blocked_}; }
  void restore(Timer timer) {
    current_level_ = timer.level;
    waiting_since_ = timer.since;
    is_blocked_ = timer.is_blocked;
  }

  /// Null if the waits are fixed.
  [[nodiscard]] LocalityPayoff* payoff() { return payoff_ ? &*payoff_ : nullptr; }
  LocalityPayoff& adapt(LocalityPayoff payoff) { return payoff_.emplace(std::move(payoff)); }
  void remove_payoff() { payoff_.reset(); }

private:
  [[nodiscard]] static LocalityLevels valid_levels(const PendingTasks& pending, const ExecutorDirectory& directory);
  [[nodiscard]] Duration wait_at(LocalityLevel level) const;
  /// The farthest level now, given the nearest level with a waiting task. `opens_next`: when the level changes.
  [[nodiscard]] Outlook adaptive_outlook(Instant now, LocalityLevel nearest) const;

  LocalityLevels levels_;
  std::array<Duration, 3> durations_;  // process, node, rack
  std::size_t current_level_ = 0;
  Instant waiting_since_;
  bool is_blocked_ = false;
  std::optional<LocalityPayoff> payoff_;  // set if waits are adaptive
};

}  // namespace heddle::policies
