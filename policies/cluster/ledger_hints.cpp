// Records are prefetched in the order in which ends and calls read them.
#include "policies/cluster/ledger_hints.hpp"

namespace heddle::policies {

void fetch_ahead_asks(const ResourceLedger& ledger, RowIndex row) {
  const LedgerApplication& asking = ledger.application(row);
  asking.asks.fetch_ahead_priorities();
  fetch_ahead(asking.unfetched.data(), std::min<std::size_t>(asking.unfetched.size(), 2));
}

void fetch_ahead_fetched(const ResourceLedger& ledger, RowIndex row) {
  for (const UnfetchedContainer& each : ledger.application(row).unfetched)
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
    const std::vector<RowIndex>& live = ledger.application(ledger.container(row).application).live;
    if (live.empty() || !ledger.container(row).is_live) continue;
    fetch_ahead(&live.back());
    fetch_ahead(&live[static_cast<std::size_t>(ledger.container(row).live_at)]);
  }
  for (const RowIndex row : next) {
    const std::vector<RowIndex>& live = ledger.application(ledger.container(row).application).live;
    // the end moves it
    if (!live.empty() && ledger.container(row).is_live) fetch_ahead(&ledger.container(live.back()));
  }
}

}  // namespace heddle::policies
