// Building the tree, its limits, and the order of children.
#include "policies/cluster/fair/fair_queues.hpp"

#include <algorithm>
#include <set>

#include "model/assert.hpp"
#include "model/java_text.hpp"
#include "policies/cluster/resource_calculator.hpp"

namespace heddle::policies {
namespace {

FairPolicy policy_of(config::SharePolicy policy) {
  switch (policy) {
    case config::SharePolicy::fair: return FairPolicy::fair;
    case config::SharePolicy::dominant_resource: return FairPolicy::dominant_resource;
    case config::SharePolicy::fifo: return FairPolicy::fifo;
  }
  return FairPolicy::fair;
}

/// Beyond this many children that moved, sorting all is cheaper than moving them.
constexpr std::size_t moved_max = 8;

/// What a parent of the one policy may hold: a fair parent no dominant-resource child, a first-come-first-served queue
/// none at all.
bool may_hold(FairPolicy parent, FairPolicy child, bool is_leaf) {
  if (parent == FairPolicy::fifo || (child == FairPolicy::fifo && !is_leaf)) return false;
  return parent == FairPolicy::dominant_resource || child != FairPolicy::dominant_resource;
}

std::string full_name(std::string_view name) {
  if (name == "root" || name.starts_with("root.")) return std::string{name};
  return "root." + std::string{name};
}

/// The leaves or the parents of a file as the original walks its set of names: by bucket of a table that is at most
/// three quarters full. Applications that have waited equally long start in the order of their queues, and that is the
/// order in which queues were created.
std::vector<const config::FairQueueSettings*> walk_of(const std::vector<config::FairQueueSettings>& queues,
                                                      bool are_parents) {
  std::vector<const config::FairQueueSettings*> walk;
  for (const config::FairQueueSettings& each : queues)
    if (each.is_parent == are_parents) walk.push_back(&each);
  std::uint32_t buckets = 16;
  while (walk.size() * 4 > buckets * 3) buckets *= 2;
  const auto bucket_of = [&](const config::FairQueueSettings* queue) {
    return java::map_bucket(java::string_hash(queue->name), buckets);
  };
  std::stable_sort(walk.begin(), walk.end(), [&](const auto* a, const auto* b) { return bucket_of(a) < bucket_of(b); });
  return walk;
}

}  // namespace

FairQueues::FairQueues(const config::FairSchedulerFile& file, Instant now) : file_{file} {
  create("root", false, now);
  reload(file, now);
}

void FairQueues::reload(const config::FairSchedulerFile& file, Instant now) {
  file_ = file;
  for (std::size_t i = 0; i < queues_.size(); ++i) apply_defaults(static_cast<Slot>(i));
  create_declared(now);
  for (const config::FairQueueSettings& settings : file.queues)
    if (const Slot slot = find(settings.name); slot != no_slot) declare(slot, settings);
  resolve_inherited(file);
  for (FairQueue& queue : queues_) {
    queue.is_order_stale = true;
    refresh_maximum(queue);
  }
  mark_all_changed();
  update_steady_shares();
}

Slot FairQueues::find(std::string_view name) const { return names_.find(full_name(name)); }

Slot FairQueues::create(std::string_view name, bool is_leaf, Instant now) {
  const Slot slot = names_.intern(name);
  HEDDLE_ASSERT(static_cast<std::size_t>(slot) == queues_.size(), "a queue is created once");
  queues_.emplace_back();
  FairQueue& queue = at(slot);
  queue.name = std::string{name};
  queue.is_leaf = is_leaf;
  queue.last_at_min_share_ms = to_milliseconds(now.time_since_epoch());
  const std::size_t dot = name.rfind('.');
  if (dot != std::string_view::npos) {
    queue.parent = names_.find(name.substr(0, dot));
    at(queue.parent).children.push_back(slot);
    at(queue.parent).is_order_stale = true;
  }
  apply_defaults(slot);
  return slot;
}

FairPolicy FairQueues::policy_for(std::string_view name) const {
  const auto settings =
      std::find_if(file_.queues.begin(), file_.queues.end(), [&](const auto& each) { return each.name == name; });
  return policy_of(settings == file_.queues.end() ? file_.policy : settings->policy.value_or(file_.policy));
}

void FairQueues::apply_defaults(Slot slot) {
  FairQueue& queue = at(slot);
  queue.is_declared = false;
  queue.policy = policy_of(file_.policy);
  queue.weight = 1.0F;
  queue.minimum = Resource{};
  queue.minimum_of_others.clear();
  queue.maximum = file_.maximum_of_queues;
  queue.maximum_of_children.reset();
  queue.maximum_container = config::unlimited;
  queue.running_max = file_.running_applications_max_of_queues;
  queue.master_share_max = file_.master_share_max;
  queue.is_preemptable = true;
  queue.minimum_share_timeout_ms = queue.fair_share_timeout_ms = -1;
  queue.fair_share_threshold = -1.0F;
}

/// Leaves first, each with the parents that are missing above it, then parents without a leaf. What a parent may not
/// hold is left out.
void FairQueues::create_declared(Instant now) {
  for (const config::FairQueueSettings& settings : file_.queues)
    if (const Slot slot = find(settings.name); slot != no_slot)
      at(slot).policy = policy_of(settings.policy.value_or(file_.policy));
  for (const bool are_parents : {false, true})
    for (const config::FairQueueSettings* settings : walk_of(file_.queues, are_parents))
      create_with_parents(settings->name, !are_parents, now);
}

Slot FairQueues::create_with_parents(const std::string& name, bool is_leaf, Instant now) {
  Slot slot = root;
  for (std::size_t dot = name.find('.'); dot != std::string::npos;) {
    dot = name.find('.', dot + 1);
    const bool is_whole = dot == std::string::npos;
    const std::string above = name.substr(0, dot);
    const Slot parent = slot;
    slot = names_.find(above);
    if (slot != no_slot) continue;
    const FairPolicy policy = policy_for(above);
    if (!may_hold(at(parent).policy, policy, is_whole && is_leaf)) return no_slot;
    slot = create(above, is_whole && is_leaf, now);
    at(slot).policy = policy;
  }
  return slot;
}

void FairQueues::declare(Slot slot, const config::FairQueueSettings& settings) {
  FairQueue& queue = at(slot);
  // A queue that changed its kind stays as it is until nothing is in it.
  if (queue.is_leaf == settings.is_parent && queue.children.empty() && queue.waiting.empty() && slot != root)
    queue.is_leaf = !settings.is_parent;
  apply(slot, settings);
}

void FairQueues::apply(Slot slot, const config::FairQueueSettings& settings) {
  FairQueue& queue = at(slot);
  queue.is_declared = true;
  queue.weight = settings.weight;
  queue.minimum = settings.minimum.of(Resource{});
  queue.minimum_of_others = settings.minimum.others;
  if (settings.maximum) queue.maximum = *settings.maximum;
  queue.maximum_of_children = settings.maximum_of_children;
  if (settings.running_applications_max) queue.running_max = *settings.running_applications_max;
  if (settings.master_share_max) queue.master_share_max = *settings.master_share_max;
  if (settings.policy) queue.policy = policy_of(*settings.policy);
  if (settings.minimum_share_timeout_ms) queue.minimum_share_timeout_ms = *settings.minimum_share_timeout_ms;
  if (settings.fair_share_timeout_ms) queue.fair_share_timeout_ms = *settings.fair_share_timeout_ms;
  if (settings.fair_share_threshold) queue.fair_share_threshold = *settings.fair_share_threshold;
  if (settings.maximum_container) queue.maximum_container = settings.maximum_container->of(cluster_);
  queue.is_preemptable = settings.is_preemptable;
}

/// What a queue leaves open it takes from its parent; slots ascend from parents to children.
void FairQueues::resolve_inherited(const config::FairSchedulerFile& file) {
  FairQueue& top = at(root);
  if (top.minimum_share_timeout_ms < 0) top.minimum_share_timeout_ms = file.minimum_share_timeout_ms;
  if (top.fair_share_timeout_ms < 0) top.fair_share_timeout_ms = file.fair_share_timeout_ms;
  if (top.fair_share_threshold < 0) top.fair_share_threshold = file.fair_share_threshold;
  for (std::size_t i = 1; i < queues_.size(); ++i) {
    FairQueue& queue = queues_[i];
    const FairQueue& parent = at(queue.parent);
    if (queue.minimum_share_timeout_ms < 0) queue.minimum_share_timeout_ms = parent.minimum_share_timeout_ms;
    if (queue.fair_share_timeout_ms < 0) queue.fair_share_timeout_ms = parent.fair_share_timeout_ms;
    if (queue.fair_share_threshold < 0) queue.fair_share_threshold = parent.fair_share_threshold;
    queue.is_preemptable = queue.is_preemptable && parent.is_preemptable;
    if (queue.maximum_container == config::unlimited) queue.maximum_container = parent.maximum_container;
    if (!queue.is_declared && parent.maximum_of_children) queue.maximum = *parent.maximum_of_children;
    refresh_maximum(queue);
  }
}

Slot FairQueues::find_or_create_leaf(std::string_view short_name, Instant now) {
  const std::string name = full_name(short_name);
  if (const Slot slot = names_.find(name); slot != no_slot) return at(slot).is_leaf ? slot : no_slot;
  std::string above = name;
  Slot parent = no_slot;
  while (parent == no_slot) {
    above = above.substr(0, above.rfind('.'));
    parent = names_.find(above);
  }
  if (at(parent).is_leaf && (!at(parent).children.empty() || !at(parent).waiting.empty() || at(parent).is_declared))
    return no_slot;
  at(parent).is_leaf = false;
  const Slot slot = create_with_parents(name, true, now);
  resolve_inherited(file_);
  mark_all_changed();
  update_steady_shares();
  return slot;
}

FairApplication& FairQueues::add_application(Slot slot) {
  if (applications_.size() <= static_cast<std::size_t>(slot)) applications_.resize(static_cast<std::size_t>(slot) + 1);
  return application(slot) = FairApplication{};
}

void FairQueues::set_cluster(const Resource& cluster) {
  cluster_ = cluster;
  for (FairQueue& queue : queues_) {
    queue.is_order_stale = true;
    refresh_maximum(queue);
  }
  mark_all_changed();
  update_steady_shares();
}

void FairQueues::refresh_maximum(FairQueue& queue) const {
  const Resource maximum = queue.maximum.of(cluster_);
  queue.maximum_now = larger_of_each(maximum, queue.minimum);
}

void FairQueues::change_usage(Slot leaf, Slot application, const Resource& by) {
  mark_demand(leaf);
  Slot child = application;
  for (Slot each = leaf; each != no_slot; child = each, each = at(each).parent) {
    FairQueue& queue = at(each);
    queue.usage += by;
    if (is_order_stale(queue) || (!queue.moved.empty() && queue.moved.back() == child)) continue;
    queue.moved.push_back(child);
    if (queue.moved.size() <= moved_max) continue;
    queue.is_order_stale = true;
    queue.moved.clear();
  }
}

void FairQueues::change_extras(Slot leaf, const ExtraBooks::List& by, std::int64_t times) {
  for (Slot each = leaf; each != no_slot; each = at(each).parent)
    for (const auto& [kind, amount] : by) at(each).usage_extras.change(kind, amount * times);
}

std::optional<std::int64_t> FairQueues::maximum_of_kind(const FairQueue& queue, const ExtraBooks& books,
                                                        std::int32_t kind) {
  auto most = queue.maximum.of_kind(books.name(kind), books.total().of(kind));
  if (most) most = std::max(*most, amount_of(queue.minimum_of_others, books.name(kind)));
  return most;
}

Slot FairQueues::full_of_extras(Slot leaf, const ExtraBooks& books, ExtrasId what) const {
  for (Slot each = leaf; what != no_extras && each != no_slot; each = at(each).parent)
    for (const auto& [kind, amount] : books.list(what))
      if (const auto most = maximum_of_kind(at(each), books, kind);
          most && at(each).usage_extras.of(kind) + amount > *most)
        return each;
  return no_slot;
}

void FairQueues::note_asks(Slot slot, const AskTable& asks) {
  FairApplication& asking = application(slot);
  if (asking.queue != no_slot) mark_demand(asking.queue);
  const bool is_asking = asks.pending_priorities() > 0;
  if (asking.is_asking != is_asking) {
    asking.is_asking = is_asking;
    for (Slot each = asking.queue; each != no_slot; each = at(each).parent)
      if ((at(each).asking += is_asking ? 1 : -1) == 0) at(each).sizes = AskSizes{};
  }
  asking.sizes = AskSizes{};
  if (!is_asking) return;
  for (const PriorityAsks& each : asks.priorities()) {
    if (!each.is_pending) continue;
    asking.sizes.widen({each.entries.everywhere()->capability, each.entries.everywhere()->capability});
    asking.sizes.widen(each.entries.sizes_of_places());
  }
  // A queue's bounds enclose those of its children, so whoever need not be widened has nobody above who must be.
  for (Slot each = asking.queue; each != no_slot && at(each).sizes.widen(asking.sizes); each = at(each).parent) {}
}

Slot FairQueues::full_queue(Slot leaf, const Resource& extra) const {
  for (Slot each = leaf; each != no_slot; each = at(each).parent)
    if (!fits_in(at(each).usage + extra, maximum_of(at(each)))) return each;
  return no_slot;
}

FairSortKey FairQueues::key_of(const FairQueue& parent, Slot child, const ResourceLedger& ledger) const {
  if (parent.is_leaf) {
    const FairApplication& each = application(child);
    return {ledger.application(child).usage, each.demand, Resource{}, each.weight, each.start_ms, each.name};
  }
  const FairQueue& queue = at(child);
  return {queue.usage, queue.demand, queue.minimum, queue.weight, 0, queue.name};
}

bool FairQueues::is_before(const FairQueue& parent, Slot a, Slot b, const ResourceLedger& ledger) const {
  return compare(parent.policy, key_of(parent, a, ledger), key_of(parent, b, ledger), cluster_) < 0;
}

bool FairQueues::has_child_without_weight(const FairQueue& queue) const {
  if (queue.policy != FairPolicy::dominant_resource) return false;
  return std::any_of(queue.children.begin(), queue.children.end(), [&](Slot child) {
    return (queue.is_leaf ? application(child).weight : at(child).weight) == 0.0F;
  });
}

const std::vector<Slot>& FairQueues::served(Slot slot, const ResourceLedger& ledger) {
  FairQueue& queue = at(slot);
  const auto before = [&](Slot a, Slot b) { return is_before(queue, a, b, ledger); };
  const bool is_stale = is_order_stale(queue);
  if (is_stale && has_child_without_weight(queue)) {
    // Such a child compares with nobody (0 / 0), and the order depends on how it is found: one after the other into a
    // balanced tree, of a leaf only those that ask. The next offer does it again.
    std::multiset<Slot, decltype(before)> tree{before};
    for (const Slot child : queue.children)
      if (!queue.is_leaf || application(child).is_asking) tree.insert(child);
    queue.order.assign(tree.begin(), tree.end());
    queue.moved.clear();
    return queue.order;
  }
  if (is_stale) {
    queue.order = queue.children;
    std::stable_sort(queue.order.begin(), queue.order.end(), before);
  } else if (!queue.moved.empty()) {
    std::sort(queue.moved.begin(), queue.moved.end());
    queue.moved.erase(std::unique(queue.moved.begin(), queue.moved.end()), queue.moved.end());
    for (const Slot child : queue.moved) {
      const auto at_now = std::find(queue.order.begin(), queue.order.end(), child);
      if (at_now != queue.order.end()) queue.order.erase(at_now);
    }
    for (const Slot child : queue.moved) {
      if (queue.is_leaf && !application(child).is_runnable) continue;
      queue.order.insert(std::lower_bound(queue.order.begin(), queue.order.end(), child, before), child);
    }
  }
  queue.moved.clear();
  queue.is_order_stale = false;
  queue.ordered_in = demand_round_;
  return queue.order;
}

}  // namespace heddle::policies
