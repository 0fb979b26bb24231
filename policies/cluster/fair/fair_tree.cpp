// The tree of the queue file, and settings that queues inherit from their parents.
#include "policies/cluster/fair/fair_tree.hpp"

#include <algorithm>

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

/// Allowed children by policy: a fair parent may not have a drf child, a fifo queue no child at all.
bool may_hold(FairPolicy parent, FairPolicy child, bool is_leaf) {
  if (parent == FairPolicy::fifo || (child == FairPolicy::fifo && !is_leaf)) return false;
  return parent == FairPolicy::dominant_resource || child != FairPolicy::dominant_resource;
}

std::string full_name(std::string_view name) {
  if (name == "root" || name.starts_with("root.")) return std::string{name};
  return "root." + std::string{name};
}

/// The leaves or parents of a file in the iteration order of Hadoop's hash set of names: by bucket of a table with a
/// load of at most 3/4. Queues are created in this order, and applications with equal start times start in the order of
/// their queues.
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

FairTree::FairTree(const config::FairSchedulerFile& file, Instant now) : file_{file} {
  create("root", false, now);
  reload(file, now);
}

void FairTree::reload(const config::FairSchedulerFile& file, Instant now) {
  file_ = file;
  for (std::size_t i = 0; i < queues_.size(); ++i) apply_defaults(static_cast<RowIndex>(i));
  create_declared(now);
  for (const config::FairQueueSettings& settings : file.queues)
    if (const RowIndex row = find(settings.name); row != no_row) declare(row, settings);
  resolve_inherited();
  for (FairQueue& queue : queues_) {
    queue.order.is_stale = true;
    refresh_maximum(queue);
  }
}

RowIndex FairTree::find(std::string_view name) const { return names_.find(full_name(name)); }

RowIndex FairTree::create(std::string_view name, bool is_leaf, Instant now) {
  const RowIndex row = names_.intern(name);
  HEDDLE_ASSERT(static_cast<std::size_t>(row) == queues_.size(), "queue rows out of order");
  queues_.emplace_back();
  FairQueue& queue = at(row);
  queue.name = std::string{name};
  queue.is_leaf = is_leaf;
  queue.preemption.last_at_min_share_ms = to_milliseconds(now.time_since_epoch());
  const std::size_t dot = name.rfind('.');
  if (dot != std::string_view::npos) {
    queue.parent = names_.find(name.substr(0, dot));
    at(queue.parent).children.push_back(row);
    at(queue.parent).order.is_stale = true;
  }
  apply_defaults(row);
  return row;
}

FairPolicy FairTree::policy_for(std::string_view name) const {
  const auto settings =
      std::find_if(file_.queues.begin(), file_.queues.end(), [&](const auto& each) { return each.name == name; });
  return policy_of(settings == file_.queues.end() ? file_.policy : settings->policy.value_or(file_.policy));
}

void FairTree::apply_defaults(RowIndex row) {
  FairQueue& queue = at(row);
  queue.is_declared = false;
  queue.policy = policy_of(file_.policy);
  queue.limits.weight = 1.0F;
  queue.limits.minimum = MemoryAndCores{};
  queue.limits.minimum_of_others = {};
  queue.limits.maximum = file_.maximum_of_queues;
  queue.limits.maximum_of_children.reset();
  queue.limits.maximum_container = config::unlimited;
  queue.limits.running_max = file_.running_applications_max_of_queues;
  queue.limits.master_share_max = file_.master_share_max;
  queue.preemption.is_preemptable = true;
  queue.preemption.minimum_share_timeout_ms = queue.preemption.fair_share_timeout_ms = -1;
  queue.preemption.fair_share_threshold = -1.0F;
}

/// Leaves first, each with its missing parents, then parents without a leaf. Skips queues that their parent may not
/// have.
void FairTree::create_declared(Instant now) {
  for (const config::FairQueueSettings& settings : file_.queues)
    if (const RowIndex row = find(settings.name); row != no_row)
      at(row).policy = policy_of(settings.policy.value_or(file_.policy));
  for (const bool are_parents : {false, true})
    for (const config::FairQueueSettings* settings : walk_of(file_.queues, are_parents))
      create_with_parents(settings->name, !are_parents, now);
}

RowIndex FairTree::create_with_parents(const std::string& name, bool is_leaf, Instant now) {
  RowIndex row = root;
  for (std::size_t dot = name.find('.'); dot != std::string::npos;) {
    dot = name.find('.', dot + 1);
    const bool is_whole = dot == std::string::npos;
    const std::string above = name.substr(0, dot);
    const RowIndex parent = row;
    row = names_.find(above);
    if (row != no_row) continue;
    const FairPolicy policy = policy_for(above);
    if (!may_hold(at(parent).policy, policy, is_whole && is_leaf)) return no_row;
    row = create(above, is_whole && is_leaf, now);
    at(row).policy = policy;
  }
  return row;
}

void FairTree::declare(RowIndex row, const config::FairQueueSettings& settings) {
  FairQueue& queue = at(row);
  // A queue whose kind changed in the file keeps its kind until it is empty.
  if (queue.is_leaf == settings.is_parent && queue.children.empty() && queue.waiting.empty() && row != root)
    queue.is_leaf = !settings.is_parent;
  apply(row, settings);
}

