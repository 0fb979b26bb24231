// Absolute capacities are computed from the root down; usage changes go up one path at a time.
#include "policies/cluster/capacity/capacity_queues.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/assert.hpp"
#include "model/java_number.hpp"

namespace heddle::policies {
namespace {

using Kind = config::ConfiguredCapacity::Kind;

/// Three-way comparison of floats as in Java: NaN is the largest and equal to itself.
int compare_float(float a, float b) {
  if (a < b) return -1;
  if (a > b) return 1;
  if (a == b) return 0;
  return std::isnan(a) == std::isnan(b) ? 0 : std::isnan(a) ? 1 : -1;
}

int compare_served(float used_a, float used_b, std::int32_t priority_a, std::int32_t priority_b) {
  const bool is_same_side = (used_a < 1.0F && used_b < 1.0F) || (used_a >= 1.0F && used_b >= 1.0F);
  if (priority_a != priority_b && is_same_side) return priority_a > priority_b ? -1 : 1;
  return compare_float(used_a, used_b);
}

}  // namespace

CapacityQueues::CapacityQueues(const config::CapacitySchedulerFile& file, MemoryAndCores minimum_allocation)
    : calculator_{file.is_dominant ? CalculatorKind::dominant : CalculatorKind::memory_only},
      minimum_allocation_{minimum_allocation} {
  adopt(file, {});
  apply(file);
  set_cluster(MemoryAndCores{});
}

/// Puts the queues in the order of the file. Queues that exist already keep their applications and usage.
void CapacityQueues::adopt(const config::CapacitySchedulerFile& file, std::vector<CapacityQueue> before) {
  const NameTable names_before = std::exchange(names_, NameTable{});
  queues_.assign(file.queues.size(), CapacityQueue{});
  for (std::size_t i = 0; i < file.queues.size(); ++i) {
    const config::CapacityQueueSettings& settings = file.queues[i];
    CapacityQueue& queue = queues_[i];
    const RowIndex known = names_before.find(settings.name);
    if (known != NameTable::absent && before[static_cast<std::size_t>(known)].is_leaf != settings.is_parent)
      queue = std::move(before[static_cast<std::size_t>(known)]);
    queue.name = settings.name;
    queue.parent = settings.parent;
    queue.is_leaf = !settings.is_parent;
    queue.children.clear();
    queue.order.clear();
    names_.intern(queue.name);
    if (queue.parent != no_row) at(queue.parent).children.push_back(static_cast<RowIndex>(i));
  }
}

void CapacityQueues::apply(const config::CapacitySchedulerFile& file) {
  applications_max_ = file.applications_max;
  applications_max_of_queue_ = file.applications_max_of_queue;
  calculator_ = ResourceCalculator{file.is_dominant ? CalculatorKind::dominant : CalculatorKind::memory_only};
  for (const config::CapacityQueueSettings& settings : file.queues) {
    CapacityQueue& queue = at(names_.find(settings.name));
    queue.settings = settings;
    queue.shares.capacity = settings.capacity.kind == Kind::percent ? settings.capacity.number / 100.0F : 0.0F;
    queue.shares.maximum_capacity =
        settings.maximum_capacity.kind == Kind::percent ? settings.maximum_capacity.number / 100.0F : 1.0F;
  }
}

/// True if the queue, or a parent, is stopped in the current or the new file, and it has no application.
bool CapacityQueues::is_at_rest(RowIndex row, const config::CapacitySchedulerFile& next) const {
  if (at(row).counts.applications > 0) return false;
  for (RowIndex each = row; each != no_row; each = at(each).parent)
    if (at(each).settings.is_stopped || next.stopped_elsewhere.contains(at(each).name)) return true;
  return false;
}

Result<std::vector<RowIndex>> CapacityQueues::reload(const config::CapacitySchedulerFile& file) {
  std::vector<RowIndex> moved(queues_.size(), no_row);
  for (std::size_t i = 0; i < file.queues.size(); ++i)
    if (const RowIndex row = names_.find(file.queues[i].name); row != NameTable::absent)
      moved[static_cast<std::size_t>(row)] = static_cast<RowIndex>(i);
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    const CapacityQueue& queue = queues_[i];
    const bool leaves = moved[i] == no_row;
    const bool splits = !leaves && queue.is_leaf && file.queues[static_cast<std::size_t>(moved[i])].is_parent;
    if ((!leaves && !splits) || is_at_rest(static_cast<RowIndex>(i), file)) continue;
    const std::string has = queue.counts.applications > 0
                                ? "has " + std::to_string(queue.counts.applications) + " applications"
                                : "is not stopped";
    return Error{Errc::usage, "queue " + queue.name +
                                  (leaves ? " cannot be removed" : " cannot become a parent queue") + ": it " + has +
                                  "; set its state to STOPPED and wait until its applications have ended"};
  }
  adopt(file, std::move(queues_));
  apply(file);
  set_cluster(cluster_);
  return moved;
}

