// What a ResourceManager understands.
#pragma once

#include <string>
#include <vector>

#include "caf_compat/interface.hpp"
#include "messages/nouns.hpp"

namespace heddle {

// -- from the client -----------------------------------------------------------

/// Queue an application. Answered by ApplicationAccepted or ApplicationRefused, and at its end by ApplicationEnded.
struct SubmitApplication {
  std::string name;
  std::string queue;
  std::string user;
  Resource master;
  std::int32_t attempts_max = 2;
  ContainerLaunch launch;       // of the master container
  std::string node_label = {};  // of the nodes that its containers are asked for on; empty: any
  ExtraResources master_extras = {};
  std::int32_t priority = 0;  // in a capacity queue; higher ones go first
};
HEDDLE_MESSAGE(SubmitApplication, name, queue, user, master, attempts_max, launch, node_label, master_extras, priority)

/// End an application with all its containers.
struct KillApplication {
  ApplicationId application;
  std::string reason;
};
HEDDLE_MESSAGE(KillApplication, application, reason)

// -- from application masters ----------------------------------------------------

/// The attempt's master is up. The sender's handle is kept. Answered by RegisteredApplicationMaster.
struct RegisterApplicationMaster {
  AttemptId attempt;
  std::string address;         // of its process
  std::string driver_address;  // cluster mode: where the Driver listens; the client is told (DriverReady)
  std::string token;           // of the application, which only its containers know
};
HEDDLE_MESSAGE(RegisterApplicationMaster, attempt, address, driver_address, token)

/// The attempt has done its work (or failed for good): release everything that it holds.
struct FinishApplication {
  AttemptId attempt;
  bool succeeded = false;
  std::string text;
};
HEDDLE_MESSAGE(FinishApplication, attempt, succeeded, text)

// -- from allocators ---------------------------------------------------------------

/// How many containers of one kind are wanted at one place. Absolute: replaces what was said for the same key.
struct ResourceAsk {
  std::int32_t priority = 0;
  std::string place;  // host, rack ("/r1") or "*"
  Resource resource;
  std::int64_t count = 0;
  bool relax_locality = true;
  ExtraResources extras = {};  // of each container, beside `resource`
};
HEDDLE_INSPECT(ResourceAsk, priority, place, resource, count, relax_locality, extras)

/// The allocator's beat. `response_id` is that of the last answer received: a repeated one is answered again, an older
/// one refused.
struct AllocateRequest {
  AttemptId attempt;
  std::int32_t response_id = 0;
  std::vector<ResourceAsk> asks;
  std::vector<ContainerId> release;
  std::vector<std::string> exclusion_add;
  std::vector<std::string> exclusion_remove;
};
HEDDLE_MESSAGE(AllocateRequest, attempt, response_id, asks, release, exclusion_add, exclusion_remove)

// -- from node managers ------------------------------------------------------------

/// A node is up. The sender's handle is kept. Answered by RegisteredNode.
struct RegisterNode {
  std::string host;     // name for locality
  std::string rack;     // "/default-rack" if none
  std::string address;  // of its process
  Resource capacity;
  std::string build_id;
  bool is_decommissioning = false;  // as in each heartbeat
  ExtraResources extras = {};       // beside `capacity`
};
HEDDLE_MESSAGE(RegisterNode, host, rack, address, capacity, build_id, is_decommissioning, extras)

/// How a container ended, with the exit status in YARN's numbers (0, 1…255, -100 lost, -102 preempted, -104 memory,
/// -105 killed).
struct ContainerEnd {
  ContainerId container;
  std::int32_t exit_status = 0;
  std::string text;
};
HEDDLE_INSPECT(ContainerEnd, container, exit_status, text)

/// A node lives, and these containers run on it. Totals, not changes.
struct NodeHeartbeat {
  NodeId node;
  Epoch epoch;
  std::vector<ContainerId> running;
  bool is_decommissioning = false;  // it will go: nothing new is to start there
};
HEDDLE_MESSAGE(NodeHeartbeat, node, epoch, running, is_decommissioning)

/// A container's process has ended. Said at once, once.
struct ContainerExited {
  NodeId node;
  Epoch epoch;
  ContainerEnd end;
};
HEDDLE_MESSAGE(ContainerExited, node, epoch, end)

// -- from whoever watches the queue file ------------------------------------------------

/// The queue file has this content now. `problem` instead: it cannot be read. One that is wrong leaves the old queues
/// as they are; the reason is told to the clients of all live applications.
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
  std::uint64_t generation = 0;
};
HEDDLE_MESSAGE(ResourceManagerTick, generation)

/// Said by the ResourceManager to itself when the first of several ends has come: those that were waiting behind it are
/// here by then.
struct TellEnds {};
HEDDLE_MESSAGE_EMPTY(TellEnds)

/// All nodes with room are offered, where the fair rules do so continuously.
struct ContinuousOffersTick {
  std::uint64_t generation = 0;
};
HEDDLE_MESSAGE(ContinuousOffersTick, generation)

/// The ResourceManager's interface: one line per message above, in the same order.
using ResourceManagerActor =
    caf_compat::Interface<void(SubmitApplication), void(KillApplication), void(RegisterApplicationMaster),
                          void(FinishApplication), void(AllocateRequest), void(RegisterNode), void(NodeHeartbeat),
                          void(ContainerExited), void(ReloadQueues), void(GroupsFound), void(ResourceManagerTick),
                          void(TellEnds), void(ContinuousOffersTick)>;

}  // namespace heddle
