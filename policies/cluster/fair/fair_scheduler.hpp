// Hierarchical queues that share by weight, minimum and demand; delay scheduling, reservations, preemption.
// Order: queues and applications by their parent's policy, priorities ascending; see fair_order.hpp for ties.
// Demands and shares change in update() alone, every `update_interval` unless nothing changed since. After Hadoop 3.4's
// FairScheduler (FS-1 … FS-21, PR-1 … PR-10). Cost per assignment: the depth of the tree, if the first candidate takes
// the node.
#pragma once

#include <map>

#include "policies/cluster/fair/fair_queues.hpp"
#include "policies/cluster/fair/starved_queue.hpp"
#include "policies/cluster/queue_placement.hpp"
#include "policies/cluster/update_grid.hpp"

namespace heddle::policies {

struct FairSchedulerSettings {
  Resource minimum_allocation{1024, 1};
  Resource maximum_allocation{8192, 4};
  Resource increment{1024, 1};
  bool is_size_based_weight = false;
  bool assign_multiple = false;
  bool dynamic_max_assign = true;
  std::int32_t max_assign = -1;
  float node_locality_threshold = -1.0F;
  float rack_locality_threshold = -1.0F;
  std::optional<Duration> continuous_sleep;  // between two rounds over all nodes; empty: heartbeats alone offer nodes
  std::int64_t node_locality_delay_ms =
      -1;  // with those rounds locality is waited for by time, otherwise by counting offers
  std::int64_t rack_locality_delay_ms = -1;
  float reservable_nodes = 0.05F;
  float reservation_increment_multiple = 2.0F;
  bool is_preemption_enabled = false;
  float preemption_utilization_threshold = 0.8F;
  Duration wait_before_kill = std::chrono::milliseconds{15000};
  Duration wait_before_next_starvation_check = std::chrono::milliseconds{10000};
  bool cap_minimum_starvation = false;                     // heddle.fix.cap_minimum_starvation (PR-3)
  std::map<std::string, bool> master_preemption_of_queue;  // absent: allowed
  std::optional<Duration> update_interval;                 // empty: update() is called by hand
  PlacementDefaults placement;
  std::int64_t container_epoch = 0;
};

/// What one run of preemption chose for one starved application.
struct StarvedApplication {
  ApplicationId application;
  Resource fair_share_starvation;
  Resource min_share_starvation;
  std::map<ApplicationId, std::int32_t> victims;
  std::int32_t master_victims = 0;
};

class FairScheduler {
public:
  FairScheduler(FairSchedulerSettings settings, const config::FairSchedulerFile& file, Instant now);

  void on_node_added(Instant now, const NodeDescription& node, ResourceEffects& effects);
  void on_node_updated(Instant now, NodeId node, Resource capacity, ResourceEffects& effects);
  void on_node_removed(Instant now, NodeId node, ResourceEffects& effects);
  void node_heartbeat(Instant now, NodeId node, ResourceEffects& effects, OfferCause cause = OfferCause::heartbeat);
  [[nodiscard]] bool has_room(NodeId node) const;
  [[nodiscard]] bool needs_offer(NodeId node) const;
  /// The nodes that one continuous round offers: those with room for the smallest container, the most free memory
  /// first, then the older node. None while nothing is asked for, but for nodes that are reserved.
  [[nodiscard]] std::vector<NodeId> continuous_round() const;
  [[nodiscard]] std::optional<Duration> continuous_sleep() const { return settings_.continuous_sleep; }
  [[nodiscard]] PlacementAnswer place(const PlacementRequest& request) const;
  [[nodiscard]] SubmissionAnswer on_application_added(Instant now, const ApplicationSubmission& submission);
  /// Takes an application with what it holds to another leaf. Refused where that leaf, or a queue above it that the
  /// application was not under before, has no place for it. Returns the leaf's full name.
  Result<std::string> on_application_moved(ApplicationId application, std::string_view queue, ResourceEffects& effects);
  void on_attempt_added(Instant now, AttemptId attempt, ResourceEffects& effects);
  void on_attempt_removed(Instant now, AttemptId attempt, ResourceEffects& effects);
  void on_application_removed(Instant now, ApplicationId application, ResourceEffects& effects);
  [[nodiscard]] Allocation on_asks(Instant now, AttemptId attempt, const AskBatch& batch, ResourceEffects& effects);
  void on_container_launched(Instant now, ContainerId container);
  void on_container_completed(Instant now, ContainerId container, std::int32_t exit_status, ResourceEffects& effects);
  [[nodiscard]] std::optional<Instant> next_due() const;
  /// Runs update(), preemption and kills that are due.
  void on_time(Instant now, ResourceEffects& effects);
  [[nodiscard]] ResourceExplanation explain(ApplicationId application) const;
  void check_invariants() const;

