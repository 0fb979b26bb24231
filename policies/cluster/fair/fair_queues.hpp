// The queue tree of the fair rules: limits, demands, shares, running applications and the order in which children are
// served. Order: the parent's policy, kept sorted between offers; a child moves when its usage changes, all when
// demands are recomputed. Cost: a usage change is O(depth); serving the first child O(log children) per moved child;
// an update of demands and shares visits the queues below which something changed since the last one.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <string>
#include <vector>

#include "config/hadoop/fair_scheduler_xml.hpp"
#include "policies/cluster/fair/fair_share_tree.hpp"
#include "policies/cluster/fair_order.hpp"
#include "policies/cluster/resource_ledger.hpp"

namespace heddle::policies {

/// What the fair rules know of an application beyond the ledger; same slot.
struct alignas(64) FairApplication {
  // what offers, calls and ends look at, in one line of the processor's cache
  Resource demand;
  AskSizes sizes;  // of the containers asked for
  float weight = 1.0F;
  Slot queue = no_slot;
  bool is_runnable = false;
  bool has_queue = false;
  bool is_asking = false;  // for containers
  bool has_new_exclusions = false;
  // what orders look at
  std::int64_t start_ms = 0;
  std::string name;
  Resource fair_share;
  Resource master_size;
  ExtraBooks::List master_extras;
  // headroom: nodes that were excluded when the exclusions last changed, and what has left the cluster since
  std::vector<Slot> excluded_nodes;
  Resource excluded_and_gone;
  // preemption
  Resource fair_share_starvation;
  Resource min_share_starvation;
  std::int64_t last_at_fair_share_ms = 0;
  std::int64_t next_starvation_check_ms = 0;
  Resource to_be_preempted;
};

struct FairQueue {
  std::string name;
  Slot parent = no_slot;
  bool is_leaf = true;
  bool is_declared = false;
  FairPolicy policy = FairPolicy::fair;
  float weight = 1.0F;
  Resource minimum;
  config::ConfiguredResource maximum;
  Resource maximum_now;  // on the cluster as it is, at least the minimum
  std::optional<config::ConfiguredResource> maximum_of_children;
  Resource maximum_container = config::unlimited;
  std::int32_t running_max = 0;
  float master_share_max = 0.5F;
  std::int64_t minimum_share_timeout_ms = 0;
  std::int64_t fair_share_timeout_ms = 0;
  float fair_share_threshold = 0.5F;
  bool is_preemptable = true;

  Resource usage;
  Resource demand;
  Resource fair_share;
  Resource steady_share;
  Resource master_usage;
  ExtraAmounts usage_extras;
  ExtraAmounts master_extras;
  std::int32_t running = 0;
  std::int32_t asking = 0;  // applications that ask for containers, below a parent too
  AskSizes sizes;           // of what they ask for; exact after each update of demands
  std::int64_t last_at_min_share_ms = 0;
  std::vector<Slot> children;  // queues of a parent, running applications of a leaf; in order of arrival
  std::vector<Slot> waiting;   // applications of a leaf that may not run yet, in order of arrival
  std::vector<Slot> order;     // children as the policy serves them
  std::vector<Slot> moved;     // children whose usage changed since `order` was right
  bool is_order_stale = true;
  std::uint64_t ordered_in = 0;  // the round of demands that `order` is of
  bool has_new_demand = false;   // a demand below it changed since the last update; then those above it are marked too
  bool has_new_shares = false;   // an input of its children's shares changed since the last update
  // shares of the children, computed again only where something changed
  FairShareGroup memory{ShareKind::instantaneous};
  FairShareGroup cores{ShareKind::instantaneous};
  FairShareGroup steady_memory{ShareKind::steady};
  FairShareGroup steady_cores{ShareKind::steady};
  ExtraResources minimum_of_others;  // kinds beside memory and cores; raises their maximum
};

class FairQueues {
public:
  FairQueues() = default;
  FairQueues(const config::FairSchedulerFile& file, Instant now);

  [[nodiscard]] Slot find(std::string_view name) const;
  [[nodiscard]] const config::FairSchedulerFile& file() const { return file_; }
  /// The leaf of this name, created if nothing forbids it; none if it is or would lie under something unfit.
  Slot find_or_create_leaf(std::string_view name, Instant now);
  /// Takes the limits of a new file; usage and applications stay. Queues that the file does not name keep running
  /// without limits of their own.
  void reload(const config::FairSchedulerFile& file, Instant now);

  [[nodiscard]] FairQueue& at(Slot slot) { return queues_[static_cast<std::size_t>(slot)]; }
  [[nodiscard]] const FairQueue& at(Slot slot) const { return queues_[static_cast<std::size_t>(slot)]; }
  [[nodiscard]] std::size_t size() const { return queues_.size(); }
  static constexpr Slot root = 0;

  [[nodiscard]] FairApplication& application(Slot slot) { return applications_[static_cast<std::size_t>(slot)]; }
  [[nodiscard]] const FairApplication& application(Slot slot) const {
    return applications_[static_cast<std::size_t>(slot)];
  }
  FairApplication& add_application(Slot slot);

  void set_cluster(const Resource& cluster);
  [[nodiscard]] const Resource& cluster() const { return cluster_; }
  [[nodiscard]] const Resource& maximum_of(const FairQueue& queue) const { return queue.maximum_now; }

