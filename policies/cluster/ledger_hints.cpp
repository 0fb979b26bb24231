// Records are fetched in the order in which ends and calls will read them.
#include "policies/cluster/ledger_hints.hpp"

#include <array>

namespace heddle::policies {

void fetch_ahead_asks(const ResourceLedger& ledger, Slot slot) {
  const LedgerApplication& asking = ledger.application(slot);
  asking.asks.fetch_ahead_priorities();
  fetch_ahead(asking.unfetched.data(), std::min<std::size_t>(asking.unfetched.size(), 2));
}

void fetch_ahead_fetched(const ResourceLedger& ledger, Slot slot) {
  for (const UnfetchedContainer& each : ledger.application(slot).unfetched)
    fetch_ahead(&ledger.container(each.container));
}

void fetch_ahead_ends(const ResourceLedger& ledger, std::span<const ContainerCompleted> ends) {
  for (const ContainerCompleted& each : ends) ledger.containers().fetch_ahead_id(each.container);
  std::array<Slot, ends_at_once> slots;
  std::size_t count = 0;
  for (const ContainerCompleted& each : ends.first(std::min(ends.size(), ends_at_once)))
    if (const Slot slot = ledger.find_container(each.container); slot != no_slot)
      fetch_ahead(&ledger.container(slots[count++] = slot));
  fetch_ahead_ends(ledger, std::span<const Slot>{slots.data(), count});
}

/// Each step looks at what the one before it asked for.
void fetch_ahead_ends(const ResourceLedger& ledger, std::span<const Slot> slots) {
  const std::span<const Slot> next = slots.first(std::min(slots.size(), ends_at_once));
  for (const Slot slot : next) {
    fetch_ahead(&ledger.node(ledger.container(slot).node));
    ledger.application(ledger.container(slot).application).fetch_ahead_usage();
  }
  for (const Slot slot : next) {
    const std::vector<Slot>& live = ledger.application(ledger.container(slot).application).live;
    if (live.empty() || !ledger.container(slot).is_live) continue;
    fetch_ahead(&live.back());
    fetch_ahead(&live[static_cast<std::size_t>(ledger.container(slot).live_at)]);
  }
  for (const Slot slot : next) {
    const std::vector<Slot>& live = ledger.application(ledger.container(slot).application).live;
    if (!live.empty() && ledger.container(slot).is_live) fetch_ahead(&ledger.container(live.back()));  // it moves
  }
}

}  // namespace heddle::policies