void FairTree::apply(RowIndex row, const config::FairQueueSettings& settings) {
  FairQueue& queue = at(row);
  queue.is_declared = true;
  queue.limits.weight = settings.weight;
  queue.limits.minimum = settings.minimum.of(Resource{});
  queue.limits.minimum_of_others = ResourceAmounts{settings.minimum.others};
  if (settings.maximum) queue.limits.maximum = *settings.maximum;
  queue.limits.maximum_of_children = settings.maximum_of_children;
  if (settings.running_applications_max) queue.limits.running_max = *settings.running_applications_max;
  if (settings.master_share_max) queue.limits.master_share_max = *settings.master_share_max;
  if (settings.policy) queue.policy = policy_of(*settings.policy);
  if (settings.minimum_share_timeout_ms) queue.preemption.minimum_share_timeout_ms = *settings.minimum_share_timeout_ms;
  if (settings.fair_share_timeout_ms) queue.preemption.fair_share_timeout_ms = *settings.fair_share_timeout_ms;
  if (settings.fair_share_threshold) queue.preemption.fair_share_threshold = *settings.fair_share_threshold;
  if (settings.maximum_container)
    queue.limits.maximum_container = settings.maximum_container->of(cluster_.as_resource());
  queue.preemption.is_preemptable = settings.is_preemptable;
}

/// A queue inherits missing settings from its parent; rows ascend from parents to children.
void FairTree::resolve_inherited() {
  FairQueue& top = at(root);
  if (top.preemption.minimum_share_timeout_ms < 0)
    top.preemption.minimum_share_timeout_ms = file_.minimum_share_timeout_ms;
  if (top.preemption.fair_share_timeout_ms < 0) top.preemption.fair_share_timeout_ms = file_.fair_share_timeout_ms;
  if (top.preemption.fair_share_threshold < 0) top.preemption.fair_share_threshold = file_.fair_share_threshold;
  for (std::size_t i = 1; i < queues_.size(); ++i) {
    FairQueue& queue = queues_[i];
    const FairQueue& parent = at(queue.parent);
    if (queue.preemption.minimum_share_timeout_ms < 0)
      queue.preemption.minimum_share_timeout_ms = parent.preemption.minimum_share_timeout_ms;
    if (queue.preemption.fair_share_timeout_ms < 0)
      queue.preemption.fair_share_timeout_ms = parent.preemption.fair_share_timeout_ms;
    if (queue.preemption.fair_share_threshold < 0)
      queue.preemption.fair_share_threshold = parent.preemption.fair_share_threshold;
    queue.preemption.is_preemptable = queue.preemption.is_preemptable && parent.preemption.is_preemptable;
    if (queue.limits.maximum_container == config::unlimited)
      queue.limits.maximum_container = parent.limits.maximum_container;
    if (!queue.is_declared && parent.limits.maximum_of_children)
      queue.limits.maximum = *parent.limits.maximum_of_children;
    refresh_maximum(queue);
  }
}

RowIndex FairTree::parent_for(std::string_view leaf) const {
  std::string above = full_name(leaf);
  RowIndex parent = no_row;
  while (parent == no_row) {
    above = above.substr(0, above.rfind('.'));
    parent = names_.find(above);
  }
  const bool is_used = !at(parent).children.empty() || !at(parent).waiting.empty() || at(parent).is_declared;
  return at(parent).is_leaf && is_used ? no_row : parent;
}

RowIndex FairTree::create_leaf(std::string_view leaf, RowIndex parent, Instant now) {
  at(parent).is_leaf = false;
  const RowIndex row = create_with_parents(full_name(leaf), true, now);
  resolve_inherited();
  return row;
}

FairApplication& FairTree::add_application(RowIndex row) {
  if (applications_.size() <= static_cast<std::size_t>(row)) applications_.resize(static_cast<std::size_t>(row) + 1);
  return application(row) = FairApplication{};
}

void FairTree::set_cluster(const MemoryAndCores& cluster) {
  cluster_ = cluster;
  for (FairQueue& queue : queues_) {
    queue.order.is_stale = true;
    refresh_maximum(queue);
  }
}

void FairTree::refresh_maximum(FairQueue& queue) const {
  const MemoryAndCores maximum = queue.limits.maximum.of(cluster_.as_resource());
  queue.limits.maximum_now = larger_of_each(maximum, queue.limits.minimum);
}

// -- maxima --------------------------------------------------------------------

RowIndex full_queue(const FairTree& tree, RowIndex leaf, const MemoryAndCores& more) {
  for (RowIndex each = leaf; each != no_row; each = tree.at(each).parent)
    if (!fits_in(tree.at(each).usage + more, tree.at(each).limits.maximum_now)) return each;
  return no_row;
}

std::optional<std::int64_t> maximum_of_kind(const FairQueue& queue, const OtherResources& others, std::int32_t kind) {
  auto limit = queue.limits.maximum.of_kind(others.name(kind), others.total().of(kind));
  if (limit) limit = std::max(*limit, queue.limits.minimum_of_others.of(others.name(kind)));
  return limit;
}

RowIndex full_of_others(const FairTree& tree, RowIndex leaf, const OtherResources& others, OthersId what) {
  for (RowIndex each = leaf; what != no_others && each != no_row; each = tree.at(each).parent)
    for (const auto& [kind, amount] : others.list(what))
      if (const auto limit = maximum_of_kind(tree.at(each), others, kind);
          limit && tree.at(each).usage_others.of(kind) + amount > *limit)
        return each;
  return no_row;
}

}  // namespace heddle::policies