  // -- the steps of on_time, one by one ------------------------------------------
  /// Recomputes demands, shares and, if preemption is on and the cluster busy enough, starvation.
  void update(Instant now);
  /// Chooses containers for every application that update() found starved.
  std::vector<StarvedApplication> preempt(Instant now, ResourceEffects& effects);
  /// Ends the chosen containers whose wait is over.
  void kill_chosen(Instant now, ResourceEffects& effects);

  /// Takes a new queue file while running; all that waits for a limit is tried again (MR-4).
  void on_queues_changed(Instant now, const config::FairSchedulerFile& file, ResourceEffects& effects);
  /// What masters may use in this leaf; none if the limit is off.
  [[nodiscard]] std::optional<Resource> master_limit(Slot leaf) const;
  /// The same of a kind beside memory and cores: none has a fair share, so that what is available and the queue's
  /// maximum bound it.
  [[nodiscard]] std::optional<std::int64_t> master_limit(Slot leaf, std::int32_t kind) const;
  [[nodiscard]] const ResourceLedger& ledger() const { return ledger_; }
  [[nodiscard]] const FairQueues& queues() const { return queues_; }

private:
  /// What an offer led to. A reservation ends the offers to a node; an allocation of nothing at all counts as none.
  struct Offer {
    bool is_taken = false;
    Resource size;
  };
  enum class Mode : std::uint8_t { free, reserved };

  // -- offers --------------------------------------------------------------------
  void assign_preempted(Slot node, ResourceEffects& effects);
  [[nodiscard]] bool assign_reserved(Slot node, ResourceEffects& effects);
  Offer offer_to_queue(Slot queue, Slot node, ResourceEffects& effects);
  [[nodiscard]] bool is_of_use(const AskSizes& sizes, const Resource& room) const;
  Offer offer_to_application(Slot application, Slot node, ResourceEffects& effects);
  Offer offer(Slot application, Slot node, Mode mode, ResourceEffects& effects);
  [[nodiscard]] bool wants_node(Slot application, const PriorityAsks& asks, Slot node) const;
  [[nodiscard]] AskLocality allowed_level(PriorityAsks& asks) const;
  [[nodiscard]] AskLocality allowed_level_by_time(PriorityAsks& asks) const;
  [[nodiscard]] std::int64_t offers_to_wait(const PriorityAsks& asks) const;
  /// Whether asks wait for nearer nodes, by counting offers or by time.
  [[nodiscard]] bool has_locality_delay() const {
    if (settings_.continuous_sleep)
      return settings_.node_locality_delay_ms >= 0 && settings_.rack_locality_delay_ms >= 0;
    return settings_.node_locality_threshold >= 0.0F && settings_.rack_locality_threshold >= 0.0F;
  }
  Offer take(Slot application, Slot node, PriorityAsks& asks, const AskEntry& entry, AskLocality locality, Mode mode,
             ResourceEffects& effects);
  bool reserve(Slot application, Slot node, const PriorityAsks& asks, const AskEntry& entry, AskLocality locality,
               Mode mode, ResourceEffects& effects);
  [[nodiscard]] bool may_master_hold(Slot application, ExtrasId extras) const;
  [[nodiscard]] bool has_reservations_enough(const LedgerApplication& application, const LedgerNode& node,
                                             AskLocality locality) const;
  void drop_reservation(Slot node, bool keep_container, ResourceEffects& effects);
  [[nodiscard]] bool is_starved(Slot application) const;
  [[nodiscard]] bool is_reservable(Slot application, const Resource& size) const;
  [[nodiscard]] bool may_master_start(Slot application) const;
  [[nodiscard]] bool is_below_share(Slot application, const Resource& usage, const Resource& share) const;
  [[nodiscard]] bool may_continue(std::int32_t count, const Resource& most, const Resource& assigned) const;

