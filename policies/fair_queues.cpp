// Building the tree, its limits, and the order of children.
#include "policies/fair_queues.hpp"

#include <algorithm>

#include "model/assert.hpp"

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

std::string full_name(std::string_view name) {
  if (name == "root" || name.starts_with("root.")) return std::string{name};
  return "root." + std::string{name};
}

}  // namespace

bool AskSizes::widen(const AskSizes& more) {
  if (fits_in(least, more.least) && fits_in(more.most, most)) return false;
  least = Resource{std::min(least.memory_mib, more.least.memory_mib), std::min(least.cores, more.least.cores)};
  most = Resource{std::max(most.memory_mib, more.most.memory_mib), std::max(most.cores, more.most.cores)};
  return true;
}

FairQueues::FairQueues(const config::FairSchedulerFile& file, Instant now) : file_{file} {
  create("root", false, now);
  reload(file, now);
}

void FairQueues::reload(const config::FairSchedulerFile& file, Instant now) {
  file_ = file;
  for (std::size_t i = 0; i < queues_.size(); ++i) apply_defaults(static_cast<Slot>(i));
  for (const config::FairQueueSettings& settings : file.queues) declare(settings, now);
  resolve_inherited(file);
  for (FairQueue& queue : queues_) {
    queue.is_order_stale = true;
    refresh_maximum(queue);
  }
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

void FairQueues::apply_defaults(Slot slot) {
  FairQueue& queue = at(slot);
  queue.is_declared = false;
  queue.policy = policy_of(file_.policy);
  queue.weight = 1.0F;
  queue.minimum = Resource{};
  queue.maximum = file_.maximum_of_queues;
  queue.maximum_of_children.reset();
  queue.maximum_container = config::unlimited;
  queue.running_max = file_.running_applications_max_of_queues;
  queue.master_share_max = file_.master_share_max;
  queue.is_preemptable = true;
  queue.minimum_share_timeout_ms = queue.fair_share_timeout_ms = -1;
  queue.fair_share_threshold = -1.0F;
}

void FairQueues::declare(const config::FairQueueSettings& settings, Instant now) {
  Slot slot = find(settings.name);
  if (slot == no_slot) slot = create(settings.name, !settings.is_parent, now);
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
  std::vector<std::string> missing{name};
  std::string above = name;
  Slot parent = no_slot;
  while (parent == no_slot) {
    above = above.substr(0, above.rfind('.'));
    parent = names_.find(above);
    if (parent == no_slot) missing.push_back(above);
  }
  if (at(parent).is_leaf && (!at(parent).children.empty() || !at(parent).waiting.empty() || at(parent).is_declared)) return no_slot;
  at(parent).is_leaf = false;
  Slot slot = no_slot;
  for (auto each = missing.rbegin(); each != missing.rend(); ++each) slot = create(*each, *each == name, now);
  resolve_inherited(file_);
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
  update_steady_shares();
}

void FairQueues::refresh_maximum(FairQueue& queue) const {
  const Resource maximum = queue.maximum.of(cluster_);
  queue.maximum_now = Resource{std::max(maximum.memory_mib, queue.minimum.memory_mib), std::max(maximum.cores, queue.minimum.cores)};
}

void FairQueues::change_usage(Slot leaf, Slot application, const Resource& by) {
  Slot child = application;
  for (Slot each = leaf; each != no_slot; child = each, each = at(each).parent) {
    FairQueue& queue = at(each);
    queue.usage += by;
    if (queue.is_order_stale || (!queue.moved.empty() && queue.moved.back() == child)) continue;
    queue.moved.push_back(child);
    if (queue.moved.size() <= moved_max) continue;
    queue.is_order_stale = true;
    queue.moved.clear();
  }
}

void FairQueues::note_asks(Slot slot, const AskTable& asks) {
  FairApplication& asking = application(slot);
  const bool is_asking = asks.pending_priorities() > 0;
  if (asking.is_asking != is_asking) {
    asking.is_asking = is_asking;
    for (Slot each = asking.queue; each != no_slot; each = at(each).parent)
      if ((at(each).asking += is_asking ? 1 : -1) == 0) at(each).sizes = AskSizes{};
  }
  asking.sizes = AskSizes{};
  if (!is_asking) return;
  for (const PriorityAsks& each : asks.priorities())
    if (each.is_pending) asking.sizes.widen({each.entries.everywhere()->capability, each.entries.everywhere()->capability});
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

const std::vector<Slot>& FairQueues::served(Slot slot, const ResourceLedger& ledger) {
  FairQueue& queue = at(slot);
  const auto before = [&](Slot a, Slot b) { return is_before(queue, a, b, ledger); };
  if (queue.is_order_stale) {
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
  return queue.order;
}

}  // namespace heddle::policies
