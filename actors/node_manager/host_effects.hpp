// Effects of the NodeManager: messages, connections, processes and its timer. Flows push them; node_manager_effects.cpp
// applies them in order.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "messages/allocator.hpp"
#include "messages/node_manager.hpp"
#include "messages/resource_manager.hpp"
#include "ports/process_launcher.hpp"

namespace heddle::actors {

/// Connects to the ResourceManager. Result: resource_manager_connected or resource_manager_unreachable.
struct FindResourceManager {};
/// Dropped while no ResourceManager is connected.
struct SendToResourceManager {
  std::variant<RegisterNode, NodeHeartbeat, ContainerExited> message;
};
/// Answers the allocator that sent StartContainer. A ResourceManager gets no answer: heartbeats and ContainerExited
/// report its containers.
struct AnswerStart {
  std::variant<ContainerStarted, ContainerNotStarted> message;
};
/// Starts a process. Result: handle_launched.
struct LaunchProcess {
  StartContainer request;
  std::string log_directory;
  ports::LaunchContext context;
};
struct StopProcess {
  std::int64_t process = 0;
};
/// Measures the memory of these processes. Result: MemoryMeasured.
struct MeasureMemory {
  std::vector<std::int64_t> processes;
};
struct ArmHeartbeat {};
struct CancelHeartbeat {};
/// Ends the NodeManager.
struct LeaveHost {};

using HostEffect = std::variant<FindResourceManager, SendToResourceManager, AnswerStart, LaunchProcess, StopProcess,
                                MeasureMemory, ArmHeartbeat, CancelHeartbeat, LeaveHost>;
using HostEffects = std::vector<HostEffect>;

}  // namespace heddle::actors
