#include "actors/node_manager/registration_flow.hpp"

#include <utility>

#include "actors/node_manager/memory_flow.hpp"
#include "actors/node_manager/process_flow.hpp"

namespace heddle::actors {
namespace {

void send_registration(HostTurn& turn) {
  auto& state = turn.state;
  state.is_registering = true;
  turn.effects.push_back(
      SendToResourceManager{RegisterNode{state.start.host, state.start.rack, state.start.address, state.start.capacity,
                                         state.start.build_id, state.is_decommissioning}});
}

}  // namespace

// -- the ResourceManager -----------------------------------------------------------------------------

void find_resource_manager(HostTurn& turn) { turn.effects.push_back(FindResourceManager{}); }

void resource_manager_connected(HostTurn& turn) {
  turn.state.is_connected = true;
  send_registration(turn);
}

void resource_manager_unreachable(HostTurn& turn) {
  turn.write_event("resource_manager_unreachable");
  stop_all_containers(turn, "the ResourceManager cannot be reached");
  turn.effects.push_back(LeaveHost{});
}

void lose_resource_manager(HostTurn& turn) {
  turn.write_event("resource_manager_lost");
  turn.state.is_connected = false;
  turn.effects.push_back(CancelHeartbeat{});
  find_resource_manager(turn);
}

void register_again(HostTurn& turn, const RegisterNodeAgain& message) {
  const auto& state = turn.state;
  if (message.epoch != state.epoch || state.is_registering || !state.is_connected)
    return turn.write_event("stale_register_node_again");
  turn.write_event("node_given_up");
  turn.effects.push_back(CancelHeartbeat{});
  send_registration(turn);
}

void leave_refused(HostTurn& turn, const NodeRefused& message) {
  turn.state.is_registering = false;
  turn.write_event("node_refused", ports::EventFields{}.add("reason", message.reason));
  stop_all_containers(turn, "the ResourceManager refuses this node: " + message.reason);
  turn.effects.push_back(LeaveHost{});
}

void begin_epoch(HostTurn& turn, const NodeRegistered& message) {
  auto& state = turn.state;
  state.is_registering = false;
  stop_all_containers(turn, "the node registered again");
  state.containers.forget_refused();
  state.node = message.node;
  state.epoch = message.epoch;
  plan_memory_check(turn);
  turn.write_event("node_registered", ports::EventFields{}.add("node", state.node));
  send_heartbeat(turn);
  turn.effects.push_back(ArmHeartbeat{});
}

void begin_decommission(HostTurn& turn) {
  if (std::exchange(turn.state.is_decommissioning, true)) return;
  turn.write_event("decommission_begun");
  if (!turn.state.epoch.is_none()) send_heartbeat(turn);
}

// -- heartbeats --------------------------------------------------------------------------------------

void run_heartbeat(HostTurn& turn) {
  check_memory_if_due(turn);
  send_heartbeat(turn);
  turn.effects.push_back(ArmHeartbeat{});
}

void send_heartbeat(HostTurn& turn) {
  const auto& state = turn.state;
  turn.effects.push_back(
      SendToResourceManager{NodeHeartbeat{state.node, state.epoch, state.containers.ids(), state.is_decommissioning}});
}

}  // namespace heddle::actors
