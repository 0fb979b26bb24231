// Each queue is marked once; marks go up for demands and down for shares.
#include "policies/cluster/fair/fair_updates.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "policies/cluster/resource_calculator.hpp"

namespace heddle::policies {
namespace {

/// Rows between a prefetch and its use: of queues, and of what they point to.
constexpr std::size_t rows_ahead = 8;
constexpr std::size_t children_ahead = 4;

/// Applications of a leaf that are worth a prefetch.
std::span<const RowIndex> first_applications(const FairTree& tree, RowIndex row) {
  const FairQueue& queue = tree.at(row);
  if (!queue.is_leaf) return {};
  return std::span{queue.children}.first(std::min<std::size_t>(queue.children.size(), 2));
}

}  // namespace

// -- what changed since the last update --------------------------------------------

void FairUpdates::mark_demand(FairTree& tree, RowIndex row) {
  for (; row != no_row && !tree.at(row).updates.has_new_demand; row = tree.at(row).parent) {
    tree.at(row).updates.has_new_demand = true;
    new_demands_.push_back(row);
  }
}

void FairUpdates::mark_shares(FairTree& tree, RowIndex row) {
  if (std::exchange(tree.at(row).updates.has_new_shares, true)) return;
  new_shares_.push(row);
}

void FairUpdates::count_running(FairTree& tree, RowIndex leaf, std::int32_t by) {
  mark_demand(tree, leaf);
  mark_shares(tree, leaf);
  for (RowIndex each = leaf; each != no_row; each = tree.at(each).parent) {
    const bool was_active = tree.at(each).running > 0;
    tree.at(each).running += by;
    // Queues without running applications get no share.
    if (was_active != (tree.at(each).running > 0) && tree.at(each).parent != no_row)
      mark_shares(tree, tree.at(each).parent);
  }
}

// -- demands ---------------------------------------------------------------------

void FairUpdates::update_demands(FairTree& tree, const ResourceLedger& ledger, bool is_size_based) {
  ++demand_round_;
  // A child has a higher row than its parent.
  if (std::exchange(is_all_demand_new_, false)) {
    for (std::size_t i = tree.size(); i-- > 0;) {
      if (i >= rows_ahead) tree.at(static_cast<RowIndex>(i - rows_ahead)).fetch_ahead_update();
      if (i >= children_ahead)
        for (const RowIndex each : first_applications(tree, static_cast<RowIndex>(i - children_ahead))) {
          fetch_ahead(&tree.application(each).demand);
          ledger.application(each).fetch_ahead_demand();
        }
      update_demand(tree, static_cast<RowIndex>(i), ledger, is_size_based);
    }
  } else {
    std::sort(new_demands_.begin(), new_demands_.end(), std::greater<>{});
    for (const RowIndex each : new_demands_) update_demand(tree, each, ledger, is_size_based);
  }
  new_demands_.clear();
}

void FairUpdates::update_demand(FairTree& tree, RowIndex row, const ResourceLedger& ledger, bool is_size_based) {
  FairQueue& queue = tree.at(row);
  queue.updates.has_new_demand = false;
  queue.demand = MemoryAndCores{};
  queue.sizes = AskSizes{};
  const auto add = [&](RowIndex child) {
    FairApplication& each = tree.application(child);
    each.demand = ledger.application(child).usage + ledger.application(child).asks.pending();
    if (is_size_based) {
      const auto weight = static_cast<float>(std::log1p(static_cast<double>(each.demand.memory_mib)) / std::log(2.0));
      if (std::exchange(each.weight, weight) != weight) mark_shares(tree, row);
    }
    queue.demand += each.demand;
    if (each.is_asking) queue.sizes.widen(each.sizes);
  };
  if (queue.is_leaf) {
    for (const RowIndex each : queue.children) add(each);
    for (const RowIndex each : queue.waiting) add(each);
  } else {
    for (const RowIndex child : queue.children) {
      queue.demand += tree.at(child).demand;
      queue.sizes.widen(tree.at(child).sizes);
    }
  }
  queue.demand = smaller_of_each(queue.demand, queue.limits.maximum_now);
}

// -- shares ----------------------------------------------------------------------

void FairUpdates::share_between_applications(FairTree& tree, RowIndex leaf) {
  const FairQueue& queue = tree.at(leaf);
  if (queue.policy == FairPolicy::fifo) {
    RowIndex earliest = no_row;
    for (const RowIndex each : queue.children)
      if (earliest == no_row || tree.application(each).start_ms < tree.application(earliest).start_ms) earliest = each;
    if (earliest != no_row) tree.application(earliest).fair_share = queue.fair_share;
    return;
  }
  const auto share = [&](std::int64_t MemoryAndCores::*type, std::int64_t unbounded) {
    inputs_.clear();
    for (const RowIndex each : queue.children)
      inputs_.push_back({tree.application(each).weight, 0, unbounded, false, true});
    search_.compute(inputs_, queue.fair_share.*type, ShareKind::instantaneous, shares_);
    for (std::size_t i = 0; i < shares_.size(); ++i) tree.application(queue.children[i]).fair_share.*type = shares_[i];
  };
  share(&MemoryAndCores::memory_mib, unbounded_memory);
  if (queue.policy == FairPolicy::dominant_resource) share(&MemoryAndCores::cores, unbounded_cores);
}

void FairUpdates::share_between_queues(FairTree& tree, RowIndex row, ShareKind kind) {
  FairQueue& queue = tree.at(row);
  const bool is_steady = kind == ShareKind::steady;
  MemoryAndCores FairQueue::*const wanted = is_steady ? &FairQueue::steady_share : &FairQueue::fair_share;
  const auto share = [&](std::int64_t MemoryAndCores::*type, FairShareGroup& group) {
    group.resize(queue.children.size());
    for (std::size_t i = 0; i < queue.children.size(); ++i) {
      const FairQueue& child = tree.at(queue.children[i]);
      group.set(i, {child.limits.weight, child.limits.minimum.*type, child.limits.maximum_now.*type, true,
                    child.running > 0});
    }
    const std::vector<std::int64_t>& shares = group.shares((queue.*wanted).*type, search_);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const bool is_new = std::exchange((tree.at(queue.children[i]).*wanted).*type, shares[i]) != shares[i];
      if (is_new && !is_steady) mark_shares(tree, queue.children[i]);
    }
  };
  share(&MemoryAndCores::memory_mib, is_steady ? queue.updates.steady_memory : queue.updates.memory);
  if (queue.policy == FairPolicy::dominant_resource)
    share(&MemoryAndCores::cores, is_steady ? queue.updates.steady_cores : queue.updates.cores);
}

