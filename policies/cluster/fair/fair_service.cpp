// Sorts all children if the order is stale; otherwise moves only those whose usage changed.
#include "policies/cluster/fair/fair_service.hpp"

#include <algorithm>
#include <set>

namespace heddle::policies {
namespace {

/// With more moved children, sorting all is cheaper.
constexpr std::size_t moved_max = 8;

bool is_stale(const FairQueueOrder& order, std::uint64_t demand_round) {
  return order.is_stale || order.made_in != demand_round;
}

FairSortKey key_of(const FairTree& tree, const FairQueue& parent, RowIndex child, const ResourceLedger& ledger) {
  if (parent.is_leaf) {
    const FairApplication& each = tree.application(child);
    return {ledger.application(child).usage, each.demand, MemoryAndCores{}, each.weight, each.start_ms, each.name};
  }
  const FairQueue& queue = tree.at(child);
  return {queue.usage, queue.demand, queue.limits.minimum, queue.limits.weight, 0, queue.name};
}

bool is_before(const FairTree& tree, const FairQueue& parent, RowIndex a, RowIndex b, const ResourceLedger& ledger) {
  return compare(parent.policy, key_of(tree, parent, a, ledger), key_of(tree, parent, b, ledger), tree.cluster()) < 0;
}

bool has_child_without_weight(const FairTree& tree, const FairQueue& queue) {
  if (queue.policy != FairPolicy::dominant_resource) return false;
  return std::any_of(queue.children.begin(), queue.children.end(), [&](RowIndex child) {
    return (queue.is_leaf ? tree.application(child).weight : tree.at(child).limits.weight) == 0.0F;
  });
}

}  // namespace

void move_in_order(FairQueue& parent, RowIndex child, std::uint64_t demand_round) {
  FairQueueOrder& order = parent.order;
  if (is_stale(order, demand_round) || (!order.moved.empty() && order.moved.back() == child)) return;
  order.moved.push_back(child);
  if (order.moved.size() <= moved_max) return;
  order.is_stale = true;
  order.moved.clear();
}

const std::vector<RowIndex>& served_children(FairTree& tree, RowIndex row, const ResourceLedger& ledger,
                                             std::uint64_t demand_round) {
  FairQueue& queue = tree.at(row);
  const auto before = [&](RowIndex a, RowIndex b) { return is_before(tree, queue, a, b, ledger); };
  const bool is_order_stale = is_stale(queue.order, demand_round);
  if (is_order_stale && has_child_without_weight(tree, queue)) {
    // A child with an undefined ratio (0 / 0) compares as equal to all others, so the order depends on the algorithm:
    // inserts one by one into a balanced tree as Hadoop does, for a leaf only the asking ones. Repeated at each offer.
    std::multiset<RowIndex, decltype(before)> sorted{before};
    for (const RowIndex child : queue.children)
      if (!queue.is_leaf || tree.application(child).is_asking) sorted.insert(child);
    queue.order.children.assign(sorted.begin(), sorted.end());
    queue.order.moved.clear();
    return queue.order.children;
  }
  if (is_order_stale) {
    queue.order.children = queue.children;
    std::stable_sort(queue.order.children.begin(), queue.order.children.end(), before);
  } else if (!queue.order.moved.empty()) {
    std::sort(queue.order.moved.begin(), queue.order.moved.end());
    queue.order.moved.erase(std::unique(queue.order.moved.begin(), queue.order.moved.end()), queue.order.moved.end());
    for (const RowIndex child : queue.order.moved) {
      const auto at_now = std::find(queue.order.children.begin(), queue.order.children.end(), child);
      if (at_now != queue.order.children.end()) queue.order.children.erase(at_now);
    }
    for (const RowIndex child : queue.order.moved) {
      if (queue.is_leaf && !tree.application(child).is_runnable) continue;
      queue.order.children.insert(
          std::lower_bound(queue.order.children.begin(), queue.order.children.end(), child, before), child);
    }
  }
  queue.order.moved.clear();
  queue.order.is_stale = false;
  queue.order.made_in = demand_round;
  return queue.order.children;
}

}  // namespace heddle::policies
