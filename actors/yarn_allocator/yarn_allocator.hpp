// Gets containers for one application and starts executors in them; reports each lost executor once, with a reason. A
// thin actor over plain parts: a handler reads the clock once, calls a flow and applies its effects in order. The
// container allocator of policies/containers decides. On a cluster it is the ExecutorSource of the Driver.
// Receives from: Driver, ApplicationMaster, ResourceManager, NodeManager. Sends to: the same.
#pragma once

#include <caf/typed_event_based_actor.hpp>
#include <map>
#include <string>

#include "actors/yarn_allocator/allocator_state.hpp"
#include "messages/handles.hpp"
#include "runtime/actor_tools.hpp"
#include "runtime/timers.hpp"

namespace heddle::actors {

class YarnAllocator {
public:
  using Handle = YarnAllocatorActor;
  YarnAllocator(YarnAllocatorActor::pointer self, config::YarnAllocatorSettings settings, runtime::ActorTools tools,
                YarnAllocatorStart start);
  YarnAllocatorActor::behavior_type make_behavior();

private:
  // -- messages, lost peers (yarn_allocator.cpp) ----------------------------------------------------
  void on_reporter_tick(const ReporterTick& message);
  void on_driver_found(bool is_found);
  void on_resource_manager_found(bool is_found);
  void on_node_found(const std::string& address, bool is_found);
  void on_peer_down(const caf::actor_addr& peer);
  /// Reads the clock, calls flow(turn, arguments…) and applies the effects.
  template <class Flow, class... Arguments>
  void handle(Flow flow, const Arguments&... arguments);

  // -- messages, monitors, timer (yarn_allocator_effects.cpp) -------------------------------------
  void connect_peers();
  void apply_effects();
  /// Applies the effects, then checks the tables if tools_.checks_invariants.
  void end_message();
  void apply(SendToDriver& effect);
  void apply(SendAllocateRequest& effect);
  void apply(const ArmReporterTick& effect);
  void apply(const CancelReporterTick& effect);
  void apply(const OpenNodeConnection& effect);
  void apply(SendToNodeManager& effect);
  void apply(const ConnectMaster& effect);
  void apply(const RegisterMasterAgain& effect);
  void apply(const LeaveApplication& effect);

  // -- state ---------------------------------------------------------------------------------------
  YarnAllocatorActor::pointer self_;
  runtime::ActorTools tools_;
  AllocatorState state_;
  AllocatorEffects effects_;
  DriverActor driver_;  // empty while not connected
  ApplicationMasterServiceActor resource_manager_;
  ApplicationMasterActor master_;
  std::map<std::string, ContainerManagementActor> nodes_;  // connected NodeManagers, by address
  runtime::Timer reporter_tick_;  // armed after each answer and request, cancelled when the application ends
};

}  // namespace heddle::actors
