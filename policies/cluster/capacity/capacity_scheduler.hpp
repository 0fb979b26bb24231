// Hierarchical queues with guaranteed and maximum capacities, limits per user and for masters, locality by missed
// offers, reservations. Order: queues as in capacity_queues.hpp; applications of a leaf by priority (higher first),
// then id, or by least memory, then by start of the attempt; asks by priority (lower number first). A heartbeat assigns
// until something stops it: no room, a reservation, the bounds on containers or on containers far from their data.
// After Hadoop 3.4's CapacityScheduler (CS-1 … CS-10), legacy queue mode, one partition. Cost per assignment: depth x
// log(children), plus the applications and queues that ask and are refused before the one that takes it.
#pragma once

#include <map>

#include "policies/cluster/capacity/capacity_preemption.hpp"
#include "policies/cluster/capacity/capacity_queues.hpp"
#include "policies/cluster/queue_placement.hpp"
#include "policies/cluster/update_grid.hpp"

namespace heddle::policies {

struct CapacitySchedulerSettings {
  Resource minimum_allocation{1024, 1};
  Resource maximum_allocation{8192, 4};
  std::int32_t application_priority_max = 0;
  CapacityPreemptionSettings preemption;
  std::int64_t container_epoch = 0;
};

/// What the capacity rules know of an application beyond the ledger; same slot.
struct alignas(128) CapacityApplication {
  Slot queue = no_slot;
  Slot user = no_slot;  // in the queue's users
  Resource master_size;
  bool is_waiting = false;  // in the queue, not running yet
  bool is_held = false;     // too many run at once
  bool is_running = false;
  bool is_asking = false;    // counts among the user's applications that ask
  bool is_listed = false;    // runs and asks
  bool has_moved = false;    // its place in a fair order is due to be decided
  bool was_visited = false;  // only then it has a headroom
  std::int64_t start = 0;    // of its attempt, among all attempts
  Resource pending;          // as counted by the queues
  Resource order_usage;      // as of the last time that its place in a fair order was decided
  Resource order_pending;
};

class CapacityScheduler {
public:
  CapacityScheduler(CapacitySchedulerSettings settings, const config::CapacitySchedulerFile& file,
                    Instant now = Instant{});

  void on_node_added(Instant now, const NodeDescription& node, ResourceEffects& effects);
  void on_node_updated(Instant now, NodeId node, Resource capacity, ResourceEffects& effects);
  void on_node_removed(Instant now, NodeId node, ResourceEffects& effects);
  /// A `cause` of change counts no missed opportunities.
  void node_heartbeat(Instant now, NodeId node, ResourceEffects& effects, OfferCause cause = OfferCause::heartbeat);
  [[nodiscard]] bool has_room(NodeId node) const;
  [[nodiscard]] bool needs_offer(NodeId node) const;
  [[nodiscard]] PlacementAnswer place(const PlacementRequest& request) const;
  [[nodiscard]] SubmissionAnswer on_application_added(Instant now, const ApplicationSubmission& submission);
  void on_attempt_added(Instant now, AttemptId attempt, ResourceEffects& effects);
  void on_attempt_removed(Instant now, AttemptId attempt, ResourceEffects& effects);
  void on_application_removed(Instant now, ApplicationId application, ResourceEffects& effects);
  [[nodiscard]] Allocation on_asks(Instant now, AttemptId attempt, const AskBatch& batch, ResourceEffects& effects);
  void on_container_launched(Instant now, ContainerId container);
  void on_container_completed(Instant now, ContainerId container, std::int32_t exit_status, ResourceEffects& effects);
  [[nodiscard]] std::optional<Instant> next_due() const { return preemption_grid_.next_due(); }
  /// Runs preemption between queues when it is due.
  void on_time(Instant now, ResourceEffects& effects);
  [[nodiscard]] ResourceExplanation explain(ApplicationId application) const;
  void check_invariants() const;

  /// Takes a new queue file while running: changed limits, new queues, and what CapacityQueues::reload lets go.
  [[nodiscard]] Result<Done> on_queues_changed(const config::CapacitySchedulerFile& file, ResourceEffects& effects);
  [[nodiscard]] const ResourceLedger& ledger() const { return ledger_; }
  [[nodiscard]] const CapacityQueues& queues() const { return queues_; }
  [[nodiscard]] const config::CapacitySchedulerFile& file() const { return file_; }
  [[nodiscard]] const CapacityApplication& application(Slot slot) const {
    return applications_[static_cast<std::size_t>(slot)];
  }

private:
  /// What one pass over the tree would do.
  struct Proposal {
    enum class Kind : std::uint8_t { nothing, allocate, reserve, drop_reservation };
    /// Why an application or a queue proposes nothing; it decides who is asked next.
    enum class Skip : std::uint8_t { none, application, queue_limit };
    Kind kind = Kind::nothing;
    Skip skip = Skip::none;
    AskLocality locality = AskLocality::node_local;
    Slot application = no_slot;
    std::int32_t priority = 0;
    ExtrasId extras = no_extras;
    Resource size;
    Slot reservation = no_slot;  // the container that is fulfilled, kept or dropped
    Slot to_unreserve = no_slot;
  };
  /// What one ask proposes; the first two lead to the next ask or place.
  enum class AskResult : std::uint8_t { next_priority, next_place, next_application, queue_is_full, found };

