// Shares a cluster's containers between applications: one interface, decided by FIFO, fair or capacity rules.
// A copyable value: one overload of apply per input, effects out in order; no clock, no sending.
// Order, ties and cost are those of the scheduler inside: see fifo_scheduler.hpp, fair_scheduler.hpp,
// capacity_scheduler.hpp.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "model/resource_kind.hpp"
#include "model/result.hpp"
#include "policies/cluster/capacity/capacity_scheduler.hpp"
#include "policies/cluster/fair/fair_scheduler.hpp"
#include "policies/cluster/fifo/fifo_scheduler.hpp"
#include "policies/cluster/queue_placement.hpp"
#include "policies/cluster/resource_events.hpp"
#include "policies/cluster/scheduler/resource_inputs.hpp"

namespace heddle::policies {

class ResourceScheduler {
public:
  using Rules = std::variant<FifoScheduler, FairScheduler, CapacityScheduler>;
  explicit ResourceScheduler(Rules rules) : rules_{std::move(rules)} {}

  using Inputs = resource_input::Input;
  using Effects = ResourceEffects;

  // Inputs, each explained at its struct.
  void apply(Instant now, const resource_input::NodeAdded& input, ResourceEffects& effects);
  void apply(Instant now, const resource_input::NodeUpdated& input, ResourceEffects& effects);
  void apply(Instant now, const resource_input::NodeRemoved& input, ResourceEffects& effects);
  void apply(Instant now, const resource_input::NodeOffered& input, ResourceEffects& effects);
  Result<Done> apply(Instant now, const resource_input::QueuesChanged& input, ResourceEffects& effects);
  [[nodiscard]] SubmissionAnswer apply(Instant now, const resource_input::ApplicationAdded& input);
  Result<std::string> apply(Instant now, const resource_input::ApplicationMoved& input, ResourceEffects& effects);
  void apply(Instant now, const resource_input::AttemptAdded& input, ResourceEffects& effects);
  void apply(Instant now, const resource_input::AttemptRemoved& input, ResourceEffects& effects);
  void apply(Instant now, const resource_input::ApplicationRemoved& input, ResourceEffects& effects);
  [[nodiscard]] Allocation apply(Instant now, const resource_input::AsksMade& input, ResourceEffects& effects);
  void apply(Instant now, const resource_input::ContainerLaunched& input);
  void apply(Instant now, const resource_input::ContainersEnded& input, ResourceEffects& effects);
  void apply(Instant now, const resource_input::TimePassed&, ResourceEffects& effects);

  // -- questions ---------------------------------------------------------------
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
  /// The queue that a submission is for, before it is added.
  [[nodiscard]] PlacementAnswer place(const PlacementRequest& request) const;
  [[nodiscard]] std::optional<Instant> next_due() const;
  [[nodiscard]] ResourceExplanation explain(ApplicationId application) const;
  void check_invariants() const;

  [[nodiscard]] const Rules& rules() const { return rules_; }
  [[nodiscard]] Rules& rules() { return rules_; }

private:
  Rules rules_;
};

}  // namespace heddle::policies
