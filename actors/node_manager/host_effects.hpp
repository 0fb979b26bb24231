// What the NodeManager does beside changing its state: messages, connections, processes and its timer, in order. Pushed
// by the flows, applied in node_manager_effects.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "messages/node_manager.hpp"
#include "messages/resource_manager.hpp"
#include "messages/yarn_allocator.hpp"
#include "ports/process_launcher.hpp"

namespace heddle::actors {

/// A connection, or none, is reported by resource_manager_connected or resource_manager_unreachable.
struct FindResourceManager {};
/// Nothing is sent while no ResourceManager is connected.
struct SendToResourceManager {
  std::variant<RegisterNode, NodeHeartbeat, ContainerExited> message;
};
/// To the allocator that asked for the start. The ResourceManager hears of containers by heartbeats and ends.
struct AnswerStart {
  std::variant<ContainerStarted, ContainerNotStarted> message;
};
/// Whether it runs is reported by handle_launched.
struct LaunchProcess {
  StartContainer request;
  std::string log_directory;
  ports::LaunchContext context;
};
struct StopProcess {
  std::int64_t process = 0;
};
/// MemoryMeasured follows.
struct MeasureMemory {
  std::vector<std::int64_t> processes;
};
struct ArmHeartbeat {};
struct CancelHeartbeat {};
/// The NodeManager ends.
struct LeaveHost {};

using HostEffect = std::variant<FindResourceManager, SendToResourceManager, AnswerStart, LaunchProcess, StopProcess,
                                MeasureMemory, ArmHeartbeat, CancelHeartbeat, LeaveHost>;
using HostEffects = std::vector<HostEffect>;

}  // namespace heddle::actors
