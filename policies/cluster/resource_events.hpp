// What a ResourceScheduler is told and what it answers: submissions, asks, heartbeats in; ordered effects out.
// Names of hosts, racks, queues and users are text only here; inside the schedulers they are dense numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/container_end.hpp"
#include "model/extra_resource.hpp"
#include "model/ids.hpp"
#include "model/resources.hpp"
#include "model/time.hpp"

namespace heddle::policies {

/// Why a node is offered. Only a heartbeat of its own counts as an opportunity that was missed.
enum class OfferCause : std::uint8_t { heartbeat, change };

/// The kind of ask that a container was taken from.
enum class AskLocality : std::uint8_t { node_local, rack_local, off_switch };

[[nodiscard]] constexpr const char* to_string(AskLocality locality) {
  switch (locality) {
    case AskLocality::node_local: return "NODE_LOCAL";
    case AskLocality::rack_local: return "RACK_LOCAL";
    case AskLocality::off_switch: return "OFF_SWITCH";
  }
  return "OFF_SWITCH";
}

/// A node as it registers. Host and rack are the names that asks use.
struct NodeDescription {
  NodeId id;
  std::string host;
  std::string rack;
  Resource capacity;
  std::uint32_t tie_break =
      0;                       // where rules leave it open which of several nodes: its low bits, the smaller ones first
  ExtraResources extras = {};  // what else it has
};

/// An application as the ResourceManager places it. `master` empty: the application's master runs elsewhere and needs
/// no container.
struct ApplicationSubmission {
  ApplicationId id;
  std::string queue;
  std::string user;
  std::int32_t priority = 0;
  std::optional<Resource> master;
  ExtraResources master_extras = {};
};

/// What became of a submission. A refused one has a sentence that says why.
struct SubmissionAnswer {
  bool is_accepted = false;
  std::string queue;
  std::string refusal;
  static void visit_fields(auto& visit, auto& self) {
    visit("is_accepted", self.is_accepted);
    visit("queue", self.queue);
    visit("refusal", self.refusal);
  }
};

/// Containers wanted at one place: a host, a rack or "*". The count is absolute and replaces the former one.
struct ResourceAsk {
  std::int32_t priority = 0;
  std::string name;
  std::int32_t count = 0;
  Resource capability;
  bool relax_locality = true;
  ExtraResources extras = {};  // beside the capability, of each container
};

/// One call of an ApplicationMaster.
struct AskBatch {
  std::vector<ResourceAsk> asks;
  std::vector<ContainerId> release;
  std::vector<std::string> exclude;  // host names
  std::vector<std::string> include;

  [[nodiscard]] bool is_empty() const { return asks.empty() && release.empty() && exclude.empty() && include.empty(); }
};

/// A container was allocated on a node. It is handed to its application by the next on_asks, to the ResourceManager at
/// once if `is_master`.
struct ContainerAssigned {
  ContainerId container;
  AttemptId attempt;
  std::int64_t number = 0;  // running number within the application, from 1
  NodeId node;
  std::int32_t priority = 0;
  Resource resource;
  AskLocality locality = AskLocality::off_switch;
  bool is_master = false;
  static void visit_fields(auto& visit, auto& self) {
    visit("attempt", self.attempt);
    visit("container", self.container);
    visit("number", self.number);
    visit("node", self.node);
    visit("priority", self.priority);
    visit("resource", self.resource);
    visit("locality", self.locality);
    visit("is_master", self.is_master);
  }
};

/// A container is no longer its application's. `is_on_node`: it was launched, so the node has to stop it, and keeps its
/// room until it reports so.
struct ContainerEnded {
  ContainerId container;
  AttemptId attempt;
  std::int64_t number = 0;
  NodeId node;
  std::int32_t exit_status = 0;
  bool is_on_node = false;
  static void visit_fields(auto& visit, auto& self) {
    visit("attempt", self.attempt);
    visit("container", self.container);
    visit("number", self.number);
    visit("node", self.node);
    visit("exit_status", self.exit_status);
    visit("is_on_node", self.is_on_node);
  }
};

/// A node is kept for an application until it has room for this container.
struct NodeReserved {
  ContainerId container;
  AttemptId attempt;
  std::int64_t number = 0;
  NodeId node;
  std::int32_t priority = 0;
  Resource resource;
  static void visit_fields(auto& visit, auto& self) {
    visit("attempt", self.attempt);
    visit("container", self.container);
    visit("number", self.number);
    visit("node", self.node);
    visit("priority", self.priority);
    visit("resource", self.resource);
  }
};

struct ReservationDropped {
  ContainerId container;
  AttemptId attempt;
  NodeId node;
  static void visit_fields(auto& visit, auto& self) {
    visit("attempt", self.attempt);
    visit("container", self.container);
    visit("node", self.node);
  }
};

/// The container was chosen for preemption and ends at `kill_at` unless it ends before.
struct ContainerChosen {
  ContainerId container;
  AttemptId attempt;
  NodeId node;
  Instant kill_at;
  static void visit_fields(auto& visit, auto& self) {
    visit("attempt", self.attempt);
    visit("container", self.container);
    visit("node", self.node);
    visit("kill_at", self.kill_at);
  }
};

/// An application that waited for a limit (running applications, master share) may run now.
struct ApplicationMayRun {
  ApplicationId application;
  static void visit_fields(auto& visit, auto& self) { visit("application", self.application); }
};

using ResourceEffect = std::variant<ContainerAssigned, ContainerEnded, NodeReserved, ReservationDropped,
                                    ContainerChosen, ApplicationMayRun>;
using ResourceEffects = std::vector<ResourceEffect>;

/// Why a call of an ApplicationMaster was refused; nothing has changed then.
enum class AskRefusal : std::uint8_t {
  unknown_attempt,  // never seen, removed or superseded
  exceeds_maximum,  // more of a resource than any container may have
  queue_has_none,   // a positive amount of a resource of which the queue's maximum is 0
};

[[nodiscard]] constexpr const char* to_string(AskRefusal refusal) {
  switch (refusal) {
    case AskRefusal::unknown_attempt: return "unknown_attempt";
    case AskRefusal::exceeds_maximum: return "exceeds_maximum";
    case AskRefusal::queue_has_none: return "queue_has_none";
  }
  return "unknown_attempt";
}

/// The answer to one call of an ApplicationMaster.
struct Allocation {
  std::optional<AskRefusal> refusal;
  std::vector<ContainerAssigned> granted;  // in the order of their allocation
  Resource headroom;                       // parts may be negative
  static void visit_fields(auto& visit, auto& self) {
    visit("refusal", self.refusal);
    visit("granted", self.granted);
    visit("headroom", self.headroom);
  }
};

/// Why an application has no container now, and what would change that.
struct ResourceExplanation {
  std::string reason;                // a stable word, such as "queue_at_maximum"
  std::string sentence;              // for a person
  std::string holder;                // who holds what is missing: a queue, an application; empty if nobody does
  std::optional<Instant> ask_again;  // when time changes the answer
  std::int64_t offers_to_wait = 0;   // when node heartbeats change the answer
};

}  // namespace heddle::policies