  // -- books ---------------------------------------------------------------------
  void end(Slot container, std::int32_t exit_status, bool is_reported_by_node, ResourceEffects& effects);
  void note_asking(Slot application);
  [[nodiscard]] Resource headroom_of(Slot application);
  [[nodiscard]] Resource normalized_for(const FairQueue& queue, const Resource& ask) const;
  [[nodiscard]] bool asks_what_queue_lacks(const FairQueue& queue, const Resource& ask) const;
  void note_cluster_available() { available_ = ledger_.cluster() - ledger_.used(); }

  // -- preemption ------------------------------------------------------------------
  struct NodePreemption {
    std::vector<std::pair<Slot, Resource>> kept_for;  // applications, in the order in which they were recorded
    Resource total;
  };
  struct Choice {
    std::vector<Slot> containers;
    std::int32_t masters = 0;
  };
  struct StarvedAsk {
    PlaceId place;
    std::int32_t count;
    bool relax_locality;
    Resource capability;
    ExtrasId extras = no_extras;
  };
  void update_starvation(Slot leaf, std::int64_t now_ms);
  [[nodiscard]] Resource fair_share_starvation(Slot application, std::int64_t now_ms);
  [[nodiscard]] Resource min_share_starvation(Slot leaf, std::int64_t now_ms);
  void note_starved(Slot application);
  [[nodiscard]] StarvedQueue::Starvation starvation_of(Slot application) const;
  [[nodiscard]] std::vector<StarvedAsk> starved_asks(Slot application) const;
  [[nodiscard]] std::optional<Choice> choose_on(Slot node, const StarvedAsk& ask, std::int32_t masters_max) const;
  [[nodiscard]] std::optional<Choice> choose_among(const std::vector<Slot>& nodes, const StarvedAsk& ask) const;
  [[nodiscard]] std::optional<Choice> choose(const StarvedAsk& ask) const;
  /// These containers are to end, and their node is kept for the application.
  void end_for(Slot application, const Choice& choice, Instant kill_at, StarvedApplication& report,
               ResourceEffects& effects);
  [[nodiscard]] bool may_preempt(Slot container, const Resource& considered) const;
  [[nodiscard]] NodePreemption& preemption_of(Slot node);
  void forget_satisfied(Slot node);
  void note_allocated_after_preemption(Slot node, Slot application, const Resource& size);
  [[nodiscard]] const std::vector<Slot>& nodes_of(PlaceId place) const;

  FairSchedulerSettings settings_;
  ResourceLedger ledger_;
  FairQueues queues_;
  Resource reservable_from_;                 // the size of the smallest container that a node is kept for
  std::int64_t offered_at_ms_ = 0;           // the offer that is being made
  bool counts_opportunities_ = true;         // of the offer that is being made
  Resource available_;                       // of the cluster, as of the last end, heartbeat, update or change of nodes
  std::vector<Slot> all_nodes_;              // in order of arrival
  std::vector<NodePreemption> preemptions_;  // by node slot
  StarvedQueue starved_;
  struct Chosen {
    ContainerId container;
    Instant kill_at;
  };
  std::vector<Chosen> chosen_;  // in the order of their choice
  UpdateGrid update_grid_;
  std::int64_t starvation_updated_at_ms_ = -1;  // by the last update(); -1: it looked for none
};

}  // namespace heddle::policies
