// A deadline changes with every task, so the queue holds one entry per executor that may be early: at its time it is
// checked and inserted again if the deadline is later. Due executors are parked, and checked again whenever the list
// may have changed.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "policies/executors/decimal_digits.hpp"
#include "policies/executors/executor_monitor.hpp"

namespace heddle::policies {

namespace {

/// With more due entries, rebuilding the heap is cheaper than popping them.
constexpr std::size_t pop_limit = 64;

/// With more candidates, a radix sort is cheaper than comparisons.
constexpr std::size_t compare_limit = 128;
constexpr unsigned digit_bits_max = 11;
/// Bits for the number of digits, which is at most 18.
constexpr unsigned length_bits = 5;

}  // namespace

/// Handles an entry that is due: parks its executor, inserts it again with a later deadline, or drops it if it is
/// stale.
void ExecutorMonitor::settle(std::int32_t slot, Micros now) {
  Tracker& tracker = trackers_[static_cast<std::size_t>(slot)];
  tracker.queued_at = never;
  if (tracker.deadline == never) return;
  if (tracker.deadline > now) {
    enqueue(tracker);
    return;
  }
  if (tracker.is_parked) return;
  tracker.is_parked = true;
  parked_.push_back(slot);
}

void ExecutorMonitor::park_due(Micros now) {
  const auto is_later = [](const Due& left, const Due& right) { return left.at > right.at; };
  const auto is_current = [this](const Due& due) {
    return trackers_[static_cast<std::size_t>(due.slot)].queued_at == due.at;
  };
  for (std::size_t popped = 0; popped < pop_limit; ++popped) {
    if (queue_.empty() || queue_.front().at > now) return;
    std::pop_heap(queue_.begin(), queue_.end(), is_later);
    const Due due = queue_.back();
    queue_.pop_back();
    if (is_current(due)) settle(due.slot, now);
  }
  const auto first_due = std::partition(queue_.begin(), queue_.end(), [now](const Due& due) { return due.at > now; });
  taken_.assign(first_due, queue_.end());
  queue_.erase(first_due, queue_.end());
  std::make_heap(queue_.begin(), queue_.end(), is_later);
  for (const Due& due : taken_) {
    if (is_current(due)) settle(due.slot, now);
  }
}

/// Precondition: the keys differ.
void ExecutorMonitor::sort_candidates() {
  const auto is_smaller = [](const Candidate& left, const Candidate& right) { return left.key < right.key; };
  if (candidates_.size() <= compare_limit) {
    std::sort(candidates_.begin(), candidates_.end(), is_smaller);
    return;
  }
  const auto bits =
      static_cast<unsigned>(std::bit_width(std::max_element(candidates_.begin(), candidates_.end(), is_smaller)->key));
  const unsigned passes = (bits + digit_bits_max - 1) / digit_bits_max;
  const unsigned digit_bits = (bits + passes - 1) / passes;
  const std::uint64_t mask = (std::uint64_t{1} << digit_bits) - 1;
  std::array<std::size_t, std::size_t{1} << digit_bits_max> places{};
  candidates_sorted_.resize(candidates_.size());
  for (unsigned shift = 0; shift < bits; shift += digit_bits) {
    std::fill_n(places.begin(), mask + 1, std::size_t{0});
    for (const Candidate& each : candidates_) ++places[each.key >> shift & mask];
    std::exclusive_scan(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(mask + 1), places.begin(),
                        std::size_t{0});
    for (const Candidate& each : candidates_) candidates_sorted_[places[each.key >> shift & mask]++] = each;
    candidates_.swap(candidates_sorted_);
  }
}

void ExecutorMonitor::recompute(Micros now) {
  park_due(now);
  candidates_.clear();
  std::size_t still_parked = 0;
  std::uint8_t digits_max = 0;
  for (const std::int32_t slot : parked_) {
    Tracker& tracker = trackers_[static_cast<std::size_t>(slot)];
    if (tracker.id.is_none() || tracker.deadline > now) {
      tracker.is_parked = false;  // an entry was queued when its deadline changed
      tracker.is_timed_out = false;
      continue;
    }
    parked_[still_parked++] = slot;
    if (tracker.is_pending_removal || tracker.is_decommissioning || tracker.has_active_shuffle) continue;
    tracker.is_timed_out = true;
    digits_max = std::max(digits_max, tracker.digits);
    candidates_.push_back({0, slot});
  }
  parked_.resize(still_parked);
  // Left-justified digits sort ids by their texts. "1" and "10" have the same digits, so the shorter one comes first.
  for (Candidate& each : candidates_) {
    const Tracker& tracker = trackers_[static_cast<std::size_t>(each.slot)];
    each.key = static_cast<std::uint64_t>(tracker.id.value) * powers_of_ten[digits_max - tracker.digits]
                   << length_bits |
               tracker.digits;
  }
  sort_candidates();
  timed_out_.clear();
  timed_out_.reserve(candidates_.size());
  for (const Candidate& each : candidates_) {
    const Tracker& tracker = trackers_[static_cast<std::size_t>(each.slot)];
    TimedOut& item = timed_out_.emplace_back();
    item.executor = tracker.id;
    if (tracker.profile >= 0) item.profile = ProfileId{tracker.profile};
  }
  next_timeout_ = queue_.empty() ? never : queue_.front().at;
}

const std::vector<ExecutorMonitor::TimedOut>& ExecutorMonitor::timed_out(Instant now) {
  const Micros micros = now.time_since_epoch().count();
  if (micros >= next_timeout_) recompute(micros);
  return timed_out_;
}

}  // namespace heddle::policies
