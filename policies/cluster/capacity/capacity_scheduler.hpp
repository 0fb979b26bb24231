// Hierarchical queues with guaranteed and maximum capacities, limits per user and for masters, delay scheduling by
// missed offers, reservations. Order: queues as in capacity_queues.hpp; applications of a leaf by priority (higher
// first), then id, or by least memory, then by start of the attempt; asks by priority (lower number first). A heartbeat
// assigns until the node is full or reserved, or the limit of containers or off-switch containers is reached. After
// Hadoop 3.4's CapacityScheduler (CS-1 … CS-10), legacy queue mode, one partition. Cost per assignment: depth x
// log(children), plus the asking applications and queues that are refused before.
#pragma once

#include "policies/cluster/capacity/capacity_admission.hpp"
#include "policies/cluster/capacity/capacity_reclaim.hpp"
#include "policies/cluster/queue_placement.hpp"
#include "policies/cluster/update_grid.hpp"

namespace heddle::policies {

class CapacityScheduler {
public:
  CapacityScheduler(CapacitySchedulerSettings settings, const config::CapacitySchedulerFile& file,
                    Instant now = Instant{});

  void on_node_added(Instant now, const NodeDescription& node, ResourceEffects& effects);
  void on_node_updated(Instant now, NodeId node, MemoryAndCores capacity, ResourceEffects& effects);
  void on_node_removed(Instant now, NodeId node, ResourceEffects& effects);
  /// With `cause` change the offer counts no missed opportunities.
  void node_heartbeat(Instant now, NodeId node, ResourceEffects& effects, OfferCause cause = OfferCause::heartbeat);
  [[nodiscard]] bool has_room(NodeId node) const;
  [[nodiscard]] bool needs_offer(NodeId node) const;
  [[nodiscard]] PlacementAnswer place(const PlacementRequest& request) const;
  [[nodiscard]] SubmissionAnswer on_application_added(Instant now, const ApplicationSubmission& submission);
  void on_attempt_added(Instant now, AttemptId attempt, ResourceEffects& effects);
  void on_attempt_removed(Instant now, AttemptId attempt, ResourceEffects& effects);
  void on_application_removed(Instant now, ApplicationId application, ResourceEffects& effects);
  [[nodiscard]] Allocation allocate(Instant now, AttemptId attempt, const AllocateRequest& batch,
                                    ResourceEffects& effects);
  void on_container_launched(Instant now, ContainerId container);
  void on_container_completed(Instant now, ContainerId container, std::int32_t exit_status, ResourceEffects& effects);
  [[nodiscard]] std::optional<Instant> next_due() const { return preemption_grid_.next_due(); }
  /// Runs preemption between queues if it is due.
  void on_time(Instant now, ResourceEffects& effects);
  /// Headroom of the attempt as in the answer to an empty AllocateRequest; zero if the attempt is unknown.
  [[nodiscard]] MemoryAndCores headroom(AttemptId attempt) const;
  [[nodiscard]] ResourceExplanation explain(ApplicationId application) const;
  void check_invariants() const { books_.check_invariants(); }

  /// Applies a new queue file: changed limits, new queues, and removed queues as CapacityQueues::reload allows.
  [[nodiscard]] Result<Done> on_queues_changed(const config::CapacitySchedulerFile& file, ResourceEffects& effects);
  [[nodiscard]] const ResourceLedger& ledger() const { return books_.ledger; }
  [[nodiscard]] const CapacityQueues& queues() const { return books_.queues; }
  [[nodiscard]] const config::CapacitySchedulerFile& file() const { return books_.file; }
  [[nodiscard]] const CapacityApplication& application(RowIndex row) const { return books_.application(row); }

private:
  void set_cluster(ResourceEffects& effects);

  CapacityBooks books_;
  CapacityAdmission admission_;
  CapacityReclaim reclaim_;
  std::int64_t attempts_ = 0;  // number of attempts that were ever started
  UpdateGrid preemption_grid_;
};

}  // namespace heddle::policies
