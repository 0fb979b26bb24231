// Changes that reach several parts: usage, asks, limits and the cluster.
#include "policies/cluster/fair/fair_queues.hpp"

namespace heddle::policies {

FairQueues::FairQueues(const config::FairSchedulerFile& file, Instant now) : tree_{file, now} { update_all(); }

void FairQueues::update_all() {
  updates_.mark_all();
  updates_.update_steady_shares(tree_);
}

Slot FairQueues::find_or_create_leaf(std::string_view name, Instant now) {
  if (const Slot known = tree_.find(name); known != no_slot) return at(known).is_leaf ? known : no_slot;
  const Slot parent = tree_.parent_for(name);
  if (parent == no_slot) return no_slot;
  const Slot leaf = tree_.create_leaf(name, parent, now);
  update_all();
  return leaf;
}

void FairQueues::reload(const config::FairSchedulerFile& file, Instant now) {
  tree_.reload(file, now);
  update_all();
}

void FairQueues::set_cluster(const Resource& cluster) {
  tree_.set_cluster(cluster);
  update_all();
}

void FairQueues::change_usage(Slot leaf, Slot application, const Resource& by) {
  updates_.mark_demand(tree_, leaf);
  const std::uint64_t round = updates_.demand_round();
  Slot child = application;
  for (Slot each = leaf; each != no_slot; child = each, each = tree_.at(each).parent) {
    FairQueue& queue = tree_.at(each);
    queue.usage += by;
    move_in_order(queue, child, round);
  }
}

void FairQueues::change_extras(Slot leaf, const ExtraBooks::List& by, std::int64_t times) {
  for (Slot each = leaf; each != no_slot; each = tree_.at(each).parent)
    for (const auto& [kind, amount] : by) tree_.at(each).usage_extras.change(kind, amount * times);
}

void FairQueues::change_asks(Slot slot, const AskTable& asks) {
  FairApplication& asking = tree_.application(slot);
  if (asking.queue != no_slot) updates_.mark_demand(tree_, asking.queue);
  const bool is_asking = asks.pending_priorities() > 0;
  if (asking.is_asking != is_asking) {
    asking.is_asking = is_asking;
    for (Slot each = asking.queue; each != no_slot; each = tree_.at(each).parent)
      if ((tree_.at(each).asking += is_asking ? 1 : -1) == 0) tree_.at(each).sizes = AskSizes{};
  }
  asking.sizes = AskSizes{};
  if (!is_asking) return;
  for (const PriorityAsks& each : asks.priorities()) {
    if (!each.is_pending) continue;
    asking.sizes.widen({each.entries.everywhere()->capability, each.entries.everywhere()->capability});
    asking.sizes.widen(each.entries.sizes_of_places());
  }
  // A queue's bounds enclose those of its children, so whoever need not be widened has nobody above who must be.
  for (Slot each = asking.queue; each != no_slot && tree_.at(each).sizes.widen(asking.sizes);
       each = tree_.at(each).parent) {}
}

}  // namespace heddle::policies