void FairUpdates::update_shares(FairTree& tree) {
  tree.at(FairTree::root).fair_share = tree.cluster();
  if (std::exchange(are_all_shares_new_, false)) {
    for (std::size_t i = 0; i < tree.size(); ++i) {
      if (i + rows_ahead < tree.size()) tree.at(static_cast<RowIndex>(i + rows_ahead)).fetch_ahead_update();
      if (i + children_ahead < tree.size())
        for (const RowIndex each : first_applications(tree, static_cast<RowIndex>(i + children_ahead))) {
          fetch_ahead(&tree.application(each).weight);
          fetch_ahead(&tree.application(each).fair_share);
        }
      share_below(tree, static_cast<RowIndex>(i));
    }
    new_shares_ = {};
    return;
  }
  while (!new_shares_.empty()) {
    const RowIndex next = new_shares_.top();
    new_shares_.pop();
    share_below(tree, next);
  }
}

void FairUpdates::share_below(FairTree& tree, RowIndex row) {
  tree.at(row).updates.has_new_shares = false;
  if (tree.at(row).is_leaf) share_between_applications(tree, row);
  else share_between_queues(tree, row, ShareKind::instantaneous);
}

void FairUpdates::update_steady_shares(FairTree& tree) {
  tree.at(FairTree::root).steady_share = tree.cluster();
  for (std::size_t i = 0; i < tree.size(); ++i)
    if (!tree.at(static_cast<RowIndex>(i)).is_leaf)
      share_between_queues(tree, static_cast<RowIndex>(i), ShareKind::steady);
}

}  // namespace heddle::policies
