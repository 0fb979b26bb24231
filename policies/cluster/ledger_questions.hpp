// What the ledger's records say, in the words of effects and explanations.
// Cost: constant; missing_extras looks through all nodes and their containers.
#pragma once

#include <optional>

#include "policies/cluster/resource_ledger.hpp"

namespace heddle::policies {

[[nodiscard]] ContainerAssigned described(const ResourceLedger& ledger, RowIndex container);
[[nodiscard]] NodeReserved described_reservation(const ResourceLedger& ledger, RowIndex container);
/// None if some node has that free; otherwise that no node has it at all, or who holds it.
[[nodiscard]] std::optional<ResourceExplanation> missing_extras(const ResourceLedger& ledger, ExtrasId what);

}  // namespace heddle::policies
