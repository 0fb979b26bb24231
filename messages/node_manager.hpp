// What a NodeManager understands.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "caf_compat/interface.hpp"
#include "messages/nouns.hpp"
#include "messages/resource_manager.hpp"

namespace heddle {

// -- from the ResourceManager ------------------------------------------------------

/// The ResourceManager knows the node; containers of older epochs are to be killed. No node: refused, or, of an epoch,
/// to register again.
struct RegisteredNode {
  NodeId node;
  Epoch epoch;
};
HEDDLE_MESSAGE(RegisteredNode, node, epoch)

/// An application has ended: its shuffle files and token go.
struct ForgetApplication {
  ApplicationId application;
};
HEDDLE_MESSAGE(ForgetApplication, application)

// -- from the ResourceManager (master container) and from allocators (executors) ---------

/// Start a process in a granted container. Answered to an allocator by ContainerStarted or ContainerNotStarted. The end
/// of the process, or that it was not started, is told to the ResourceManager alone.
struct StartContainer {
  ContainerId container;
  AttemptId attempt;
  Resource resource;
  std::string token;  // of the application; shuffle files are served to its holders
  ContainerLaunch launch;
};
HEDDLE_MESSAGE(StartContainer, container, attempt, resource, token, launch)

/// Kill the container's whole group.
struct StopContainer {
  ContainerId container;
  std::int32_t exit_status = 0;  // reported instead of the process's own; 0: its own
  std::string reason;
};
HEDDLE_MESSAGE(StopContainer, container, exit_status, reason)

// -- from its own launcher -----------------------------------------------------------

/// The process of a container ended.
struct ProcessEnded {
  std::int64_t process = 0;
  std::int32_t exit_code = 0;
  std::int32_t signal = 0;
};
HEDDLE_MESSAGE(ProcessEnded, process, exit_code, signal)

/// Memory that one process holds with all that it started.
struct MeasuredProcess {
  std::int64_t process = 0;
  std::int64_t resident_bytes = 0;
};
HEDDLE_INSPECT(MeasuredProcess, process, resident_bytes)

/// The memory check has measured these; what has ended, or cannot be measured, is missing.
struct MemoryMeasured {
  std::vector<MeasuredProcess> processes;
};
HEDDLE_MESSAGE(MemoryMeasured, processes)

// -- from its process ----------------------------------------------------------------

/// The node will go: no container is to come any more. What runs goes on. Said by a signal (SIGPWR).
struct BeginDecommission {};
HEDDLE_MESSAGE_EMPTY(BeginDecommission)

// -- timers ------------------------------------------------------------------------

struct NodeManagerTick {
  std::uint64_t generation = 0;
};
HEDDLE_MESSAGE(NodeManagerTick, generation)

/// The NodeManager's interface: one line per message above, in the same order.
using NodeManagerActor =
    caf_compat::Interface<void(RegisteredNode), void(ForgetApplication), void(StartContainer), void(StopContainer),
                          void(ProcessEnded), void(MemoryMeasured), void(BeginDecommission), void(NodeManagerTick)>;

}  // namespace heddle
