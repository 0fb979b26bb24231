// Records are prefetched in the order in which ends and calls read them.
#include "policies/cluster/ledger_hints.hpp"

namespace heddle::policies {

void fetch_ahead_asks(const ResourceLedger& ledger, RowIndex row) {
  const LedgerApplication& asking = ledger.application(row);
  asking.asks.fetch_ahead_priorities();
  fetch_ahead(asking.unfetched.list.data(), std::min<std::size_t>(asking.unfetched.list.size(), 2));
}

void fetch_ahead_fetched(const ResourceLedger& ledger, RowIndex row) {
  for (const UnfetchedContainer& each : ledger.application(row).unfetched.list)
    fetch_ahead(&ledger.container(each.container));
}

/// Each step reads what the previous step prefetched.
void fetch_ahead_ends(const ResourceLedger& ledger, std::span<const RowIndex> slots) {
  const std::span<const RowIndex> next = slots.first(std::min(slots.size(), ends_at_once));
  for (const RowIndex row : next) {
    fetch_ahead(&ledger.node(ledger.container(row).node));
    ledger.application(ledger.container(row).application).fetch_ahead_usage();
  }
  for (const RowIndex row : next) {
    const LedgerContainer& ending = ledger.container(row);
    if (ending.is_live) fetch_ahead(ledger.application(ending.application).live.address(ending.live_at));
  }
}

}  // namespace heddle::policies
