// Messages to a ResourceManager, beside those to any source of containers (messages/container_source.hpp).
#pragma once

#include <string>
#include <vector>

#include "caf_compat/interface.hpp"
#include "messages/container_source.hpp"
#include "messages/nouns.hpp"

namespace heddle {

// -- from NodeManagers -------------------------------------------------------------

/// A node registers. The ResourceManager keeps the handle of the sender and answers with NodeRegistered or
/// NodeRefused.
struct RegisterNode {
  std::string host;     // host name for locality
  std::string rack;     // "/default-rack" if none
  std::string address;  // of its process
  Resource capacity;
  std::string build_id;
  bool is_decommissioning = false;  // see NodeHeartbeat
};
HEDDLE_MESSAGE(RegisterNode, host, rack, address, capacity, build_id, is_decommissioning)

/// Heartbeat of a node with all of its running containers (totals, not changes).
struct NodeHeartbeat {
  NodeId node;
  Epoch epoch;
  std::vector<ContainerId> running;
  bool is_decommissioning = false;  // the ResourceManager starts no more containers there
};
HEDDLE_MESSAGE(NodeHeartbeat, node, epoch, running, is_decommissioning)

/// The process of a container has ended. Sent once, without waiting for a heartbeat.
struct ContainerExited {
  NodeId node;
  Epoch epoch;
  CompletedContainer completed;
};
HEDDLE_MESSAGE(ContainerExited, node, epoch, completed)

// -- from the watcher of the queue file -------------------------------------------------

/// The content of the queue file has changed; `problem` is set instead if it cannot be read. If the content is invalid,
/// the ResourceManager keeps its queues and sends the reason to the clients of all running applications.
struct ReloadQueues {
  std::string file;
  std::string content;
  std::string problem;
};
HEDDLE_MESSAGE(ReloadQueues, file, content, problem)

// -- from the look-up of groups -------------------------------------------------------

/// The groups of this user are known now: applications that wait for them can be placed.
struct GroupsFound {
  std::string user;
};
HEDDLE_MESSAGE(GroupsFound, user)

// -- timers ------------------------------------------------------------------------

struct ResourceManagerTick {
  std::uint64_t epoch = 0;
};
HEDDLE_MESSAGE(ResourceManagerTick, epoch)

/// Retired: each ContainerExited is handled alone. Type ids only grow, so its id stays reserved.
struct FlushCompletedContainers {};
HEDDLE_MESSAGE_EMPTY(FlushCompletedContainers)

/// Offer all nodes with free resources (heddle.fair.continuous_offers).
struct ContinuousOffersTick {
  std::uint64_t epoch = 0;
};
HEDDLE_MESSAGE(ContinuousOffersTick, epoch)

/// The ResourceManager's interface: the messages of ApplicationClientServiceActor and ApplicationMasterServiceActor,
/// and those above.
using ResourceManagerActor =
    caf_compat::Interface<void(SubmitApplication), void(KillApplication), void(RegisterApplicationMaster),
                          void(FinishApplication), void(AllocateRequest), void(RegisterNode), void(NodeHeartbeat),
                          void(ContainerExited), void(ReloadQueues), void(GroupsFound), void(ResourceManagerTick),
                          void(ContinuousOffersTick)>;

}  // namespace heddle
