// Changes of several parts: usage, asks, limits and the cluster.
#include "policies/cluster/fair/fair_queues.hpp"

namespace heddle::policies {

FairQueues::FairQueues(const config::FairSchedulerFile& file, Instant now) : tree_{file, now} { update_all(); }

void FairQueues::update_all() {
  updates_.mark_all();
  updates_.update_steady_shares(tree_);
}

RowIndex FairQueues::find_or_create_leaf(std::string_view name, Instant now) {
  if (const RowIndex known = tree_.find(name); known != no_row) return at(known).is_leaf ? known : no_row;
  const RowIndex parent = tree_.parent_for(name);
  if (parent == no_row) return no_row;
  const RowIndex leaf = tree_.create_leaf(name, parent, now);
  update_all();
  return leaf;
}

void FairQueues::reload(const config::FairSchedulerFile& file, Instant now) {
  tree_.reload(file, now);
  update_all();
}

void FairQueues::set_cluster(const MemoryAndCores& cluster) {
  tree_.set_cluster(cluster);
  update_all();
}

void FairQueues::change_usage(RowIndex leaf, RowIndex application, const MemoryAndCores& by) {
  updates_.mark_demand(tree_, leaf);
  const std::uint64_t round = updates_.demand_round();
  RowIndex child = application;
  for (RowIndex each = leaf; each != no_row; child = each, each = tree_.at(each).parent) {
    FairQueue& queue = tree_.at(each);
    queue.usage += by;
    move_in_order(queue, child, round);
  }
}

void FairQueues::change_others(RowIndex leaf, const OtherResources::List& by, std::int64_t times) {
  for (RowIndex each = leaf; each != no_row; each = tree_.at(each).parent)
    for (const auto& [kind, amount] : by) tree_.at(each).usage_others.change(kind, amount * times);
}

void FairQueues::change_asks(RowIndex row, const PendingRequests& asks) {
  FairApplication& asking = tree_.application(row);
  if (asking.queue != no_row) updates_.mark_demand(tree_, asking.queue);
  const bool is_asking = asks.pending_priorities() > 0;
  if (asking.is_asking != is_asking) {
    asking.is_asking = is_asking;
    for (RowIndex each = asking.queue; each != no_row; each = tree_.at(each).parent)
      if ((tree_.at(each).asking += is_asking ? 1 : -1) == 0) tree_.at(each).sizes = AskSizes{};
  }
  asking.sizes = AskSizes{};
  if (!is_asking) return;
  for (const PriorityAsks& each : asks.priorities()) {
    if (!each.is_pending) continue;
    asking.sizes.widen({each.entries.everywhere()->capability, each.entries.everywhere()->capability});
    asking.sizes.widen(each.entries.sizes_of_places());
  }
  // The bounds of a queue enclose those of its children, so the loop stops at the first queue that needs no widening.
  for (RowIndex each = asking.queue; each != no_row && tree_.at(each).sizes.widen(asking.sizes);
       each = tree_.at(each).parent) {}
}

}  // namespace heddle::policies
