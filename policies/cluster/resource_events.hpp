// Types of the ResourceScheduler's inputs, and its effects in order. Hosts, racks, queues and users are names here and
// dense numbers inside the schedulers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/container_end.hpp"
#include "model/ids.hpp"
#include "model/resources.hpp"
#include "model/time.hpp"
#include "policies/cluster/memory_and_cores.hpp"

namespace heddle::policies {

/// Why a node is offered. Only a heartbeat counts as a scheduling opportunity.
enum class OfferCause : std::uint8_t { heartbeat, change };

/// Locality of the ask that a container satisfies.
enum class AskLocality : std::uint8_t { node_local, rack_local, off_switch };

[[nodiscard]] constexpr const char* to_string(AskLocality locality) {
  switch (locality) {
    case AskLocality::node_local: return "NODE_LOCAL";
    case AskLocality::rack_local: return "RACK_LOCAL";
    case AskLocality::off_switch: return "OFF_SWITCH";
  }
  return "OFF_SWITCH";
}

/// Registration of a node. Asks use these names of its host and rack.
struct NodeDescription {
  NodeId id;
  std::string host;
  std::string rack;
  Resource capacity;
  std::uint32_t tie_break = 0;  // the low bits break ties between nodes, smaller first
};

/// An accepted application. `master` empty: its application master is unmanaged and needs no container.
struct ApplicationSubmission {
  ApplicationId id;
  std::string queue;
  std::string user;
  std::int32_t priority = 0;
  std::optional<Resource> master;
};

/// Result of a submission. If refused, `sentence` has the reason.
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

/// Requested containers at a resource name: a host, a rack or "*". The count is absolute and replaces the previous one.
struct ResourceRequest {
  std::int32_t priority = 0;
  std::string name;
  std::int32_t count = 0;
  Resource capability;  // of each container
  bool relax_locality = true;
};

/// One AllocateRequest of an ApplicationMaster.
struct AllocateRequest {
  std::vector<ResourceRequest> asks;
  std::vector<ContainerId> release;
  std::vector<std::string> exclude;  // host names
  std::vector<std::string> include;

  [[nodiscard]] bool is_empty() const { return asks.empty() && release.empty() && exclude.empty() && include.empty(); }
};

/// A container was allocated. Its application fetches it with the next AsksMade; with `is_master` the ResourceManager
/// gets it at once.
struct ContainerAssigned {
  ContainerId container;
  AttemptId attempt;
  std::int64_t number = 0;  // running number within the application, from 1
  NodeId node;
  std::int32_t priority = 0;
  AskLocality locality = AskLocality::off_switch;
  bool is_master = false;
  Resource resource;
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

/// A container has ended for its application. `is_on_node`: it was launched, so the node has to stop it, and its
/// resources are not free before the node reports its end.
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

/// A node is reserved for an application until this container fits.
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

/// The container was chosen for preemption. It is killed at `kill_at` unless it ends before.
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

/// Why an AllocateRequest was refused. A refused request changes nothing.
enum class AskRefusal : std::uint8_t {
  unknown_attempt,  // unknown, removed or replaced by a later attempt
  exceeds_maximum,  // exceeds the largest container
  queue_has_none,   // requests a resource of which the queue's maximum is 0
};

[[nodiscard]] constexpr const char* to_string(AskRefusal refusal) {
  switch (refusal) {
    case AskRefusal::unknown_attempt: return "unknown_attempt";
    case AskRefusal::exceeds_maximum: return "exceeds_maximum";
    case AskRefusal::queue_has_none: return "queue_has_none";
  }
  return "unknown_attempt";
}

/// Answer to one AllocateRequest.
struct Allocation {
  std::optional<AskRefusal> refusal;
  std::vector<ContainerAssigned> granted;  // in the order of allocation
  MemoryAndCores headroom;                 // values may be negative
  static void visit_fields(auto& visit, auto& self) {
    visit("refusal", self.refusal);
    visit("granted", self.granted);
    visit("headroom", self.headroom);
  }
};

/// Why an application gets no container now, and what would change that.
struct ResourceExplanation {
  std::string reason;               // a fixed identifier, such as "queue_at_maximum"
  std::string sentence;             // for the user
  std::string holder;               // queue or application that holds the missing resource; empty: none
  std::optional<Instant> retry_at;  // when time may change the answer
  std::int64_t offers_to_wait = 0;  // number of node heartbeats that may change the answer
};

}  // namespace heddle::policies
