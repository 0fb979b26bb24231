// Runs containers on one host: starts their processes, limits their memory, kills them with all descendants, reports
// their exits. It does not know which role a container runs. A thin actor over plain parts: a handler reads the clock
// once, calls a flow and applies its effects in order.
// Receives from: ResourceManager, allocators, its launcher. Sends to: ResourceManager, allocators.
#pragma once

#include <caf/typed_event_based_actor.hpp>

#include "actors/node_manager/host_start.hpp"
#include "actors/node_manager/host_state.hpp"
#include "messages/handles.hpp"
#include "runtime/actor_tools.hpp"
#include "runtime/timers.hpp"

namespace heddle::actors {

class NodeManager {
public:
  using Handle = NodeManagerActor;
  NodeManager(NodeManagerActor::pointer self, config::NodeManagerSettings settings, runtime::ActorTools tools,
              NodeManagerStart start);
  NodeManagerActor::behavior_type make_behavior();

private:
  // -- messages, timers, lost peers (node_manager.cpp) ----------------------------------------------
  void on_node_manager_tick(const NodeManagerTick& message);
  void on_resource_manager_found(bool is_found);
  void on_peer_down(const caf::actor_addr& peer);
  /// Reads the clock, calls flow(turn, arguments…), applies the effects, and checks the tables if tools_ requires it.
  template <class Flow, class... Arguments>
  void handle(Flow flow, const Arguments&... arguments);
  /// Applies effects until none is left; applying one may push others.
  void apply_effects(HostTurn& turn);

  // -- messages, monitors, processes, timer (node_manager_effects.cpp) ------------------------------
  void apply(HostTurn& turn, const FindResourceManager& effect);
  void apply(HostTurn& turn, SendToResourceManager& effect);
  void apply(HostTurn& turn, AnswerStart& effect);
  void apply(HostTurn& turn, const LaunchProcess& effect);
  void apply(HostTurn& turn, const StopProcess& effect);
  void apply(HostTurn& turn, const MeasureMemory& effect);
  void apply(HostTurn& turn, const ArmHeartbeat& effect);
  void apply(HostTurn& turn, const CancelHeartbeat& effect);
  void apply(HostTurn& turn, const LeaveHost& effect);

  // -- state ---------------------------------------------------------------------------------------
  NodeManagerActor::pointer self_;
  runtime::ActorTools tools_;
  HostState state_;
  HostEffects effects_;
  ResourceManagerActor resource_manager_;  // empty while not connected
  runtime::Timer tick_;                    // heartbeat; runs while the node is registered
};

}  // namespace heddle::actors
