// Delay scheduling of one task set: which locality level a slot may take now, and when the next one opens. Order:
// levels nearest first. With adaptive waits (locality_payoff.hpp) the fixed waits are upper bounds. Source: Spark 3.5.3
// TaskSetManager (spec TSM-5 to TSM-9, TS-6).
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>

#include "policies/tasks/adaptive_locality/locality_payoff.hpp"
#include "policies/tasks/pending_tasks.hpp"
#include "policies/tasks/task_states.hpp"
#include "policies/tasks/types/executor_directory.hpp"
#include "policies/tasks/types/task_scheduler_events.hpp"

namespace heddle::policies {

struct LocalityLevels {
  std::array<LocalityLevel, 5> level{LocalityLevel::any};
  std::size_t count = 0;
  void add(LocalityLevel next) { level[count++] = next; }
  [[nodiscard]] bool contains(LocalityLevel wanted) const;
  /// The first place whose level is at least as far as `wanted`.
  [[nodiscard]] std::size_t place_of(LocalityLevel wanted) const;
};

class LocalityWaits {
public:
  LocalityWaits(Instant now, const TaskSchedulerSettings& settings)
      : durations_{settings.wait_process, settings.wait_node, settings.wait_rack}, waiting_since_{now} {}

  /// The levels of a set whose lists were just filled.
  void begin(const PendingTasks& pending, const ExecutorDirectory& directory) {
    levels_ = valid_levels(pending, directory);
  }
  /// Executors came or went.
  void recompute_levels(const PendingTasks& pending, const ExecutorDirectory& directory);
  [[nodiscard]] const LocalityLevels& levels() const { return levels_; }

  /// The farthest level that the waits allow now; moves the timer on, and cleans lists that it looks at.
  [[nodiscard]] LocalityLevel allowed_level(Instant now, PendingTasks& pending, const TaskStates& states);
  /// The same with adaptive waits. Precondition: payoff() is not null.
  [[nodiscard]] LocalityLevel adaptive_level(Instant now, PendingTasks& pending, const TaskStates& states,
                                             const ExecutorDirectory& directory,
                                             const LocalityPayoff::PlacesOf& places_of);
  /// The same without moving anything: stale entries may make it nearer than allowed_level. When the next level opens,
  /// too.
  struct Outlook {
    LocalityLevel level = LocalityLevel::any;
    std::optional<Instant> opens_next;
  };
  [[nodiscard]] Outlook outlook(Instant now) const;

  /// A slot found nothing at the level that the waits allow, and was refused farther ones. Nothing with adaptive waits.
  void note_refusal() { is_blocked_ = !payoff_; }
  /// A slot was refused, and since then none was allowed the farthest level.
  [[nodiscard]] bool is_blocked() const { return is_blocked_; }
  /// When a slot that was refused may take more: `now` if it may already, none if time alone changes nothing. With
  /// adaptive waits always none: what they win has to be looked at again and again.
  [[nodiscard]] std::optional<Instant> next_opening(Instant now, const PendingTasks& pending,
                                                    const TaskStates& states) const;

  void reset_timer(Instant now, LocalityLevel level);
  /// With adaptive waits: the wait for places near the data begins now.
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

  /// Null: the waits are fixed.
  [[nodiscard]] LocalityPayoff* payoff() { return payoff_ ? &*payoff_ : nullptr; }
  LocalityPayoff& adapt(LocalityPayoff payoff) { return payoff_.emplace(std::move(payoff)); }
  void forget_payoff() { payoff_.reset(); }

private:
  [[nodiscard]] static LocalityLevels valid_levels(const PendingTasks& pending, const ExecutorDirectory& directory);
  [[nodiscard]] Duration wait_at(LocalityLevel level) const;
  /// The farthest level now, given the nearest at which something waits; `opens_next`: when that changes.
  [[nodiscard]] Outlook adaptive_outlook(Instant now, LocalityLevel nearest) const;

  LocalityLevels levels_;
  std::array<Duration, 3> durations_;  // process, node, rack
  std::size_t current_level_ = 0;
  Instant waiting_since_;
  bool is_blocked_ = false;
  std::optional<LocalityPayoff> payoff_;  // with adaptive waits
};

}  // namespace heddle::policies
