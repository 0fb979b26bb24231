// Which executors the next round offers, and when rounds are due. Many events cause one round.
// A plain class: no actor, no clock.
#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "actors/driver/executor_pool.hpp"
#include "model/time.hpp"
#include "policies/tasks/types/task_descriptions.hpp"

namespace heddle::actors {

/// Settings of the rounds.
struct OfferRoundSettings {
  Duration revive_interval{0};                   // see revive_later
  std::optional<Duration> speculation_interval;  // empty: no speculation
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
  /// True if no ReviveOffers is on its way: the caller must send one.
  [[nodiscard]] bool claim() { return !std::exchange(is_due_, true); }
  /// Call when ReviveOffers arrives.
  void arrived() { is_due_ = false; }
  /// Begins a round and fills offers(). True if the round offers all executors.
  bool begin(ExecutorPool& pool);
  [[nodiscard]] std::vector<policies::SlotOffer>& offers() { return offers_; }

  // -- warning: the first job gets no offers -----------------------------------------------------
  void on_task_set(Instant now);
  void on_offered() {
    if (!settings_.starves_until_launch) has_started_ = true;
  }
  void on_launched() { has_started_ = true; }
  /// True when the warning is due. It is repeated while the job gets no offers.
  [[nodiscard]] bool poll_starvation_due(Instant now);

  // -- intervals ---------------------------------------------------------------------------------
  /// Requests a round over all executors after one interval, unless one is due earlier. No event reports that queued
  /// tasks would better run elsewhere, or that an adaptive locality wait has ended.
  void revive_later(Instant now);
  [[nodiscard]] bool poll_revive_due(Instant now);
  [[nodiscard]] bool poll_speculation_due(Instant now);
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
