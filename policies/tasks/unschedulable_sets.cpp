#include "policies/tasks/unschedulable_sets.hpp"

#include <algorithm>
#include <tuple>

#include "model/due_heap.hpp"

namespace heddle::policies {

void UnschedulableSets::add(Slot slot, Instant expiry, std::int32_t index) {
  Timer& timer = timers_[slot];
  if (timer.order == 0 || timer.expiry != expiry) timer = {expiry, ++timers_set_};
  rows_.insert_or_assign(slot, Row{expiry, index, false, timer.order});
}

std::optional<Instant> UnschedulableSets::next_due() const {
  std::optional<Instant> due;
  for (const auto& row : rows_)
    if (!row.second.has_fired) due = earlier(due, row.second.expiry);
  return due;
}

std::vector<UnschedulableSets::Due> UnschedulableSets::take_due(Instant now) {
  std::vector<std::tuple<Instant, std::uint64_t, Slot>> ordered;
  for (const auto& [slot, row] : rows_)
    if (!row.has_fired && row.expiry <= now) ordered.emplace_back(row.expiry, row.order, slot);
  std::sort(ordered.begin(), ordered.end());
  std::vector<Due> due;
  for (const auto& [expiry, order, slot] : ordered) {
    Row& row = rows_.at(slot);
    row.has_fired = true;
    due.push_back({slot, row.index});
  }
  return due;
}

}  // namespace heddle::policies