  // -- passes over the tree (capacity_offers.cpp) ----------------------------------
  [[nodiscard]] Proposal propose(Slot node, ResourceEffects& effects);
  [[nodiscard]] Proposal offer_to_queue(Slot queue, Slot node, CapacityLimits& limits);
  [[nodiscard]] Proposal offer_to_children(Slot queue, Slot node, CapacityLimits& limits);
  [[nodiscard]] Proposal offer_to_leaf(Slot queue, Slot node, CapacityLimits& limits);
  [[nodiscard]] Proposal offer_to_application(Slot application, Slot node, CapacityLimits& limits);
  [[nodiscard]] Proposal fulfil_reservation(Slot node);
  [[nodiscard]] bool has_extras(Slot node, const Proposal& proposal) const;
  [[nodiscard]] AskResult try_ask(Slot application, PriorityAsks& asks, Slot node, const CapacityLimits& limits,
                                  Proposal& proposal);
  [[nodiscard]] AskResult try_places(Slot application, PriorityAsks& asks, Slot node, const CapacityLimits& limits,
                                     Proposal& proposal);
  [[nodiscard]] AskResult try_size(Slot application, const PriorityAsks& asks, Slot node, const CapacityLimits& limits,
                                   Proposal& proposal) const;
  [[nodiscard]] bool may_go_to_rack(const PriorityAsks& asks) const;
  [[nodiscard]] bool may_go_anywhere(const PriorityAsks& asks, bool is_reserved) const;
  [[nodiscard]] bool wants_more(Slot application, const PriorityAsks& asks, const Resource& size) const;
  [[nodiscard]] Slot reservation_to_drop(Slot application, std::int32_t priority, const Resource& needed) const;
  [[nodiscard]] bool is_within_user_limit(Slot application, const Resource& limit, CapacityLimits& limits) const;
  void count_opportunity(PriorityAsks& asks) const;
  void note_visited(CapacityQueue& leaf, Slot last);
  void visit(Slot application);
  [[nodiscard]] bool commit(Slot node, const Proposal& proposal, ResourceEffects& effects);
  [[nodiscard]] bool is_acceptable(Slot node, const Proposal& proposal);
  void commit_container(Slot node, const Proposal& proposal, ResourceEffects& effects);

  // -- books (capacity_scheduler.cpp) ------------------------------------------------
  [[nodiscard]] CapacityApplication& application(Slot slot) { return applications_[static_cast<std::size_t>(slot)]; }
  void end(Slot container, std::int32_t exit_status, bool is_reported_by_node, ResourceEffects& effects);
  void drop_reservation(Slot container, ResourceEffects& effects);
  void change_usage(Slot application, const Resource& by);
  void count_pending(Slot application);
  void note_asks(Slot application, bool has_new_priority);
  void set_cluster(ResourceEffects& effects);
  [[nodiscard]] Resource normalized_for(const CapacityQueue& queue, const Resource& ask) const;

  // -- running applications and limits (capacity_limits.cpp) ---------------------------
  /// The user or the first queue from the leaf upwards of whose applications as many run as may at once; empty if none
  /// does.
  [[nodiscard]] std::string parallel_limit_of(Slot application) const;
  /// Lets an application wait for its master, or holds it back where too many run at once.
  void admit(Slot application);
  void dismiss(Slot application);
  void admit_held(ResourceEffects& effects);
  [[nodiscard]] std::int32_t& parallel_of_user(Slot application);
  void start_applications(Slot leaf, ResourceEffects& effects);
  void start(CapacityQueue& leaf, Slot application);
  [[nodiscard]] Resource masters_max(const CapacityQueue& leaf) const;
  [[nodiscard]] Resource masters_max_of_user(const CapacityQueue& leaf, float weight) const;
  [[nodiscard]] UserLimitInput limit_input(const CapacityQueue& leaf) const;
  [[nodiscard]] Resource user_limit(Slot application);
  [[nodiscard]] Resource headroom_of(Slot application);

  // -- preemption between queues (capacity_reclaim.cpp) ---------------------------------
  struct Chosen {
    ContainerId container;
    Instant kill_at;
  };
  void preempt(Instant now, ResourceEffects& effects);
  [[nodiscard]] std::vector<PreemptionQueue> preemption_queues() const;
  void choose_in(const CapacityQueue& leaf, Resource to_preempt, std::vector<Slot>& victims) const;

  // -- refusals (capacity_explain.cpp) -------------------------------------------------
  [[nodiscard]] std::int64_t offers_to_wait(const PriorityAsks& asks) const;
  [[nodiscard]] ResourceExplanation explain_waiting(Slot application) const;
  [[nodiscard]] Slot full_queue(Slot leaf, const Resource& unreservable, CapacityLimits& limits) const;

  // -- order of applications in a leaf (capacity_limits.cpp) ---------------------------
  [[nodiscard]] bool is_started_before(Slot a, Slot b) const;
  [[nodiscard]] bool is_served_before(const CapacityQueue& leaf, Slot a, Slot b) const;
  [[nodiscard]] double magnitude(const CapacityQueue& leaf, const CapacityApplication& application) const;
  void insert_served(CapacityQueue& leaf, std::vector<Slot>& list, Slot application) const;
  void erase_served(CapacityQueue& leaf, std::vector<Slot>& list, Slot application) const;
  void note_moved(Slot application);
  void move_in_order(CapacityQueue& leaf);

  CapacitySchedulerSettings settings_;
  config::CapacitySchedulerFile file_;
  ResourceLedger ledger_;
  CapacityQueues queues_;
  LargeTable<CapacityApplication> applications_;
  std::vector<std::int32_t> parallel_of_users_;  // applications that are not held, by the ledger's user
  std::int32_t held_ = 0;                        // applications, in all leaves
  std::int64_t attempts_ = 0;                    // that were ever started
  bool counts_opportunities_ = true;             // of the offer that is being made
  std::vector<Chosen> chosen_;                   // in the order of their choice
  UpdateGrid preemption_grid_;
};

}  // namespace heddle::policies
