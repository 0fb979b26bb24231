// Ledger records as effects and explanations. Cost: constant; missing_others is linear in the nodes and their
// containers.
#pragma once

#include <optional>

#include "policies/cluster/resource_ledger.hpp"

namespace heddle::policies {

[[nodiscard]] ContainerAssigned described(const ResourceLedger& ledger, RowIndex container);
/// As above, without a read of the node's record.
[[nodiscard]] ContainerAssigned described(const ResourceLedger& ledger, RowIndex container, NodeId node);
[[nodiscard]] NodeReserved described_reservation(const ResourceLedger& ledger, RowIndex container);
/// None if a node has enough free. Otherwise, that no node has it at all, or which applications hold it.
[[nodiscard]] std::optional<ResourceExplanation> missing_others(const ResourceLedger& ledger, OthersId what);

}  // namespace heddle::policies
