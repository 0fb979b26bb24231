// In which order a queue's children are served. Order: the parent's policy, kept sorted between offers; a child moves
// when its usage changes, all when demands are recomputed. Cost: O(log children) per moved child, a sort of all where
// the order is stale.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/cluster/fair/fair_tree.hpp"

namespace heddle::policies {

/// The usage of the child changed; `demand_round` is the present one.
void move_in_order(FairQueue& parent, RowIndex child, std::uint64_t demand_round);
/// The children as they are served now.
[[nodiscard]] const std::vector<RowIndex>& served_children(FairTree& tree, RowIndex queue, const ResourceLedger& ledger,
                                                           std::uint64_t demand_round);

}  // namespace heddle::policies
