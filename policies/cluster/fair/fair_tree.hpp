// Queues of the fair rules and their applications: limits of the queue file, usage, and the tree itself. Order: a
// parent has a lower row than its children. Cost: a look-up is constant; a new file or a change of the cluster visits
// every queue.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/hadoop/fair_scheduler_xml.hpp"
#include "policies/cluster/fair/fair_share_tree.hpp"
#include "policies/cluster/fair_order.hpp"
#include "policies/cluster/resource_ledger.hpp"

namespace heddle::policies {

/// Data of an application besides the ledger's, in the same row.
struct alignas(64) FairApplication {
  // what offers, calls and ends look at, in one line of the processor's cache
  MemoryAndCores demand;
  AskSizes sizes;  // of the containers asked for
  float weight = 1.0F;
  RowIndex queue = no_row;
  bool is_runnable = false;
  bool has_queue = false;
  bool is_asking = false;  // has pending asks
  // read by comparators
  std::int64_t start_ms = 0;
  std::string name;
  MemoryAndCores fair_share;
  MemoryAndCores master_size;
  OtherResources::List master_others;
  // headroom: excluded nodes at the last change of exclusions, and those removed since
  std::vector<RowIndex> excluded_nodes;
  MemoryAndCores excluded_and_gone;
  // preemption
  MemoryAndCores fair_share_starvation;
  MemoryAndCores min_share_starvation;
  std::int64_t last_at_fair_share_ms = 0;
  std::int64_t next_starvation_check_ms = 0;
  MemoryAndCores to_be_preempted;
};

/// Limits of a queue from the queue file or its parents.
struct FairQueueLimits {
  float weight = 1.0F;
  MemoryAndCores minimum;
  MemoryAndCores maximum_now;  // on the cluster as it is, at least the minimum
  config::ConfiguredResource maximum;
  std::optional<config::ConfiguredResource> maximum_of_children;
  ResourceAmounts minimum_of_others;  // kinds besides memory and cores; raises their maximum
  MemoryAndCores maximum_container = config::unlimited;
  std::int32_t running_max = 0;
  float master_share_max = 0.5F;
};

/// When the queue and its applications are starved, and whether its containers may be preempted.
struct FairQueuePreemption {
  std::int64_t minimum_share_timeout_ms = 0;
  std::int64_t fair_share_timeout_ms = 0;
  float fair_share_threshold = 0.5F;
  bool is_preemptable = true;
  std::int64_t last_at_min_share_ms = 0;
};

/// Usage of the masters in a leaf.
struct FairQueueMasters {
  MemoryAndCores usage;
  OtherAmounts others;
};

/// The children in the order of the policy.
struct FairQueueOrder {
  std::vector<RowIndex> children;
  std::vector<RowIndex> moved;  // children whose usage changed since the last sort
  bool is_stale = true;
  std::uint64_t made_in = 0;  // round of demands of the order
};

/// State of the updates of demands and shares.
struct FairQueueUpdates {
  bool has_new_demand = false;  // a demand below it changed since the last update; its parents are marked too
  bool has_new_shares = false;  // an input of its children's shares changed since the last update
  // shares of the children, computed again only after a change
  FairShareGroup memory{ShareKind::instantaneous};
  FairShareGroup cores{ShareKind::instantaneous};
  FairShareGroup steady_memory{ShareKind::steady};
  FairShareGroup steady_cores{ShareKind::steady};
};

/// What updates read of each queue is first.
struct alignas(64) FairQueue {
  RowIndex parent = no_row;
  bool is_leaf = true;
  bool is_declared = false;
  FairPolicy policy = FairPolicy::fair;
  std::int32_t running = 0;
  std::int32_t asking = 0;  // applications that ask for containers, below a parent too
  AskSizes sizes;           // of what they ask for; exact after each update of demands
  MemoryAndCores usage;
  MemoryAndCores demand;
  MemoryAndCores fair_share;
  MemoryAndCores steady_share;
  std::vector<RowIndex> children;  // child queues of a parent, running applications of a leaf; by arrival
  FairQueueLimits limits;
  std::string name;
  std::vector<RowIndex> waiting;  // waiting applications of a leaf, by arrival
  FairQueueOrder order;
  FairQueueUpdates updates;
  FairQueueMasters masters;
  OtherAmounts usage_others;
  FairQueuePreemption preemption;

