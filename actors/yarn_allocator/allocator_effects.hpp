// What the YarnAllocator does beside changing its state: messages, connections and its timer, in order. Pushed by the
// flows, applied in yarn_allocator_effects.cpp.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "messages/application_master.hpp"
#include "messages/driver.hpp"
#include "messages/node_manager.hpp"
#include "messages/resource_manager.hpp"
#include "model/time.hpp"

namespace heddle::actors {

/// Nothing is sent while no Driver is connected.
struct SendToDriver {
  std::variant<RegisterYarnAllocator, AllocationFailed, RemoveExecutor, RemoveNode, DecommissionHost> message;
};
struct SendAllocateRequest {
  AllocateRequest request;
};
/// Arms the beat anew.
struct ArmBeat {
  Duration delay{0};
};
struct CancelBeat {};
/// A connection, or none, is reported by node_connected or node_unreachable.
struct OpenNodeConnection {
  std::string address;
};
/// To a NodeManager that is connected.
struct SendToNodeManager {
  std::string address;
  std::variant<StartContainer, StopContainer> message;
};
/// The sender of the message that is being handled is the ApplicationMaster from now on; it is monitored.
struct ConnectMaster {};
/// Tells the ApplicationMaster; the YarnAllocator ends.
struct LeaveApplication {
  EndApplication end;
};

using AllocatorEffect = std::variant<SendToDriver, SendAllocateRequest, ArmBeat, CancelBeat, OpenNodeConnection,
                                     SendToNodeManager, ConnectMaster, LeaveApplication>;
using AllocatorEffects = std::vector<AllocatorEffect>;

}  // namespace heddle::actors
