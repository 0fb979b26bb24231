// The application that holds most of a missing resource is named first.
#include "policies/cluster/ledger_questions.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace heddle::policies {
namespace {

/// With other resource types, which few containers have.
Resource resource_of(const ResourceLedger& ledger, const LedgerContainer& container) {
  Resource resource = container.resource.as_resource();
  if (container.others != no_others) resource.others = ledger.others().amounts(container.others);
  return resource;
}

/// Applications that hold a required resource on these nodes, largest amount first. Removed applications have no name
/// here.
ResourceExplanation holders_of_others(const ResourceLedger& ledger, const std::vector<RowIndex>& able, OthersId what) {
  std::map<ApplicationId, std::int64_t> held;
  std::int64_t ending = 0;
  for (const RowIndex row : able)
    for (const RowIndex each : ledger.node(row).containers) {
      const LedgerContainer& holder = ledger.container(each);
      std::int64_t amount = 0;
      for (const auto& [kind, wanted] : ledger.others().list(what))
        amount += ledger.others().amount_of(holder.others, kind);
      if (amount > 0) (holder.is_live ? held[ledger.application(holder.application).id] : ending) += amount;
    }
  std::vector<std::pair<ApplicationId, std::int64_t>> holders(held.begin(), held.end());
  std::stable_sort(holders.begin(), holders.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string names;
  for (const auto& [id, amount] : holders)
    names += (names.empty() ? "" : ", ") + to_string(id) + " (" + std::to_string(amount) + ")";
  if (ending > 0)
    names += (names.empty() ? "" : ", ") + std::string{"containers that are ending ("} + std::to_string(ending) + ")";
  return {
      "resource_held",
      "No node has " + ledger.others().in_words(what) + " left, which the next container needs: held by " + names + ".",
      holders.empty() ? "" : to_string(holders.front().first), std::nullopt, 0};
}

}  // namespace

ContainerAssigned described(const ResourceLedger& ledger, RowIndex row) {
  return described(ledger, row, ledger.node(ledger.container(row).node).id);
}

ContainerAssigned described(const ResourceLedger& ledger, RowIndex row, NodeId node) {
  const LedgerContainer& what = ledger.container(row);
  return ContainerAssigned{what.id,        ledger.application(what.application).attempt.value_or(AttemptId{}),
                           what.number,    node,
                           what.priority,  what.locality,
                           what.is_master, resource_of(ledger, what)};
}

NodeReserved described_reservation(const ResourceLedger& ledger, RowIndex row) {
  const LedgerContainer& what = ledger.container(row);
  return NodeReserved{what.id,       ledger.application(what.application).attempt.value_or(AttemptId{}),
                      what.number,   ledger.node(what.node).id,
                      what.priority, resource_of(ledger, what)};
}

std::optional<ResourceExplanation> missing_others(const ResourceLedger& ledger, OthersId what) {
  if (what == no_others) return std::nullopt;
  std::vector<RowIndex> able;
  for (const auto& [id, row] : ledger.nodes().in_order()) {
    if (ledger.has_others(row, what)) return std::nullopt;
    if (ledger.could_have_others(row, what)) able.push_back(row);
  }
  if (able.empty())
    return ResourceExplanation{"no_node_has_resource",
                               "No node has " + ledger.others().in_words(what) + ", which the next container needs.",
                               "", std::nullopt, 0};
  return holders_of_others(ledger, able, what);
}

}  // namespace heddle::policies