  /// The usage of an application and of all queues above it changes by `by`.
  void change_usage(Slot leaf, Slot application, const Resource& by);
  /// What the application asks for now. Queues without an application that asks are passed over by offers.
  void note_asks(Slot application, const AskTable& asks);
  /// What containers hold beside memory and cores, in this leaf and above it.
  void change_extras(Slot leaf, const ExtraBooks::List& by, std::int64_t times);
  /// The queue whose maximum of such a kind would be exceeded; no_slot: none.
  [[nodiscard]] Slot full_of_extras(Slot leaf, const ExtraBooks& books, ExtrasId what) const;
  [[nodiscard]] static std::optional<std::int64_t> maximum_of_kind(const FairQueue& queue, const ExtraBooks& books,
                                                                   std::int32_t kind);
  [[nodiscard]] bool fits_in_maximum(Slot leaf, const Resource& extra) const {
    return full_queue(leaf, extra) == no_slot;
  }
  /// The first queue, from the leaf upwards, whose maximum `extra` would exceed.
  [[nodiscard]] Slot full_queue(Slot leaf, const Resource& extra) const;
  /// The children as they are served now.
  [[nodiscard]] const std::vector<Slot>& served(Slot queue, const ResourceLedger& ledger);

  // -- shares --------------------------------------------------------------------
  /// Demands and shares change here alone, and only of queues and applications that a change reached. What is computed
  /// equals an update of everything.
  void update_demands(const ResourceLedger& ledger, bool is_size_based);
  void update_shares();
  void update_steady_shares();
  /// The next update visits every queue, as after a change of limits or of the cluster.
  void mark_all_changed();

  // -- running applications (MR-1 … MR-4) ------------------------------------------
  [[nodiscard]] bool may_run(Slot leaf, std::int32_t user, const ResourceLedger& ledger) const;
  /// The user or the first queue from the leaf upwards that runs as many applications as it may; empty if none does.
  [[nodiscard]] std::string running_limit_of(Slot leaf, std::int32_t user, const ResourceLedger& ledger) const;
  void start_running(Slot leaf, Slot application, std::int32_t user);
  void wait(Slot leaf, Slot application, std::int32_t user);
  /// Takes an application out; returns those that may run because of it, already running.
  std::vector<Slot> remove_application(Slot application, std::int32_t user, const ResourceLedger& ledger);
  /// Takes an application to another leaf, whose limits were looked at before; returns those that may run because of
  /// it, already running, itself included if it waited.
  std::vector<Slot> move_application(Slot application, Slot leaf, std::int32_t user, const ResourceLedger& ledger);
  /// The first queue, from `to` upwards to where the ways from `from` and `to` meet, that has no place for one more
  /// running application with this usage; none if all have.
  struct MoveObstacle {
    Slot queue = no_slot;
    bool is_running_limit = false;  // else its maximum
  };
  [[nodiscard]] MoveObstacle move_obstacle(Slot from, Slot to, const Resource& usage) const;
  /// Tries all that wait for a limit again, as after a change of the file; returns those that run now.
  std::vector<Slot> retry_waiting(const ResourceLedger& ledger);

private:
  void declare(Slot slot, const config::FairQueueSettings& settings);
  Slot create(std::string_view name, bool is_leaf, Instant now);
  void create_declared(Instant now);
  /// Creates the queue and what is missing above it, as far as the policies above allow it; none if the queue may not
  /// be.
  Slot create_with_parents(const std::string& name, bool is_leaf, Instant now);
  /// The policy that the file gives a queue of this name.
  [[nodiscard]] FairPolicy policy_for(std::string_view name) const;
  void apply_defaults(Slot slot);
  void refresh_maximum(FairQueue& queue) const;
  void apply(Slot slot, const config::FairQueueSettings& settings);
  void resolve_inherited(const config::FairSchedulerFile& file);
  [[nodiscard]] bool has_child_without_weight(const FairQueue& queue) const;
  [[nodiscard]] FairSortKey key_of(const FairQueue& parent, Slot child, const ResourceLedger& ledger) const;
  [[nodiscard]] bool is_before(const FairQueue& parent, Slot a, Slot b, const ResourceLedger& ledger) const;
  [[nodiscard]] bool is_order_stale(const FairQueue& queue) const {
    return queue.is_order_stale || queue.ordered_in != demand_round_;
  }
  /// The demand of something in this queue changed, so that of every queue above may.
  void mark_demand(Slot queue);
  /// The children's shares are computed again at the next update.
  void mark_shares(Slot queue);
  /// One more (1) or one less (-1) application of the leaf runs.
  void count_running(Slot leaf, std::int32_t by);
  void update_demand(Slot queue, const ResourceLedger& ledger, bool is_size_based);
  void share_below(Slot queue);
  void share_between_queues(Slot queue, ShareKind kind);
  void share_between_applications(Slot leaf);
  void take_out(Slot application, std::int32_t user);
  [[nodiscard]] std::vector<Slot> promote_after_removal(Slot leaf, std::int32_t user, const ResourceLedger& ledger);
  void gather_waiting(Slot queue, std::vector<std::vector<Slot>>& lists) const;
  [[nodiscard]] std::vector<Slot> promote(const std::vector<std::vector<Slot>>& lists, std::size_t count_max,
                                          const ResourceLedger& ledger);
  [[nodiscard]] std::int32_t running_max_of(std::int32_t user, const ResourceLedger& ledger) const;
  struct UserApplications {
    std::int32_t running = 0;
    std::vector<Slot> waiting;
  };
  UserApplications& user(std::int32_t id);

  config::FairSchedulerFile file_;
  std::vector<FairQueue> queues_;
  NameTable names_;
  LargeTable<FairApplication> applications_;
  std::vector<UserApplications> users_;
  Resource cluster_;
  std::uint64_t demand_round_ = 0;  // counts updates of demands: each makes every order stale
  std::vector<Slot> new_demands_;   // queues with `has_new_demand`
  std::priority_queue<Slot, std::vector<Slot>, std::greater<>> new_shares_;  // with `has_new_shares`; parents first
  bool is_all_demand_new_ = true;
  bool are_all_shares_new_ = true;
};

}  // namespace heddle::policies
