// Entries that reach zero by allocation vanish; entries sent with zero stay and count as a place.
#include "policies/ask_table.hpp"

#include <algorithm>

namespace heddle::policies {
namespace {

bool by_place(const AskEntry& entry, PlaceId place) { return entry.place < place; }

Resource times(const Resource& one, std::int32_t count) { return Resource{one.memory_mib * count, one.cores * count}; }

}  // namespace

const AskEntry* PriorityAsks::find(PlaceId place) const {
  const auto at = std::lower_bound(entries.begin(), entries.end(), place, by_place);
  return at != entries.end() && at->place == place ? &*at : nullptr;
}

AskEntry* PriorityAsks::find(PlaceId place) {
  const auto at = std::lower_bound(entries.begin(), entries.end(), place, by_place);
  return at != entries.end() && at->place == place ? &*at : nullptr;
}

PriorityAsks* AskTable::find(std::int32_t priority) {
  const auto at = std::lower_bound(priorities_.begin(), priorities_.end(), priority,
                                   [](const PriorityAsks& asks, std::int32_t wanted) { return asks.priority < wanted; });
  return at != priorities_.end() && at->priority == priority ? &*at : nullptr;
}

const PriorityAsks* AskTable::find(std::int32_t priority) const {
  const auto at = std::lower_bound(priorities_.begin(), priorities_.end(), priority,
                                   [](const PriorityAsks& asks, std::int32_t wanted) { return asks.priority < wanted; });
  return at != priorities_.end() && at->priority == priority ? &*at : nullptr;
}

PriorityAsks& AskTable::at(std::int32_t priority) {
  auto at = std::lower_bound(priorities_.begin(), priorities_.end(), priority,
                             [](const PriorityAsks& asks, std::int32_t wanted) { return asks.priority < wanted; });
  if (at == priorities_.end() || at->priority != priority) {
    at = priorities_.insert(at, PriorityAsks{});
    at->priority = priority;
  }
  return *at;
}

void AskTable::set_pending(PriorityAsks& asks, bool is_pending) {
  if (asks.is_pending == is_pending) return;
  asks.is_pending = is_pending;
  pending_priorities_ += is_pending ? 1 : -1;
}

void AskTable::put(PriorityAsks& asks, const AskEntry& entry) {
  auto at = std::lower_bound(asks.entries.begin(), asks.entries.end(), entry.place, by_place);
  if (entry.place == any_place && asks.is_pending) pending_ -= times(at->capability, at->count);
  if (at != asks.entries.end() && at->place == entry.place) *at = entry;
  else asks.entries.insert(at, entry);
  if (entry.place != any_place) return;
  set_pending(asks, entry.count > 0);
  if (asks.is_pending) pending_ += times(entry.capability, entry.count);
}

/// "*" at zero cancels the whole priority, its other places included.
void AskTable::forget(PriorityAsks& asks) {
  asks.entries.clear();
  set_pending(asks, false);
}

void AskTable::update(const std::vector<Update>& updates) {
  for (const Update& update : updates) put(at(update.priority), update.entry);
  for (const Update& update : updates) {
    if (update.entry.place != any_place) continue;
    PriorityAsks& asks = at(update.priority);
    if (!asks.is_pending) forget(asks);
  }
}

void AskTable::take_one(PriorityAsks& asks, PlaceId place, UsedAsk& used) {
  const auto at = std::lower_bound(asks.entries.begin(), asks.entries.end(), place, by_place);
  if (at == asks.entries.end() || at->place != place) return;
  used.entries[static_cast<std::size_t>(used.size++)] = *at;
  if (place == any_place) pending_ -= at->capability;
  if (--at->count != 0) return;
  asks.entries.erase(at);
  if (place == any_place) set_pending(asks, false);
}

UsedAsk AskTable::take(PriorityAsks& asks, AskLocality locality, PlaceId node, PlaceId rack) {
  UsedAsk used;
  if (locality == AskLocality::node_local) take_one(asks, node, used);
  if (locality != AskLocality::off_switch) take_one(asks, rack, used);
  take_one(asks, any_place, used);
  return used;
}

void AskTable::put_back(std::int32_t priority, const UsedAsk& used) {
  for (std::int8_t i = 0; i < used.size; ++i) {
    PriorityAsks& asks = at(priority);
    AskEntry entry = used.entries[static_cast<std::size_t>(i)];
    const AskEntry* last = asks.find(entry.place);
    entry.count = last == nullptr ? 1 : last->count + 1;
    put(asks, entry);
    if (entry.place == any_place && !asks.is_pending) forget(asks);
  }
}

}  // namespace heddle::policies