RowIndex CapacityQueues::find(std::string_view name) const {
  if (const RowIndex row = names_.find(name); row != NameTable::absent) return row;
  if (name.find('.') != std::string_view::npos) return no_row;
  RowIndex found = no_row;
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    const std::string_view full = queues_[i].name;
    if (!full.ends_with(name) || full.size() <= name.size() || full[full.size() - name.size() - 1] != '.') continue;
    if (found != no_row) return no_row;
    found = static_cast<RowIndex>(i);
  }
  return found;
}

// -- amounts -------------------------------------------------------------------

void CapacityQueues::set_cluster(const MemoryAndCores& cluster) {
  cluster_ = cluster;
  for (CapacityQueue& queue : queues_) {
    update_amounts(queue);
    update_scale(queue);
    float sum = 0;
    for (const RowIndex child : queue.children)
      if (at(child).settings.capacity.kind == Kind::weight) sum += at(child).settings.capacity.number;
    for (const RowIndex child : queue.children)
      at(child).shares.normalized_weight = std::abs(sum) > 1e-6F ? at(child).settings.capacity.number / sum : 0.0F;
  }
  update_limits(root, CapacityLimits{cluster});
  for (CapacityQueue& queue : queues_) {
    update_shares(queue);
    if (queue.is_leaf) update_applications_max(queue);
  }
  for (CapacityQueue& queue : queues_) {
    queue.order.clear();
    for (const RowIndex child : queue.children)
      if (is_asking(at(child))) queue.order.push_back(child);
    std::stable_sort(queue.order.begin(), queue.order.end(),
                     [&](RowIndex a, RowIndex b) { return is_before(queue, a, b); });
  }
}

void CapacityQueues::update_amounts(CapacityQueue& queue) {
  if (queue.parent == no_row) {
    queue.shares.absolute_capacity = queue.shares.absolute_maximum = queue.shares.capacity = 1.0F;
    queue.guaranteed = queue.maximum = cluster_;
    return;
  }
  if (queue.settings.capacity.kind == Kind::absolute) return update_absolute_amounts(queue);
  const CapacityQueue& parent = at(queue.parent);
  const float part =
      queue.settings.capacity.kind == Kind::weight ? queue.shares.normalized_weight : queue.shares.capacity;
  queue.shares.absolute_capacity = part * parent.shares.absolute_capacity;
  queue.shares.absolute_maximum = queue.shares.maximum_capacity * parent.shares.absolute_maximum;
  queue.guaranteed = multiplied(cluster_, static_cast<double>(queue.shares.absolute_capacity));
  queue.maximum = multiplied(cluster_, static_cast<double>(queue.shares.absolute_maximum));
}

void CapacityQueues::update_absolute_amounts(CapacityQueue& queue) {
  const CapacityQueue& parent = at(queue.parent);
  const MemoryAndCores& wanted = queue.settings.capacity.amount;
  queue.guaranteed = {
      java::to_long(static_cast<double>(static_cast<float>(wanted.memory_mib) * parent.shares.memory_scale)),
      java::to_long(static_cast<double>(static_cast<float>(wanted.cores) * parent.shares.cores_scale))};
  const bool is_parent_limited = parent.settings.maximum_capacity.kind == Kind::absolute &&
                                 parent.settings.maximum_capacity.amount != MemoryAndCores{};
  const MemoryAndCores& most = is_parent_limited ? parent.settings.maximum_capacity.amount : parent.maximum;
  const MemoryAndCores& own = queue.settings.maximum_capacity.amount;
  queue.maximum = own == MemoryAndCores{} ? most : calculator_.smaller(cluster_, own, most);
  const auto part = [&](const MemoryAndCores& mine, const MemoryAndCores& all) {
    const float result = calculator_.divide(cluster_, mine, all);
    return std::isinf(result) || std::isnan(result) ? 0.0F : result;
  };
  queue.shares.capacity = part(queue.guaranteed, parent.guaranteed);
  queue.shares.maximum_capacity = part(queue.maximum, parent.maximum);
  queue.shares.absolute_capacity = queue.shares.capacity * parent.shares.absolute_capacity;
  queue.shares.absolute_maximum = queue.shares.maximum_capacity * parent.shares.absolute_maximum;
}

