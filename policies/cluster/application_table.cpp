// Ids are looked up by their number first; the map decides where two cluster starts share one.
#include "policies/cluster/application_table.hpp"

#include <algorithm>

#include "model/assert.hpp"

namespace heddle::policies {

Slot ApplicationTable::add(Instant now, const ApplicationId& id) {
  HEDDLE_ASSERT(find(id) == no_slot, to_string(id) + " is there already");
  const Slot slot = take_slot(applications_, free_);
  LedgerApplication& added = at(slot);
  added.id = id;
  added.start = now;
  added.arrival = next_arrival_++;
  added.is_present = true;
  slots_.emplace(id, slot);
  by_number_.insert(id.number, slot);
  return slot;
}

void ApplicationTable::remove(Slot slot) {
  LedgerApplication& gone = at(slot);
  HEDDLE_ASSERT(gone.live.empty() && gone.reservations.empty(), "an application leaves after its containers");
  slots_.erase(gone.id);
  if (by_number_.find(gone.id.number) == slot) by_number_.erase(gone.id.number);
  gone.is_present = false;
  free_.push_back(slot);
}

Slot ApplicationTable::find(const ApplicationId& id) const {
  if (const Slot slot = by_number_.find(id.number); slot != no_slot && at(slot).id == id) return slot;
  const auto known = slots_.find(id);
  return known == slots_.end() ? no_slot : known->second;
}

Slot ApplicationTable::find_attempt(const AttemptId& id) const {
  if (const Slot slot = by_number_.find(id.application.number); slot != no_slot && at(slot).attempt == id) return slot;
  const Slot slot = find(id.application);
  return slot != no_slot && at(slot).attempt == id ? slot : no_slot;
}

bool is_excluded(const LedgerApplication& who, const LedgerNode& where) {
  if (who.excluded.empty()) return false;
  return std::binary_search(who.excluded.begin(), who.excluded.end(), where.host) ||
         std::binary_search(who.excluded.begin(), who.excluded.end(), where.rack);
}

}  // namespace heddle::policies
