// Order in which a queue's children are served. Order: the parent's policy, kept sorted between offers; a child moves
// when its usage changes, all children when demands are recomputed. Cost: O(log children) per moved child; a full sort
// if the order is stale.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/cluster/fair/fair_tree.hpp"

namespace heddle::policies {

/// The usage of the child changed. `demand_round`: the current one.
void move_in_order(FairQueue& parent, RowIndex child, std::uint64_t demand_round);
/// The children in the order of service.
[[nodiscard]] const std::vector<RowIndex>& served_children(FairTree& tree, RowIndex queue, const ResourceLedger& ledger,
                                                           std::uint64_t demand_round);

}  // namespace heddle::policies
