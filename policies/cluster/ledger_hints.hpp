// Hints to the processor's cache that records of the ledger will be used soon. They change nothing.
// Few at a time: what is fetched has to stay until it is used.
#pragma once

#include <algorithm>
#include <span>

#include "policies/cluster/resource_ledger.hpp"

namespace heddle::policies {

inline constexpr std::size_t ends_at_once = 16;

/// A call of this application will be carried out: first what it asks for, then what it is handed.
void fetch_ahead_asks(const ResourceLedger& ledger, Slot application);
void fetch_ahead_fetched(const ResourceLedger& ledger, Slot application);
/// These containers will end.
void fetch_ahead_ends(const ResourceLedger& ledger, std::span<const ContainerCompleted> ends);
void fetch_ahead_ends(const ResourceLedger& ledger, std::span<const Slot> containers);

/// Calls `end` for each in order, with the records of the next ones fetched meanwhile.
template <class End>
void end_each(const ResourceLedger& ledger, std::span<const Slot> containers, End end) {
  for (std::size_t first = 0; first < containers.size(); first += ends_at_once) {
    const auto next = containers.subspan(first, std::min(containers.size() - first, ends_at_once));
    for (const Slot slot : next) fetch_ahead(&ledger.container(slot));
    fetch_ahead_ends(ledger, next);
    for (const Slot slot : next) end(slot);
  }
}

}  // namespace heddle::policies
