// One queue: applications by id, priorities ascending; on a node first its node-local asks, then rack-local, then any.
// One heartbeat fills the node. Limited by memory alone; relax_locality is ignored; no delay scheduling, reservation or
// preemption. Cost per heartbeat: applications with pending asks until the node is full, and one step per container.
// After Hadoop 3.4's FifoScheduler, without its failure if a node has more asks than its rack.
#pragma once

#include <map>

#include "policies/cluster/queue_placement.hpp"
#include "policies/cluster/resource_ledger.hpp"

namespace heddle::policies {

struct FifoSchedulerSettings {
  MemoryAndCores minimum_allocation{1024, 1};
  MemoryAndCores maximum_allocation{8192, 4};
  std::int64_t container_epoch = 0;
};

class FifoScheduler {
public:
  explicit FifoScheduler(FifoSchedulerSettings settings) : settings_{settings}, ledger_{settings.container_epoch} {}

  void on_node_added(Instant now, const NodeDescription& node, ResourceEffects& effects);
  void on_node_updated(Instant now, NodeId node, MemoryAndCores capacity, ResourceEffects& effects);
  void on_node_removed(Instant now, NodeId node, ResourceEffects& effects);
  void node_heartbeat(Instant now, NodeId node, ResourceEffects& effects, OfferCause cause = OfferCause::heartbeat);
  [[nodiscard]] bool has_room(NodeId node) const;
  [[nodiscard]] bool needs_offer(NodeId node) const;
  /// There is only one queue; the requested name is ignored.
  [[nodiscard]] PlacementAnswer place(const PlacementRequest&) const { return {"default", ""}; }
  [[nodiscard]] SubmissionAnswer on_application_added(Instant now, const ApplicationSubmission& submission);
  void on_attempt_added(Instant now, AttemptId attempt, ResourceEffects& effects);
  void on_attempt_removed(Instant now, AttemptId attempt, ResourceEffects& effects);
  void on_application_removed(Instant now, ApplicationId application, ResourceEffects& effects);
  [[nodiscard]] Allocation allocate(Instant now, AttemptId attempt, const AllocateRequest& batch,
                                    ResourceEffects& effects);
  void on_container_launched(Instant now, ContainerId container);
  void on_container_completed(Instant now, ContainerId container, std::int32_t exit_status, ResourceEffects& effects);
  [[nodiscard]] std::optional<Instant> next_due() const { return std::nullopt; }
  void on_time(Instant now, ResourceEffects& effects);
  /// Headroom of the attempt as in the answer to an empty AllocateRequest; zero if the attempt is unknown.
  [[nodiscard]] MemoryAndCores headroom(AttemptId attempt) const;
  [[nodiscard]] ResourceExplanation explain(ApplicationId application) const;
  void check_invariants() const { ledger_.check_invariants(); }

  [[nodiscard]] const ResourceLedger& ledger() const { return ledger_; }

private:
  [[nodiscard]] bool has_room(const LedgerNode& node) const {
    return node.unallocated.memory_mib >= settings_.minimum_allocation.memory_mib;
  }
  /// What an offer that assigns nothing leaves as the headroom.
  [[nodiscard]] MemoryAndCores headroom_now() const;
  [[nodiscard]] MemoryAndCores headroom_of(RowIndex application) const;
  void fill(RowIndex node, ResourceEffects& effects);
  void offer(RowIndex node, RowIndex application, ResourceEffects& effects);
  [[nodiscard]] std::int32_t assign_at(RowIndex node, RowIndex application, std::int32_t priority, AskLocality locality,
                                       ResourceEffects& effects);
  void update_pending(RowIndex application);
  void end(RowIndex container, std::int32_t exit_status, bool is_reported_by_node, ResourceEffects& effects);

  FifoSchedulerSettings settings_;
  ResourceLedger ledger_;
  std::map<ApplicationId, RowIndex> pending_;  // applications with a pending ask
  MemoryAndCores headroom_;                    // of all applications, as of the last offer
  /// Released containers that their nodes still run. Where the node leaves before it reports them, the original takes
  /// them off the usage once more, and headrooms stay that much larger.
  std::map<ContainerId, AttemptId> released_;
  MemoryAndCores counted_twice_;
  std::int64_t arrivals_offered_ = 0;  // applications that arrived later have no headroom yet
};

}  // namespace heddle::policies
