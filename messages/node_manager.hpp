// Messages to a NodeManager, beside those to any starter of containers (messages/container_source.hpp).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "caf_compat/interface.hpp"
#include "messages/container_source.hpp"
#include "messages/nouns.hpp"

namespace heddle {

// -- from the ResourceManager ------------------------------------------------------

/// Answers RegisterNode: the node is registered. The NodeManager kills the containers of earlier epochs.
struct NodeRegistered {
  NodeId node;
  Epoch epoch;
};
HEDDLE_MESSAGE(NodeRegistered, node, epoch)

/// Answers RegisterNode: the cluster does not accept the node. The NodeManager kills all containers and exits.
struct NodeRefused {
  std::string reason;
};
HEDDLE_MESSAGE(NodeRefused, reason)

/// Answers a NodeHeartbeat of an unknown epoch: the ResourceManager counts the node as lost. The NodeManager registers
/// again.
struct RegisterNodeAgain {
  Epoch epoch;  // of the heartbeat
};
HEDDLE_MESSAGE(RegisterNodeAgain, epoch)

/// An application has ended: remove its shuffle files and its token.
struct ForgetApplication {
  ApplicationId application;
};
HEDDLE_MESSAGE(ForgetApplication, application)

// -- from its ProcessLauncher ------------------------------------------------------------

/// The process of a container ended.
struct ProcessEnded {
  std::int64_t process = 0;
  ProcessEnd end;
};
HEDDLE_MESSAGE(ProcessEnded, process, end)

/// Resident memory of one process and its descendants.
struct MeasuredProcess {
  std::int64_t process = 0;
  std::int64_t resident_bytes = 0;
};
HEDDLE_INSPECT(MeasuredProcess, process, resident_bytes)

/// Result of a memory check. Processes that have ended or cannot be measured are missing.
struct MemoryMeasured {
  std::vector<MeasuredProcess> processes;
};
HEDDLE_MESSAGE(MemoryMeasured, processes)

// -- from the signal handler of its process ---------------------------------------------

/// Decommission the node (signal SIGPWR): it starts no more containers; running ones continue.
struct BeginDecommission {};
HEDDLE_MESSAGE_EMPTY(BeginDecommission)

// -- timers ------------------------------------------------------------------------

struct NodeManagerTick {
  std::uint64_t epoch = 0;
};
HEDDLE_MESSAGE(NodeManagerTick, epoch)

/// The NodeManager's interface: the messages above, with those of ContainerManagementActor before those of its own
/// process.
using NodeManagerActor =
    caf_compat::Interface<void(NodeRegistered), void(NodeRefused), void(RegisterNodeAgain), void(ForgetApplication),
                          void(StartContainer), void(StopContainer), void(ProcessEnded), void(MemoryMeasured),
                          void(BeginDecommission), void(NodeManagerTick)>;

}  // namespace heddle
