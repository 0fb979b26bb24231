// Hints to the processor's cache that records of the ledger will be used soon. They change nothing.
// Few at a time: what is fetched has to stay until it is used.
#pragma once

#include <algorithm>
#include <span>

#include "policies/cluster/resource_ledger.hpp"

namespace heddle::policies {

inline constexpr std::size_t ends_at_once = 16;

/// A call of this application will be carried out: first what it asks for, then what it is handed.
void fetch_ahead_asks(const ResourceLedger& ledger, RowIndex application);
void fetch_ahead_fetched(const ResourceLedger& ledger, RowIndex application);
/// These containers will end.
void fetch_ahead_ends(const ResourceLedger& ledger, std::span<const CompletedContainer> ends);
void fetch_ahead_ends(const ResourceLedger& ledger, std::span<const RowIndex> containers);

/// Calls `end` for each in order, with the records of the next ones fetched meanwhile.
template <class End>
void end_each(const ResourceLedger& ledger, std::span<const RowIndex> containers, End end) {
  for (std::size_t first = 0; first < containers.size(); first += ends_at_once) {
    const auto next = containers.subspan(first, std::min(containers.size() - first, ends_at_once));
    for (const RowIndex row : next) fetch_ahead(&ledger.container(row));
    fetch_ahead_ends(ledger, next);
    for (const RowIndex row : next) end(row);
  }
}

}  // namespace heddle::policies
