// Order in which a capacity leaf serves its applications: by priority (higher first), then id; or by least memory, then
// by start of the attempt. In a fair order an application moves when the leaf is offered next. Cost: O(log
// applications) per look-up, and a shift of the list per change.
#pragma once

#include <vector>

#include "policies/cluster/capacity/capacity_books.hpp"

namespace heddle::policies {

[[nodiscard]] bool is_started_before(const CapacityBooks& books, RowIndex a, RowIndex b);
[[nodiscard]] bool is_served_before(const CapacityBooks& books, const CapacityQueue& leaf, RowIndex a, RowIndex b);
void insert_served(const CapacityBooks& books, const CapacityQueue& leaf, std::vector<RowIndex>& list,
                   RowIndex application);
void erase_served(const CapacityBooks& books, const CapacityQueue& leaf, std::vector<RowIndex>& list,
                  RowIndex application);
/// Marks its position in a fair order as stale.
void mark_moved(CapacityBooks& books, RowIndex application);
void move_in_order(CapacityBooks& books, CapacityQueue& leaf);

}  // namespace heddle::policies
