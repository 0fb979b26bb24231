// In which order a capacity leaf serves its applications. Order: by priority (higher first), then id, or by least
// memory, then by start of the attempt. An application moves in a fair order when the leaf is offered the next time.
// Cost: O(log applications) per look-up, a shift of the list per change.
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
/// Its place in a fair order is due to be decided.
void mark_moved(CapacityBooks& books, RowIndex application);
void move_in_order(CapacityBooks& books, CapacityQueue& leaf);

}  // namespace heddle::policies
