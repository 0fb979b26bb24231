// Messages to a NodeManager.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "caf_compat/interface.hpp"
#include "messages/nouns.hpp"
#include "messages/resource_manager.hpp"

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

// -- from the ResourceManager (master container) and from allocators -------

/// Start a process in a granted container. An allocator gets ContainerStarted or ContainerNotStarted as answer. Only
/// the ResourceManager gets ContainerExited, when the process ends or was not started.
struct StartContainer {
  ContainerId container;
  AttemptId attempt;
  Resource resource;
  std::string token;  // of the application; needed to fetch its shuffle files
  ContainerLaunch launch;
};
HEDDLE_MESSAGE(StartContainer, container, attempt, resource, token, launch)

/// Kill all processes of the container.
struct StopContainer {
  ContainerId container;
  std::int32_t exit_status = 0;  // exit status to report; 0: that of the process
  std::string reason;
};
HEDDLE_MESSAGE(StopContainer, container, exit_status, reason)

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

/// The NodeManager's interface: one line per message above, in the same order.
using NodeManagerActor =
    caf_compat::Interface<void(NodeRegistered), void(NodeRefused), void(RegisterNodeAgain), void(ForgetApplication),
                          void(StartContainer), void(StopContainer), void(ProcessEnded), void(MemoryMeasured),
                          void(BeginDecommission), void(NodeManagerTick)>;

}  // namespace heddle
