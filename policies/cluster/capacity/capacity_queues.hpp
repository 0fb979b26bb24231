// The queue tree of the capacity rules: capacities as shares and as resources of this cluster, usage, and the order of
// children. Order: queues below their guarantee first, then (if the parent respects it) priority, then the lower used
// share, then the larger capacity, then the order in the file. Only asking children are in the order; a child moves
// when its usage changes. Cost: a usage change is the depth times log(children). After Hadoop 3.4's queues, in single
// precision where they use it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/hadoop/capacity_scheduler_xml.hpp"
#include "model/result.hpp"
#include "policies/cluster/capacity/capacity_users.hpp"

namespace heddle::policies {

/// Limits of one pass, passed down the tree.
struct CapacityLimits {
  MemoryAndCores limit;
  MemoryAndCores headroom;      // limit less usage, once the queue was checked
  MemoryAndCores blocked;       // kept for children that could not use it
  MemoryAndCores to_unreserve;  // what a user has to give up to stay within the user limit

  explicit CapacityLimits(const MemoryAndCores& most) : limit{most}, headroom{most} {}
};

/// Capacities of a queue as shares.
struct CapacityShares {
  float capacity = 0;  // share of the parent, 0 to 1
  float maximum_capacity = 1.0F;
  float normalized_weight = 0;
  float absolute_capacity = 0;
  float absolute_maximum = 0;
  float memory_scale = 1.0F;  // below 1 if the children's absolute capacities exceed this queue's
  float cores_scale = 1.0F;
};

/// Numbers of applications of a queue, and their limits.
struct CapacityCounts {
  std::int32_t applications = 0;  // accepted, including those in child queues
  std::int32_t parallel = 0;      // of these, not held, including those in child queues
  std::int32_t applications_max = 0;
  std::int32_t applications_of_user_max = 0;
};

/// Limits at the last offers, for headrooms.
struct CapacityVisit {
  MemoryAndCores limit_for_headroom;     // as of the last visit
  MemoryAndCores limit_of_applications;  // as of the last visit that came to the applications
  MemoryAndCores cluster_of_applications;
};

/// Used and allowed resources of a leaf's masters.
struct CapacityMasters {
  MemoryAndCores used;
  MemoryAndCores max;
};

/// The applications of a leaf.
struct CapacityLists {
  std::vector<RowIndex> waiting;    // waiting for their masters, in the order of their start
  std::vector<RowIndex> held;       // held by a limit of parallel applications, by arrival
  std::vector<RowIndex> running;    // in the order of service
  std::vector<RowIndex> asking;     // running and asking
  std::vector<RowIndex> unvisited;  // started and never offered anything
  std::vector<RowIndex> moved;      // with a stale position in a fair order
};

struct CapacityQueue {
  std::string name;
  RowIndex parent = no_row;
  std::vector<RowIndex> children;
  bool is_leaf = true;
  config::CapacityQueueSettings settings;
  CapacityShares shares;
  MemoryAndCores guaranteed;  // on the cluster as it is
  MemoryAndCores maximum;
  MemoryAndCores used;  // reservations included
  MemoryAndCores reserved;
  MemoryAndCores pending;
  float used_capacity = 0;  // of the guaranteed amount
  float absolute_used = 0;
  std::vector<RowIndex> order;  // asking children, in the order of service
  CapacityCounts counts;

  // -- only of leaves ------------------------------------------------------------
  CapacityUsers users;
  CapacityVisit visit;
  CapacityMasters masters;
  CapacityLists lists;
};

class CapacityQueues {
public:
  CapacityQueues() = default;
  CapacityQueues(const config::CapacitySchedulerFile& file, MemoryAndCores minimum_allocation);

  static constexpr RowIndex root = 0;
  /// By full name, or by its last part if only one leaf has it.
  [[nodiscard]] RowIndex find(std::string_view name) const;
  [[nodiscard]] CapacityQueue& at(RowIndex row) { return queues_[static_cast<std::size_t>(row)]; }
  [[nodiscard]] const CapacityQueue& at(RowIndex row) const { return queues_[static_cast<std::size_t>(row)]; }
  [[nodiscard]] std::size_t size() const { return queues_.size(); }
  [[nodiscard]] const ResourceCalculator& calculator() const { return calculator_; }
  [[nodiscard]] const MemoryAndCores& cluster() const { return cluster_; }
  [[nodiscard]] const MemoryAndCores& minimum_allocation() const { return minimum_allocation_; }

  /// Recomputes capacities, amounts and shares of all queues, parents first; the limits of leaves are those of an idle
  /// moment.
  void set_cluster(const MemoryAndCores& cluster);
  /// Takes the queues, capacities and limits of a new file. A queue leaves, or becomes a parent, only if it is stopped
  /// and has no application; a refused file changes nothing. The answer has for each row its present number; none if
  /// the queue left.
  [[nodiscard]] Result<std::vector<RowIndex>> reload(const config::CapacitySchedulerFile& file);

  void change_usage(RowIndex leaf, const MemoryAndCores& by);
  void change_reserved(RowIndex leaf, const MemoryAndCores& by);
  void change_pending(RowIndex leaf, const MemoryAndCores& by);

  [[nodiscard]] bool is_asking(const CapacityQueue& queue) const {
    return calculator_.is_positive(cluster_, queue.pending);
  }
  /// Whether the queue is below its limit, at least without `unreservable`; sets the headroom of `limits`.
  [[nodiscard]] bool may_assign(const CapacityQueue& queue, CapacityLimits& limits, const MemoryAndCores& unreservable,
                                bool looks_beyond_reservations) const;
  /// The limits of a child from those of its parent, which are cut to the parent's maximum.
  [[nodiscard]] CapacityLimits limits_of_child(const CapacityQueue& parent, const CapacityQueue& child,
                                               CapacityLimits& limits, bool without_blocked) const;
  /// Sets the leaf's limit for headrooms at the start of a visit.
  void set_headroom_limit(CapacityQueue& leaf, const CapacityLimits& limits) const;
  /// Whether `more` fits the maximum of the leaf and of all above it.
  [[nodiscard]] bool fits_maximum(RowIndex leaf, const MemoryAndCores& more) const;
  void check_invariants() const;

private:
  void apply(const config::CapacitySchedulerFile& file);
  void adopt(const config::CapacitySchedulerFile& file, std::vector<CapacityQueue> before);
  [[nodiscard]] bool is_at_rest(RowIndex queue, const config::CapacitySchedulerFile& next) const;
  void update_amounts(CapacityQueue& queue);
  void update_absolute_amounts(CapacityQueue& queue);
  void update_scale(CapacityQueue& parent);
  void update_limits(RowIndex queue, CapacityLimits limits);
  void update_shares(CapacityQueue& queue) const;
  [[nodiscard]] std::int32_t applications_max_of(const CapacityQueue& leaf) const;
  void update_applications_max(CapacityQueue& leaf) const;
  [[nodiscard]] bool is_before(const CapacityQueue& parent, RowIndex a, RowIndex b) const;
  void remove_from_order(RowIndex child);
  void insert_into_order(RowIndex child);

  std::vector<CapacityQueue> queues_;
  NameTable names_;
  ResourceCalculator calculator_;
  MemoryAndCores cluster_;
  MemoryAndCores minimum_allocation_;
  std::int32_t applications_max_ = 10000;
  std::int32_t applications_max_of_queue_ = 0;  // 0: by capacity
};

}  // namespace heddle::policies
