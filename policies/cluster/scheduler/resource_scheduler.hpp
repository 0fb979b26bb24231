// Shares the containers of a cluster between applications: one interface over FIFO, fair and capacity rules. A copyable
// value: one overload of apply per input, ordered effects; no clock, no messages. Order, ties and cost are those of the
// chosen scheduler: see fifo_scheduler.hpp, fair_scheduler.hpp, capacity_scheduler.hpp.
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

  // Inputs; the comment of each is at its struct.
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
  void apply(Instant now, const resource_input::ContainerCompleted& input, ResourceEffects& effects);
  void apply(Instant now, const resource_input::TimePassed&, ResourceEffects& effects);

  // -- questions ---------------------------------------------------------------
  /// True if an offer of this node may assign or reserve something.
  [[nodiscard]] bool has_room(NodeId node) const;
  /// False if an offer of this node would change nothing: no pending asks and no reservation.
  [[nodiscard]] bool needs_offer(NodeId node) const;
  /// Continuous scheduling (only fair rules): the time between two rounds, and the nodes of a round in order.
  [[nodiscard]] std::optional<Duration> continuous_sleep() const;
  [[nodiscard]] std::vector<NodeId> continuous_round() const;
  /// Resource kinds that decide whether a container fits: fair: memory and cores; capacity: those of its calculator;
  /// FIFO: memory.
  [[nodiscard]] ResourceKinds counted_kinds() const;
  /// The queue of a submission, before it is added.
  [[nodiscard]] PlacementAnswer place(const PlacementRequest& request) const;
  [[nodiscard]] std::optional<Instant> next_due() const;
  /// Resources that the application attempt could still get, as the answer to an empty AllocateRequest has them. Values
  /// may be negative; zero if the attempt is unknown.
  [[nodiscard]] MemoryAndCores headroom(AttemptId attempt) const;
  [[nodiscard]] ResourceExplanation explain(ApplicationId application) const;
  void check_invariants() const;

  [[nodiscard]] const Rules& rules() const { return rules_; }
  [[nodiscard]] Rules& rules() { return rules_; }

private:
  Rules rules_;
};

}  // namespace heddle::policies
