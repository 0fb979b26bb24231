// Ids are looked up by their number first; the map decides if two cluster starts have the same number.
#include "policies/cluster/application_table.hpp"

#include <algorithm>

#include "model/assert.hpp"

namespace heddle::policies {

RowIndex ApplicationTable::add(Instant now, const ApplicationId& id) {
  HEDDLE_ASSERT(find(id) == no_row, to_string(id) + " already exists");
  const RowIndex row = allocate_row(applications_, free_);
  LedgerApplication& added = at(row);
  added.id = id;
  added.start = now;
  added.arrival = next_arrival_++;
  added.is_present = true;
  slots_.emplace(id, row);
  by_number_.insert(id.number, row);
  return row;
}

void ApplicationTable::remove(RowIndex row) {
  LedgerApplication& gone = at(row);
  HEDDLE_ASSERT(gone.live.empty() && gone.reservations.empty(), "application removed before its containers");
  slots_.erase(gone.id);
  if (by_number_.find(gone.id.number) == row) by_number_.erase(gone.id.number);
  gone.is_present = false;
  free_.push_back(row);
}

RowIndex ApplicationTable::find(const ApplicationId& id) const {
  if (const RowIndex row = by_number_.find(id.number); row != no_row && at(row).id == id) return row;
  const auto known = slots_.find(id);
  return known == slots_.end() ? no_row : known->second;
}

RowIndex ApplicationTable::find_attempt(const AttemptId& id) const {
  if (const RowIndex row = by_number_.find(id.application.number); row != no_row && at(row).attempt == id) return row;
  const RowIndex row = find(id.application);
  return row != no_row && at(row).attempt == id ? row : no_row;
}

bool is_excluded(const LedgerApplication& who, const LedgerNode& where) {
  if (who.excluded.empty()) return false;
  return std::binary_search(who.excluded.begin(), who.excluded.end(), where.host) ||
         std::binary_search(who.excluded.begin(), who.excluded.end(), where.rack);
}

}  // namespace heddle::policies
