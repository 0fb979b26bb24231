// Effects of the YarnAllocator: messages, connections and its timer. Flows push them; yarn_allocator_effects.cpp
// applies them in order.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "messages/application_master.hpp"
#include "messages/container_source.hpp"
#include "messages/driver.hpp"
#include "model/time.hpp"

namespace heddle::actors {

/// Dropped while no Driver is connected.
struct SendToDriver {
  std::variant<RegisterYarnAllocator, AllocationFailed, RemoveExecutor, RemoveNode, DecommissionHost> message;
};
struct SendAllocateRequest {
  AllocateRequest request;
};
/// Restarts the timer of the next AllocateRequest.
struct ArmReporterTick {
  Duration delay{0};
};
struct CancelReporterTick {};
/// Connects to a NodeManager. Result: node_connected or node_unreachable.
struct OpenNodeConnection {
  std::string address;
};
/// Dropped if the NodeManager is not connected.
struct SendToNodeManager {
  std::string address;
  std::variant<StartContainer, StopContainer> message;
};
/// Stores the sender of the current message as the ApplicationMaster, and monitors it.
struct ConnectMaster {};
/// Sends ApplicationMasterNotRegistered to the ApplicationMaster, which registers again and sends StartAllocating.
struct RegisterMasterAgain {};
/// Sends EndApplication to the ApplicationMaster and ends the YarnAllocator.
struct LeaveApplication {
  EndApplication end;
};

using AllocatorEffect =
    std::variant<SendToDriver, SendAllocateRequest, ArmReporterTick, CancelReporterTick, OpenNodeConnection,
                 SendToNodeManager, ConnectMaster, RegisterMasterAgain, LeaveApplication>;
using AllocatorEffects = std::vector<AllocatorEffect>;

}  // namespace heddle::actors
