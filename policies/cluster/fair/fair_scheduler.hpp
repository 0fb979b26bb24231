// Hierarchical queues that share by weight, minimum and demand; delay scheduling, reservations, preemption. Order:
// queues and applications by their parent's policy, priorities ascending; ties: see fair_order.hpp. Demands and shares
// change only in update(), every `update_interval` unless nothing changed. After Hadoop 3.4's FairScheduler
// (FS-1 … FS-21, PR-1 … PR-10). Cost per assignment: the depth of the tree, if the first candidate takes the node.
#pragma once

#include "policies/cluster/fair/fair_preemption.hpp"
#include "policies/cluster/update_grid.hpp"

namespace heddle::policies {

class FairScheduler {
public:
  FairScheduler(FairSchedulerSettings settings, const config::FairSchedulerFile& file, Instant now)
      : books_{std::move(settings), file, now}, update_grid_{now, books_.settings.update_interval} {}

  void on_node_added(Instant now, const NodeDescription& node, ResourceEffects& effects);
  void on_node_updated(Instant now, NodeId node, MemoryAndCores capacity, ResourceEffects& effects);
  void on_node_removed(Instant now, NodeId node, ResourceEffects& effects);
  void node_heartbeat(Instant now, NodeId node, ResourceEffects& effects, OfferCause cause = OfferCause::heartbeat);
  [[nodiscard]] bool has_room(NodeId node) const;
  [[nodiscard]] bool needs_offer(NodeId node) const;
  /// Nodes of one continuous round: those with room for the smallest container, most free memory first, then the older
  /// node. If nothing is requested, only reserved nodes.
  [[nodiscard]] std::vector<NodeId> continuous_round() const;
  [[nodiscard]] std::optional<Duration> continuous_sleep() const { return books_.settings.locality.continuous_sleep; }
  [[nodiscard]] PlacementAnswer place(const PlacementRequest& request) const;
  [[nodiscard]] SubmissionAnswer on_application_added(Instant now, const ApplicationSubmission& submission);
  /// Moves an application with its usage to another leaf. Refused if the leaf, or a queue above it that is not above
  /// the current leaf, is at a limit. Returns the full name of the leaf.
  Result<std::string> on_application_moved(ApplicationId application, std::string_view queue, ResourceEffects& effects);
  void on_attempt_added(Instant now, AttemptId attempt, ResourceEffects& effects);
  void on_attempt_removed(Instant now, AttemptId attempt, ResourceEffects& effects);
  void on_application_removed(Instant now, ApplicationId application, ResourceEffects& effects);
  [[nodiscard]] Allocation allocate(Instant now, AttemptId attempt, const AllocateRequest& batch,
                                    ResourceEffects& effects);
  void on_container_launched(Instant now, ContainerId container);
  void on_container_completed(Instant now, ContainerId container, std::int32_t exit_status, ResourceEffects& effects);
  [[nodiscard]] std::optional<Instant> next_due() const;
  /// Runs update(), preemption and kills that are due.
  void on_time(Instant now, ResourceEffects& effects);
  /// Headroom of the attempt as in the answer to an empty AllocateRequest; zero if the attempt is unknown.
  [[nodiscard]] MemoryAndCores headroom(AttemptId attempt) const;
  [[nodiscard]] ResourceExplanation explain(ApplicationId application) const;
  void check_invariants() const { books_.check_invariants(); }

  // -- steps of on_time, for tests -----------------------------------------------
  /// Recomputes demands and shares; also starvation, if preemption is on and the cluster is busy enough.
  void update(Instant now);
  /// Chooses containers for each application that update() found starved.
  std::vector<StarvedApplication> preempt(Instant now, ResourceEffects& effects) {
    return preemption_.preempt(books_, now, effects);
  }
  /// Kills the chosen containers that are due.
  void kill_chosen(Instant now, ResourceEffects& effects) { preemption_.kill_chosen(books_, now, effects); }

  /// Applies a new queue file. Retries all applications that wait for a limit (MR-4).
  void on_queues_changed(Instant now, const config::FairSchedulerFile& file, ResourceEffects& effects);
  /// As in fair_limits.hpp.
  [[nodiscard]] std::optional<MemoryAndCores> master_limit(RowIndex leaf) const;
  [[nodiscard]] std::optional<std::int64_t> master_limit(RowIndex leaf, std::int32_t kind) const;
  [[nodiscard]] const ResourceLedger& ledger() const { return books_.ledger; }
  [[nodiscard]] const FairQueues& queues() const { return books_.queues; }

private:
  FairBooks books_;
  FairPreemption preemption_;
  UpdateGrid update_grid_;
};

}  // namespace heddle::policies
