#include "actors/driver/offer_rounds.hpp"

#include <algorithm>

namespace heddle::actors {

bool OfferRounds::begin(ExecutorPool& pool) {
  offers_.clear();
  const bool is_full = std::exchange(is_full_, false);
  const auto offer = [this](ExecutorId id, const ExecutorEntry& entry) {
    if (entry.is_active())
      offers_.push_back({id, entry.host, std::max(0, entry.cores - entry.assigned), entry.devices.offered()});
  };
  if (is_full) {
    for (const auto& [id, entry] : pool) offer(id, entry);
  } else {
    for (const auto id : changed_)
      if (const auto* entry = pool.find(id)) offer(id, *entry);
  }
  changed_.clear();
  return is_full;
}

void OfferRounds::on_task_set(Instant now) {
  if (!has_started_ && !starvation_due_) starvation_due_ = now + settings_.starvation_timeout;
}

bool OfferRounds::poll_starvation_due(Instant now) {
  if (has_started_) starvation_due_.reset();
  if (!starvation_due_ || now < *starvation_due_) return false;
  starvation_due_ = now + settings_.starvation_timeout;
  return true;
}

void OfferRounds::revive_later(Instant now) {
  if (!revive_due_) revive_due_ = now + settings_.revive_interval;
}

bool OfferRounds::poll_revive_due(Instant now) {
  if (!revive_due_ || now < *revive_due_) return false;
  revive_due_.reset();
  return true;
}

bool OfferRounds::poll_speculation_due(Instant now) {
  if (!settings_.speculation_interval || now < speculation_due_) return false;
  speculation_due_ = now + *settings_.speculation_interval;
  return true;
}

std::optional<Instant> OfferRounds::next_due() const {
  auto due = revive_due_;
  if (settings_.speculation_interval) due = std::min(due.value_or(speculation_due_), speculation_due_);
  if (starvation_due_) due = std::min(due.value_or(*starvation_due_), *starvation_due_);
  return due;
}

}  // namespace heddle::actors
