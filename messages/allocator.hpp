// Messages to any role that requests containers for an application: YarnAllocator or MapReduceMaster.
// ApplicationMaster, ResourceManager and NodeManager send them and do not know which role receives them.
#pragma once

#include <string>
#include <vector>

#include "caf_compat/interface.hpp"
#include "messages/nouns.hpp"
#include "model/resource_kind.hpp"

namespace heddle {

// -- from the ApplicationMaster -----------------------------------------------------------

/// The application attempt is registered: the allocator may request containers.
struct StartAllocating {
  Resource maximum;
  std::string token;
  ResourceKinds counted = {};  // kinds that the scheduler counts
  bool limits_others = false;  // see RegisteredApplicationMaster
};
HEDDLE_MESSAGE(StartAllocating, maximum, token, counted, limits_others)

// -- from the ResourceManager --------------------------------------------------------------

/// What the ResourceManager knows about the attempt of an AllocateRequest. Unless it is registered, the response has no
/// other content and is not numbered.
enum class AttemptRegistration : std::uint8_t {
  registered,
  not_registered,  // the attempt is the current one: its master must register again and request everything again
  unknown_attempt  // it has ended, or a later one replaces it: its master must leave
};

/// Answers AllocateRequest. The allocator handles `allocated` before `completed`.
struct AllocateResponse {
  std::int32_t response_id = 0;
  std::vector<GrantedContainer> allocated;
  std::vector<CompletedContainer> completed;
  /// Since the last answer, by node: lost nodes on which the application had containers, and decommissioning nodes. The
  /// first answer to an attempt contains all decommissioning nodes, and lost nodes that no earlier answer contained.
  std::vector<NodeUpdate> updated_nodes;
  std::int32_t cluster_nodes = 0;
  Resource headroom = {};  // what the scheduler would still grant to the application; values may be negative
  AttemptRegistration registration = AttemptRegistration::registered;
};
HEDDLE_MESSAGE(AllocateResponse, response_id, allocated, completed, updated_nodes, cluster_nodes, headroom,
               registration)

/// Grants or exits wait for this allocator: send an AllocateRequest at once.
struct AllocationAvailable {};
HEDDLE_MESSAGE_EMPTY(AllocationAvailable)

// -- from NodeManagers --------------------------------------------------------------------

/// Answers StartContainer: the process was started.
struct ContainerStarted {
  ContainerId container;
};
HEDDLE_MESSAGE(ContainerStarted, container)

/// Answers StartContainer: the process was not started; `text` is the reason.
struct ContainerNotStarted {
  ContainerId container;
  std::string text;
};
HEDDLE_MESSAGE(ContainerNotStarted, container, text)

/// Interface of an allocator, as the ApplicationMaster uses it.
using AllocationStarterActor = caf_compat::Interface<void(StartAllocating)>;

/// Interface of an allocator, as the ResourceManager uses it.
using AllocatorActor = caf_compat::Interface<void(AllocateResponse), void(AllocationAvailable)>;

/// Interface of an allocator, as a NodeManager uses it.
using ContainerStarterActor = caf_compat::Interface<void(ContainerStarted), void(ContainerNotStarted)>;

}  // namespace heddle
