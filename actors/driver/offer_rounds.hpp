// Which executors the next round offers, and when rounds are due. Many events cause one round.
// A plain class: no actor, no clock.
#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "actors/driver/executor_pool.hpp"
#include "model/time.hpp"
#include "policies/tasks/types/task_scheduler_events.hpp"

namespace heddle::actors {

/// Settings of the rounds.
struct OfferRoundSettings {
  Duration revive_interval{0};                   // see revive_later
  std::optional<Duration> speculation_interval;  // none: no speculation
  Duration starvation_timeout{0};
  bool starves_until_launch = false;  // the warning ends with the first launch, not with the first offer (TS-14)
};

class OfferRounds {
public:
  explicit OfferRounds(const OfferRoundSettings& settings) : settings_{settings} {}

  // -- the next round -----------------------------------------------------------------------
  void add(ExecutorId executor) { changed_.insert(executor); }
  void add_all() { is_full_ = true; }
  void remove(ExecutorId executor) { changed_.erase(executor); }
  /// True if no round is on its way yet: the caller has to send ReviveOffers.
  [[nodiscard]] bool claim() { return !std::exchange(is_due_, true); }
  /// ReviveOffers has arrived.
  void arrived() { is_due_ = false; }
  /// Begins a round: its offers, and whether they are of all executors.
  bool begin(ExecutorPool& pool);
  [[nodiscard]] std::vector<policies::SlotOffer>& offers() { return offers_; }

  // -- the warning that the first job is offered nothing ----------------------------------------
  void on_task_set(Instant now);
  void on_offered() {
    if (!settings_.starves_until_launch) has_started_ = true;
  }
  void on_launched() { has_started_ = true; }
  /// True when the warning is due; it is repeated.
  [[nodiscard]] bool take_starvation_due(Instant now);

  // -- intervals ---------------------------------------------------------------------------------
  /// A round over all executors in one interval, if none is due earlier: no event says when tasks that are queued ahead
  /// are better run elsewhere, or when adaptive locality waits are over.
  void revive_later(Instant now);
  [[nodiscard]] bool take_revive_due(Instant now);
  [[nodiscard]] bool take_speculation_due(Instant now);
  [[nodiscard]] std::optional<Instant> next_due() const;

private:
  OfferRoundSettings settings_;
  std::set<ExecutorId> changed_;  // their free slots may have changed
  bool is_full_ = false;
  bool is_due_ = false;  // ReviveOffers is on its way
  std::vector<policies::SlotOffer> offers_;
  std::optional<Instant> revive_due_;
  Instant speculation_due_;
  bool has_started_ = false;
  std::optional<Instant> starvation_due_;
};

}  // namespace heddle::actors
