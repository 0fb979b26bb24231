// The list is searched by the sizes by which it was sorted; a size changes only while the application is not in the
// list.
#include "policies/cluster/capacity/capacity_order.hpp"

#include <algorithm>
#include <cmath>

namespace heddle::policies {
namespace {

/// Used memory; with size-based weight divided by log2 of the demand.
double magnitude(const CapacityQueue& leaf, const CapacityApplication& application) {
  const auto usage = static_cast<double>(application.order_usage.memory_mib);
  if (!leaf.settings.has_size_based_weight) return usage;
  const auto demand = static_cast<double>((application.order_usage + application.order_pending).memory_mib);
  return usage / (std::log1p(demand) / std::log(2.0));
}

}  // namespace

bool is_started_before(const CapacityBooks& books, RowIndex a, RowIndex b) {
  const LedgerApplication& first = books.ledger.application(a);
  const LedgerApplication& second = books.ledger.application(b);
  if (first.priority != second.priority) return first.priority > second.priority;
  return first.id < second.id;
}

bool is_served_before(const CapacityBooks& books, const CapacityQueue& leaf, RowIndex a, RowIndex b) {
  if (leaf.settings.order == config::ApplicationOrder::fifo) return is_started_before(books, a, b);
  const double first = magnitude(leaf, books.application(a));
  const double second = magnitude(leaf, books.application(b));
  if (first < second || first > second) return first < second;
  return books.application(a).start < books.application(b).start;
}

void insert_served(const CapacityBooks& books, const CapacityQueue& leaf, std::vector<RowIndex>& list, RowIndex row) {
  list.insert(std::lower_bound(list.begin(), list.end(), row,
                               [&](RowIndex a, RowIndex b) { return is_served_before(books, leaf, a, b); }),
              row);
}

void erase_served(const CapacityBooks& books, const CapacityQueue& leaf, std::vector<RowIndex>& list, RowIndex row) {
  const auto at = std::lower_bound(list.begin(), list.end(), row,
                                   [&](RowIndex a, RowIndex b) { return is_served_before(books, leaf, a, b); });
  if (at != list.end() && *at == row) list.erase(at);
}

void mark_moved(CapacityBooks& books, RowIndex row) {
  CapacityApplication& moved = books.application(row);
  CapacityQueue& leaf = books.queues.at(moved.queue);
  if (leaf.settings.order == config::ApplicationOrder::fifo || moved.has_moved || !moved.is_running) return;
  moved.has_moved = true;
  leaf.lists.moved.push_back(row);
}

void move_in_order(CapacityBooks& books, CapacityQueue& leaf) {
  for (const RowIndex row : leaf.lists.moved) {
    CapacityApplication& moved = books.application(row);
    erase_served(books, leaf, leaf.lists.running, row);
    if (moved.is_listed) erase_served(books, leaf, leaf.lists.asking, row);
    moved.has_moved = false;
    moved.order_usage = books.ledger.application(row).usage;
    moved.order_pending = books.ledger.application(row).asks.pending();
    insert_served(books, leaf, leaf.lists.running, row);
    if (moved.is_listed) insert_served(books, leaf, leaf.lists.asking, row);
  }
  leaf.lists.moved.clear();
}

}  // namespace heddle::policies
