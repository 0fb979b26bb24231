// Hierarchical queues that share by weight, minimum and demand; delay scheduling, reservations, preemption.
// Order: queues and applications by their parent's policy, priorities ascending; see fair_order.hpp for ties.
// Demands and shares change in update() alone, every `update_interval` unless nothing changed since. After Hadoop 3.4's
// FairScheduler (FS-1 … FS-21, PR-1 … PR-10). Cost per assignment: the depth of the tree, if the first candidate takes
// the node.
#pragma once

#include "policies/cluster/fair/fair_preemption.hpp"
#include "policies/cluster/update_grid.hpp"

namespace heddle::policies {

class FairScheduler {
public:
  FairScheduler(FairSchedulerSettings settings, const config::FairSchedulerFile& file, Instant now)
      : books_{std::move(settings), file, now}, update_grid_{now, books_.settings.update_interval} {}

  void on_node_added(Instant now, const NodeDescription& node, ResourceEffects& effects);
  void on_node_updated(Instant now, NodeId node, Resource capacity, ResourceEffects& effects);
  void on_node_removed(Instant now, NodeId node, ResourceEffects& effects);
  void node_heartbeat(Instant now, NodeId node, ResourceEffects& effects, OfferCause cause = OfferCause::heartbeat);
  [[nodiscard]] bool has_room(NodeId node) const;
  [[nodiscard]] bool needs_offer(NodeId node) const;
  /// The nodes that one continuous round offers: those with room for the smallest container, the most free memory
  /// first, then the older node. None while nothing is asked for, but for nodes that are reserved.
  [[nodiscard]] std::vector<NodeId> continuous_round() const;
  [[nodiscard]] std::optional<Duration> continuous_sleep() const { return books_.settings.locality.continuous_sleep; }
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
  void check_invariants() const { books_.check_invariants(); }

  // -- the steps of on_time, one by one ------------------------------------------
  /// Recomputes demands, shares and, if preemption is on and the cluster busy enough, starvation.
  void update(Instant now);
  /// Chooses containers for every application that update() found starved.
  std::vector<StarvedApplication> preempt(Instant now, ResourceEffects& effects) {
    return preemption_.preempt(books_, now, effects);
  }
  /// Ends the chosen containers whose wait is over.
  void kill_chosen(Instant now, ResourceEffects& effects) { preemption_.kill_chosen(books_, now, effects); }

  /// Takes a new queue file while running; all that waits for a limit is tried again (MR-4).
  void on_queues_changed(Instant now, const config::FairSchedulerFile& file, ResourceEffects& effects);
  /// What masters may use in this leaf; none if the limit is off.
  [[nodiscard]] std::optional<Resource> master_limit(RowIndex leaf) const;
  /// The same of a kind beside memory and cores: none has a fair share, so that what is available and the queue's
  /// maximum bound it.
  [[nodiscard]] std::optional<std::int64_t> master_limit(RowIndex leaf, std::int32_t kind) const;
  [[nodiscard]] const ResourceLedger& ledger() const { return books_.ledger; }
  [[nodiscard]] const FairQueues& queues() const { return books_.queues; }

private:
  FairBooks books_;
  FairPreemption preemption_;
  UpdateGrid update_grid_;
};

}  // namespace heddle::policies