  /// Prefetch: its demand or its share will be updated.
  void fetch_ahead_update() const {
    fetch_ahead(&parent);
    fetch_ahead(&fair_share);
    fetch_ahead(&limits.maximum_now);
    fetch_ahead(&updates.memory);
  }
};

class FairTree {
public:
  static constexpr RowIndex root = 0;

  FairTree() = default;
  FairTree(const config::FairSchedulerFile& file, Instant now);

  [[nodiscard]] RowIndex find(std::string_view name) const;
  [[nodiscard]] const config::FairSchedulerFile& file() const { return file_; }
  /// The lowest existing queue above a missing leaf; no_row if that queue may not become a parent.
  [[nodiscard]] RowIndex parent_for(std::string_view leaf) const;
  /// Creates the leaf and the missing queues above it; no_row if the policy of a parent forbids it.
  RowIndex create_leaf(std::string_view leaf, RowIndex parent, Instant now);
  /// Applies the limits of a new file; usage and applications remain. Queues that are not in the file continue without
  /// limits.
  void reload(const config::FairSchedulerFile& file, Instant now);
  void set_cluster(const MemoryAndCores& cluster);
  [[nodiscard]] const MemoryAndCores& cluster() const { return cluster_; }

  [[nodiscard]] FairQueue& at(RowIndex row) { return queues_[static_cast<std::size_t>(row)]; }
  [[nodiscard]] const FairQueue& at(RowIndex row) const { return queues_[static_cast<std::size_t>(row)]; }
  [[nodiscard]] std::size_t size() const { return queues_.size(); }

  [[nodiscard]] FairApplication& application(RowIndex row) { return applications_[static_cast<std::size_t>(row)]; }
  [[nodiscard]] const FairApplication& application(RowIndex row) const {
    return applications_[static_cast<std::size_t>(row)];
  }
  FairApplication& add_application(RowIndex row);

private:
  void declare(RowIndex row, const config::FairQueueSettings& settings);
  RowIndex create(std::string_view name, bool is_leaf, Instant now);
  void create_declared(Instant now);
  /// Creates the queue and the missing queues above it, as the policies of parents allow; no_row if it may not exist.
  RowIndex create_with_parents(const std::string& name, bool is_leaf, Instant now);
  /// Policy of a queue of this name in the file.
  [[nodiscard]] FairPolicy policy_for(std::string_view name) const;
  void apply_defaults(RowIndex row);
  void refresh_maximum(FairQueue& queue) const;
  void apply(RowIndex row, const config::FairQueueSettings& settings);
  void resolve_inherited();

  config::FairSchedulerFile file_;
  LargeTable<FairQueue> queues_;
  NameTable names_;
  LargeTable<FairApplication> applications_;
  MemoryAndCores cluster_;
};

/// The first queue, from the leaf upwards, whose maximum `more` would exceed; no_row: none.
[[nodiscard]] RowIndex full_queue(const FairTree& tree, RowIndex leaf, const MemoryAndCores& more);
/// The most that the queue may hold of a kind besides memory and cores; none if nothing bounds it.
[[nodiscard]] std::optional<std::int64_t> maximum_of_kind(const FairQueue& queue, const OtherResources& others,
                                                          std::int32_t kind);
/// The queue whose maximum of a type in `what` would be exceeded; no_row: none.
[[nodiscard]] RowIndex full_of_others(const FairTree& tree, RowIndex leaf, const OtherResources& others, OthersId what);

}  // namespace heddle::policies
