// A queue is marked once; marks go up for demands and down for shares.
#include "policies/cluster/fair/fair_updates.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "policies/cluster/resource_calculator.hpp"

namespace heddle::policies {
namespace {

void share_between_applications(FairTree& tree, Slot leaf) {
  const FairQueue& queue = tree.at(leaf);
  if (queue.policy == FairPolicy::fifo) {
    Slot earliest = no_slot;
    for (const Slot each : queue.children)
      if (earliest == no_slot || tree.application(each).start_ms < tree.application(earliest).start_ms) earliest = each;
    if (earliest != no_slot) tree.application(earliest).fair_share = queue.fair_share;
    return;
  }
  std::vector<ShareInput> inputs;
  std::vector<std::int64_t> shares;
  const auto share = [&](std::int64_t Resource::*type, std::int64_t unbounded) {
    inputs.clear();
    for (const Slot each : queue.children) inputs.push_back({tree.application(each).weight, 0, unbounded, false, true});
    compute_fair_shares(inputs, queue.fair_share.*type, ShareKind::instantaneous, shares);
    for (std::size_t i = 0; i < shares.size(); ++i) tree.application(queue.children[i]).fair_share.*type = shares[i];
  };
  share(&Resource::memory_mib, unbounded_memory);
  if (queue.policy == FairPolicy::dominant_resource) share(&Resource::cores, unbounded_cores);
}

}  // namespace

// -- what changed since the last update --------------------------------------------

void FairUpdates::mark_demand(FairTree& tree, Slot slot) {
  for (; slot != no_slot && !tree.at(slot).updates.has_new_demand; slot = tree.at(slot).parent) {
    tree.at(slot).updates.has_new_demand = true;
    new_demands_.push_back(slot);
  }
}

void FairUpdates::mark_shares(FairTree& tree, Slot slot) {
  if (std::exchange(tree.at(slot).updates.has_new_shares, true)) return;
  new_shares_.push(slot);
}

void FairUpdates::count_running(FairTree& tree, Slot leaf, std::int32_t by) {
  mark_demand(tree, leaf);
  mark_shares(tree, leaf);
  for (Slot each = leaf; each != no_slot; each = tree.at(each).parent) {
    const bool was_active = tree.at(each).running > 0;
    tree.at(each).running += by;
    // Queues without a running application get no share.
    if (was_active != (tree.at(each).running > 0) && tree.at(each).parent != no_slot)
      mark_shares(tree, tree.at(each).parent);
  }
}

// -- demands ---------------------------------------------------------------------

void FairUpdates::update_demands(FairTree& tree, const ResourceLedger& ledger, bool is_size_based) {
  ++demand_round_;
  // A child has a higher slot than its parent.
  if (std::exchange(is_all_demand_new_, false)) {
    for (std::size_t i = tree.size(); i-- > 0;) update_demand(tree, static_cast<Slot>(i), ledger, is_size_based);
  } else {
    std::sort(new_demands_.begin(), new_demands_.end(), std::greater<>{});
    for (const Slot each : new_demands_) update_demand(tree, each, ledger, is_size_based);
  }
  new_demands_.clear();
}

void FairUpdates::update_demand(FairTree& tree, Slot slot, const ResourceLedger& ledger, bool is_size_based) {
  FairQueue& queue = tree.at(slot);
  queue.updates.has_new_demand = false;
  queue.demand = Resource{};
  queue.sizes = AskSizes{};
  const auto add = [&](Slot child) {
    FairApplication& each = tree.application(child);
    each.demand = ledger.application(child).usage + ledger.application(child).asks.pending();
    if (is_size_based) {
      const auto weight = static_cast<float>(std::log1p(static_cast<double>(each.demand.memory_mib)) / std::log(2.0));
      if (std::exchange(each.weight, weight) != weight) mark_shares(tree, slot);
    }
    queue.demand += each.demand;
    if (each.is_asking) queue.sizes.widen(each.sizes);
  };
  if (queue.is_leaf) {
    for (const Slot each : queue.children) add(each);
    for (const Slot each : queue.waiting) add(each);
  } else {
    for (const Slot child : queue.children) {
      queue.demand += tree.at(child).demand;
      queue.sizes.widen(tree.at(child).sizes);
    }
  }
  queue.demand = smaller_of_each(queue.demand, queue.limits.maximum_now);
}

// -- shares ----------------------------------------------------------------------

void FairUpdates::share_between_queues(FairTree& tree, Slot slot, ShareKind kind) {
  FairQueue& queue = tree.at(slot);
  const bool is_steady = kind == ShareKind::steady;
  Resource FairQueue::*const wanted = is_steady ? &FairQueue::steady_share : &FairQueue::fair_share;
  const auto share = [&](std::int64_t Resource::*type, FairShareGroup& group) {
    group.resize(queue.children.size());
    for (std::size_t i = 0; i < queue.children.size(); ++i) {
      const FairQueue& child = tree.at(queue.children[i]);
      group.set(i, {child.limits.weight, child.limits.minimum.*type, child.limits.maximum_now.*type, true,
                    child.running > 0});
    }
    const std::vector<std::int64_t>& shares = group.shares((queue.*wanted).*type);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const bool is_new = std::exchange((tree.at(queue.children[i]).*wanted).*type, shares[i]) != shares[i];
      if (is_new && !is_steady) mark_shares(tree, queue.children[i]);
    }
  };
  share(&Resource::memory_mib, is_steady ? queue.updates.steady_memory : queue.updates.memory);
  if (queue.policy == FairPolicy::dominant_resource)
    share(&Resource::cores, is_steady ? queue.updates.steady_cores : queue.updates.cores);
}

void FairUpdates::update_shares(FairTree& tree) {
  tree.at(FairTree::root).fair_share = tree.cluster();
  if (std::exchange(are_all_shares_new_, false)) {
    for (std::size_t i = 0; i < tree.size(); ++i) share_below(tree, static_cast<Slot>(i));
    new_shares_ = {};
    return;
  }
  while (!new_shares_.empty()) {
    const Slot next = new_shares_.top();
    new_shares_.pop();
    share_below(tree, next);
  }
}

void FairUpdates::share_below(FairTree& tree, Slot slot) {
  tree.at(slot).updates.has_new_shares = false;
  if (tree.at(slot).is_leaf) share_between_applications(tree, slot);
  else share_between_queues(tree, slot, ShareKind::instantaneous);
}

void FairUpdates::update_steady_shares(FairTree& tree) {
  tree.at(FairTree::root).steady_share = tree.cluster();
  for (std::size_t i = 0; i < tree.size(); ++i)
    if (!tree.at(static_cast<Slot>(i)).is_leaf) share_between_queues(tree, static_cast<Slot>(i), ShareKind::steady);
}

}  // namespace heddle::policies