void CapacityQueues::update_scale(CapacityQueue& parent) {
  parent.shares.memory_scale = parent.shares.cores_scale = 1.0F;
  MemoryAndCores sum;
  for (const RowIndex child : parent.children)
    if (at(child).settings.capacity.kind == Kind::absolute) sum += at(child).settings.capacity.amount;
  if (parent.guaranteed == MemoryAndCores{} || calculator_.compare(cluster_, parent.guaranteed, sum) >= 0) return;
  if (sum.memory_mib != 0)
    parent.shares.memory_scale = static_cast<float>(parent.guaranteed.memory_mib) / static_cast<float>(sum.memory_mib);
  if (sum.cores != 0)
    parent.shares.cores_scale = static_cast<float>(parent.guaranteed.cores) / static_cast<float>(sum.cores);
}

void CapacityQueues::update_limits(RowIndex row, CapacityLimits limits) {
  CapacityQueue& queue = at(row);
  if (queue.is_leaf) {
    set_headroom_limit(queue, limits);
    queue.visit.limit_of_applications = queue.visit.limit_for_headroom;
    queue.visit.cluster_of_applications = cluster_;
    return;
  }
  for (const RowIndex child : queue.children) update_limits(child, limits_of_child(queue, at(child), limits, false));
}

void CapacityQueues::update_shares(CapacityQueue& queue) const {
  queue.used_capacity = queue.absolute_used = 0;
  if (!calculator_.is_positive(cluster_, cluster_)) return;
  queue.absolute_used = calculator_.divide(cluster_, queue.used, cluster_);
  queue.used_capacity =
      calculator_.divide(cluster_, queue.used, calculator_.larger(cluster_, queue.guaranteed, minimum_allocation_));
}

/// A global maximum applies to each queue, except for queues with absolute capacity: there it is divided by capacity,
/// as the system-wide maximum.
std::int32_t CapacityQueues::applications_max_of(const CapacityQueue& leaf) const {
  if (leaf.settings.applications_max) return *leaf.settings.applications_max;
  const bool is_limited = applications_max_of_queue_ > 0;
  const std::int32_t most = is_limited ? std::min(applications_max_of_queue_, applications_max_) : applications_max_;
  if (is_limited && leaf.settings.capacity.kind != Kind::absolute) return most;
  return java::to_int(static_cast<double>(static_cast<float>(most) * leaf.shares.absolute_capacity));
}

void CapacityQueues::update_applications_max(CapacityQueue& leaf) const {
  leaf.counts.applications_max = applications_max_of(leaf);
  leaf.counts.applications_of_user_max = leaf.counts.applications_max;
  if (leaf.settings.user_limit_factor == -1.0F) return;
  const float of_user = static_cast<float>(leaf.counts.applications_max) * (leaf.settings.user_limit_percent / 100.0F) *
                        leaf.settings.user_limit_factor;
  leaf.counts.applications_of_user_max =
      std::min(leaf.counts.applications_max, java::to_int(static_cast<double>(of_user)));
}

// -- order ---------------------------------------------------------------------

bool CapacityQueues::is_before(const CapacityQueue& parent, RowIndex slot_a, RowIndex slot_b) const {
  const CapacityQueue& a = at(slot_a);
  const CapacityQueue& b = at(slot_b);
  const std::int32_t priority_a = parent.settings.respects_priority ? a.settings.priority : 0;
  const std::int32_t priority_b = parent.settings.respects_priority ? b.settings.priority : 0;
  int order = 0;
  if ((a.shares.absolute_capacity > 0) != (b.shares.absolute_capacity > 0)) return a.shares.absolute_capacity > 0;
  if (a.shares.absolute_capacity > 0) order = compare_served(a.used_capacity, b.used_capacity, priority_a, priority_b);
  else order = compare_served(a.absolute_used, b.absolute_used, priority_a, priority_b);
  if (order != 0) return order < 0;
  const bool is_amount = a.settings.capacity.kind == Kind::absolute || b.settings.capacity.kind == Kind::absolute;
  if (is_amount && a.settings.capacity.amount != b.settings.capacity.amount)
    return MemoryAndCores{b.settings.capacity.amount} < MemoryAndCores{a.settings.capacity.amount};
  if (!is_amount && a.shares.absolute_capacity != b.shares.absolute_capacity)
    return a.shares.absolute_capacity > b.shares.absolute_capacity;
  return slot_a < slot_b;
}

