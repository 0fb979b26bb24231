// Prefetches of ledger records; they change nothing. Few records at a time, so that they stay in the cache until they
// are used.
#pragma once

#include <algorithm>
#include <span>

#include "policies/cluster/resource_ledger.hpp"

namespace heddle::policies {

inline constexpr std::size_t ends_at_once = 16;

/// A call of this application follows: prefetches its asks, then the containers it fetches.
void fetch_ahead_asks(const ResourceLedger& ledger, RowIndex application);
void fetch_ahead_fetched(const ResourceLedger& ledger, RowIndex application);
/// These containers will end.
void fetch_ahead_ends(const ResourceLedger& ledger, std::span<const RowIndex> containers);

/// Calls `end` for each in order, and prefetches the records of the following ones.
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
