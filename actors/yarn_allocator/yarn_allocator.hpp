// Gets containers for one application and starts executors in them; reports each lost executor once, with its reason.
// A thin actor over plain parts: it lists its messages, reads the clock once per message, hands the message to a flow,
// and applies the effects in order. Decides through policies/. The Driver's ExecutorSource on a cluster.
// Receives from: Driver, ApplicationMaster, ResourceManager, NodeManager.  Sends to: the same.
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
  // -- messages, ends of peers (yarn_allocator.cpp) -----------------------------------------------
  void on_reporter_tick(const ReporterTick& message);
  void on_driver_found(bool is_found);
  void on_resource_manager_found(bool is_found);
  void on_node_found(const std::string& address, bool is_found);
  void on_peer_down(const caf::actor_addr& peer);
  /// Reads the clock, calls flow(turn, arguments…), and applies the effects.
  template <class Flow, class... Arguments>
  void handle(Flow flow, const Arguments&... arguments);

  // -- messages, monitors, timer (yarn_allocator_effects.cpp) -------------------------------------
  void connect_peers();
  void apply_effects();
  void apply(SendToDriver& effect);
  void apply(SendAllocateRequest& effect);
  void apply(const ArmBeat& effect);
  void apply(const CancelBeat& effect);
  void apply(const OpenNodeConnection& effect);
  void apply(SendToNodeManager& effect);
  void apply(const ConnectMaster& effect);
  void apply(const LeaveApplication& effect);

  // -- state ---------------------------------------------------------------------------------------
  YarnAllocatorActor::pointer self_;
  runtime::ActorTools tools_;
  AllocatorState state_;
  AllocatorEffects effects_;
  DriverActor driver_;  // none until it is connected, and after its connection broke
  ResourceManagerActor resource_manager_;
  ApplicationMasterActor master_;
  std::map<std::string, NodeManagerActor> nodes_;  // connected ones, by address
  runtime::Timer beat_;  // armed after each answer and each request, cancelled at the end of the application
};

/// Ends with its application.
[[nodiscard]] YarnAllocatorActor spawn_yarn_allocator(caf::actor_system& system,
                                                      const config::YarnAllocatorSettings& settings,
                                                      const runtime::ActorTools& tools,
                                                      const YarnAllocatorStart& start);

}  // namespace heddle::actors
