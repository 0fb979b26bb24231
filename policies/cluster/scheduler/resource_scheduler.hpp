// Shares a cluster's containers between applications: one interface, decided by FIFO, fair or capacity rules.
// A copyable value: one method per event, effects out in order; no clock, no sending.
// Order, ties and cost are those of the scheduler inside: see fifo_scheduler.hpp, fair_scheduler.hpp,
// capacity_scheduler.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <variant>

#include "model/resource_kind.hpp"
#include "model/result.hpp"
#include "policies/cluster/capacity/capacity_scheduler.hpp"
#include "policies/cluster/fair/fair_scheduler.hpp"
#include "policies/cluster/fifo/fifo_scheduler.hpp"
#include "policies/cluster/queue_placement.hpp"
#include "policies/cluster/resource_events.hpp"

namespace heddle::policies {

/// A queue file as its reader understood it, one kind per set of rules.
using QueueFile = std::variant<config::FairSchedulerFile, config::CapacitySchedulerFile>;

class ResourceScheduler {
public:
  using Rules = std::variant<FifoScheduler, FairScheduler, CapacityScheduler>;
  explicit ResourceScheduler(Rules rules) : rules_{std::move(rules)} {}

  // -- nodes -------------------------------------------------------------------
  void on_node_added(Instant now, const NodeDescription& node, ResourceEffects& effects);
  /// The node's capacity changed while it runs; what is used stays used.
  void on_node_updated(Instant now, NodeId node, Resource capacity, ResourceEffects& effects);
  /// All its containers end with -100.
  void on_node_removed(Instant now, NodeId node, ResourceEffects& effects);
  /// The only event that assigns containers, as room allows.
  void node_heartbeat(Instant now, NodeId node, ResourceEffects& effects, OfferCause cause = OfferCause::heartbeat);
  /// True if an offer of this node could lead to anything.
  [[nodiscard]] bool has_room(NodeId node) const;
  /// False if an offer of this node now would change nothing: nobody asks, and nothing is kept there.
  [[nodiscard]] bool needs_offer(NodeId node) const;
  /// Where the rules offer nodes continuously: the time between two rounds, and the nodes of one in their order. Fair
  /// rules alone do so.
  [[nodiscard]] std::optional<Duration> continuous_sleep() const;
  [[nodiscard]] std::vector<NodeId> continuous_round() const;
  /// What these rules count when they look for room: fair rules memory and cores, capacity rules as their calculator,
  /// FIFO memory.
  [[nodiscard]] ResourceKinds counted_kinds() const;

  // -- queues ------------------------------------------------------------------
  /// The queue that a submission is for, before it is added.
  [[nodiscard]] PlacementAnswer place(const PlacementRequest& request) const;
  /// Takes a new queue file while running. One that cannot be taken changes nothing and says why.
  Result<Done> on_queues_changed(Instant now, const QueueFile& file, ResourceEffects& effects);

  // -- applications ------------------------------------------------------------
  [[nodiscard]] SubmissionAnswer on_application_added(Instant now, const ApplicationSubmission& submission);
  /// Takes an application to another queue while it runs; returns the queue's full name. Fair queues alone do so.
  Result<std::string> on_application_moved(ApplicationId application, std::string_view queue, ResourceEffects& effects);
  /// A try of an accepted application starts; for a managed master this asks for its container at priority 0.
  void on_attempt_added(Instant now, AttemptId attempt, ResourceEffects& effects);
  /// The try is over: its live containers end with -100.
  void on_attempt_removed(Instant now, AttemptId attempt, ResourceEffects& effects);
  /// The application leaves its queue; an attempt that is still there is removed first.
  void on_application_removed(Instant now, ApplicationId application, ResourceEffects& effects);
  [[nodiscard]] Allocation on_asks(Instant now, AttemptId attempt, const AskBatch& batch, ResourceEffects& effects);

  // -- containers, as nodes report them ------------------------------------------
  void on_container_launched(Instant now, ContainerId container);
  void on_container_completed(Instant now, ContainerId container, std::int32_t exit_status, ResourceEffects& effects);
  /// The same as one call for each in this order, but the records of the next ones are fetched from memory meanwhile.
  void on_containers_completed(Instant now, std::span<const ContainerCompleted> ends, ResourceEffects& effects);

  // -- time ----------------------------------------------------------------------
  [[nodiscard]] std::optional<Instant> next_due() const;
  void on_time(Instant now, ResourceEffects& effects);

  [[nodiscard]] ResourceExplanation explain(ApplicationId application) const;
  void check_invariants() const;

  [[nodiscard]] const Rules& rules() const { return rules_; }
  [[nodiscard]] Rules& rules() { return rules_; }

private:
  Rules rules_;
};

}  // namespace heddle::policies
