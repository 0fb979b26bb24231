// Messages to a ResourceManager.
#pragma once

#include <string>
#include <vector>

#include "caf_compat/interface.hpp"
#include "messages/nouns.hpp"

namespace heddle {

// -- from the client -----------------------------------------------------------

/// Submit an application. Answered by ApplicationAccepted or ApplicationRefused, and by ApplicationEnded at its end.
struct SubmitApplication {
  std::string name;
  std::string queue;
  std::string user;
  Resource master;  // of the master container
  std::int32_t attempts_max = 2;
  ContainerLaunch launch;       // of the master container
  std::string node_label = {};  // label of the nodes for its containers; empty: any
  std::int32_t priority = 0;    // in a capacity queue; higher ones come first
};
HEDDLE_MESSAGE(SubmitApplication, name, queue, user, master, attempts_max, launch, node_label, priority)

/// Kill an application with all its containers.
struct KillApplication {
  ApplicationId application;
  std::string reason;
};
HEDDLE_MESSAGE(KillApplication, application, reason)

// -- from application masters ----------------------------------------------------

/// An ApplicationMaster registers its application attempt. The ResourceManager keeps the handle of the sender and
/// answers with RegisteredApplicationMaster.
struct RegisterApplicationMaster {
  AttemptId attempt;
  std::string address;         // of its process
  std::string driver_address;  // cluster mode: address of the Driver; sent to the client in DriverReady
  std::string token;           // of the application; only its containers know it
};
HEDDLE_MESSAGE(RegisterApplicationMaster, attempt, address, driver_address, token)

/// The application attempt has succeeded or failed: end the application and release its containers.
struct FinishApplication {
  AttemptId attempt;
  bool succeeded = false;
  std::string text;
};
HEDDLE_MESSAGE(FinishApplication, attempt, succeeded, text)

// -- from allocators ------------------------------------------------------------

/// Requested number of containers of one size at one location. Absolute: it replaces the earlier number for the same
/// key.
struct ResourceRequest {
  std::int32_t priority = 0;
  std::string place;  // host, rack ("/r1") or "*" (any)
  Resource resource;  // of each container
  std::int64_t count = 0;
  bool relax_locality = true;
};
HEDDLE_INSPECT(ResourceRequest, priority, place, resource, count, relax_locality)

/// Heartbeat of an allocator with its requests. `response_id` is that of the last response it received: the
/// ResourceManager repeats its answer to a repeated request and refuses an older one.
struct AllocateRequest {
  AttemptId attempt;
  std::int32_t response_id = 0;
  std::vector<ResourceRequest> asks;
  std::vector<ContainerId> release;
  std::vector<std::string> exclusion_add;
  std::vector<std::string> exclusion_remove;
  float progress = 0;  // of the application, 0 to 1
};
HEDDLE_MESSAGE(AllocateRequest, attempt, response_id, asks, release, exclusion_add, exclusion_remove, progress)

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

/// The ResourceManager's interface: one line per message above, in the same order.
using ResourceManagerActor =
    caf_compat::Interface<void(SubmitApplication), void(KillApplication), void(RegisterApplicationMaster),
                          void(FinishApplication), void(AllocateRequest), void(RegisterNode), void(NodeHeartbeat),
                          void(ContainerExited), void(ReloadQueues), void(GroupsFound), void(ResourceManagerTick),
                          void(ContinuousOffersTick)>;

}  // namespace heddle