void CapacityQueues::remove_from_order(RowIndex child) {
  if (at(child).parent == no_row || !is_asking(at(child))) return;
  CapacityQueue& parent = at(at(child).parent);
  const auto place = std::lower_bound(parent.order.begin(), parent.order.end(), child,
                                      [&](RowIndex a, RowIndex b) { return is_before(parent, a, b); });
  HEDDLE_ASSERT(place != parent.order.end() && *place == child, "an asking queue is not in its parent's order");
  parent.order.erase(place);
}

void CapacityQueues::insert_into_order(RowIndex child) {
  if (at(child).parent == no_row || !is_asking(at(child))) return;
  CapacityQueue& parent = at(at(child).parent);
  parent.order.insert(std::lower_bound(parent.order.begin(), parent.order.end(), child,
                                       [&](RowIndex a, RowIndex b) { return is_before(parent, a, b); }),
                      child);
}

// -- usage ---------------------------------------------------------------------

void CapacityQueues::change_usage(RowIndex leaf, const MemoryAndCores& by) {
  for (RowIndex each = leaf; each != no_row; each = at(each).parent) {
    remove_from_order(each);
    at(each).used += by;
    update_shares(at(each));
    insert_into_order(each);
  }
}

void CapacityQueues::change_reserved(RowIndex leaf, const MemoryAndCores& by) {
  for (RowIndex each = leaf; each != no_row; each = at(each).parent) at(each).reserved += by;
}

void CapacityQueues::change_pending(RowIndex leaf, const MemoryAndCores& by) {
  for (RowIndex each = leaf; each != no_row; each = at(each).parent) {
    const bool was_asking = is_asking(at(each));
    const bool will_ask = calculator_.is_positive(cluster_, at(each).pending + by);
    if (was_asking && !will_ask) remove_from_order(each);
    at(each).pending += by;
    if (!was_asking && will_ask) insert_into_order(each);
  }
}

// -- limits --------------------------------------------------------------------

bool CapacityQueues::may_assign(const CapacityQueue& queue, CapacityLimits& limits, const MemoryAndCores& unreservable,
                                bool looks_beyond_reservations) const {
  const MemoryAndCores most = calculator_.smaller(cluster_, queue.maximum, limits.limit);
  limits.headroom = most - queue.used;
  if (calculator_.compare(cluster_, queue.used, most) < 0) return true;
  return looks_beyond_reservations && calculator_.is_positive(cluster_, unreservable) &&
         calculator_.compare(cluster_, queue.used - unreservable, most) < 0;
}

CapacityLimits CapacityQueues::limits_of_child(const CapacityQueue& parent, const CapacityQueue& child,
                                               CapacityLimits& limits, bool without_blocked) const {
  limits.limit = calculator_.smaller(cluster_, limits.limit, parent.maximum);
  const MemoryAndCores limit = without_blocked ? limits.limit - limits.blocked : limits.limit;
  return CapacityLimits{calculator_.rounded_down(limit - parent.used + child.used, minimum_allocation_)};
}

void CapacityQueues::set_headroom_limit(CapacityQueue& leaf, const CapacityLimits& limits) const {
  leaf.visit.limit_for_headroom =
      calculator_.smaller(cluster_, calculator_.rounded_down(leaf.maximum, minimum_allocation_), limits.limit);
}

bool CapacityQueues::fits_maximum(RowIndex leaf, const MemoryAndCores& more) const {
  for (RowIndex each = leaf; each != no_row; each = at(each).parent)
    if (!calculator_.fits(at(each).used + more, at(each).maximum)) return false;
  return true;
}

void CapacityQueues::check_invariants() const {
  for (const CapacityQueue& queue : queues_) {
    if (queue.is_leaf) continue;
    MemoryAndCores used;
    MemoryAndCores reserved;
    MemoryAndCores pending;
    std::size_t asking = 0;
    for (const RowIndex child : queue.children) {
      used += at(child).used;
      reserved += at(child).reserved;
      pending += at(child).pending;
      asking += is_asking(at(child)) ? 1U : 0U;
    }
    HEDDLE_ASSERT(used == queue.used, "usage of " + queue.name + " is not the sum of its children");
    HEDDLE_ASSERT(reserved == queue.reserved, "reservations of " + queue.name + " are not the sum of its children");
    HEDDLE_ASSERT(pending == queue.pending, "pending resources of " + queue.name + " are not the sum of its children");
    HEDDLE_ASSERT(asking == queue.order.size(), "asking children of " + queue.name + " are missing in its order");
    HEDDLE_ASSERT(std::is_sorted(queue.order.begin(), queue.order.end(),
                                 [&](RowIndex a, RowIndex b) { return is_before(queue, a, b); }),
                  "children of " + queue.name + " are out of order");
  }
}

}  // namespace heddle::policies
