// Registration and heartbeats.
//
//   connecting --connected--> registering --NodeRegistered--> registered
//       ^                      |    ^-----RegisterNodeAgain-----+
//       |                      +--NodeRefused--> ended          |
//       +----------------- connection broke --------------------+
#pragma once

#include "actors/node_manager/host_state.hpp"

namespace heddle::actors {

// -- messages, timers, ends of peers ----------------------------------------------------------------
void find_resource_manager(HostTurn& turn);
void resource_manager_connected(HostTurn& turn);
void resource_manager_unreachable(HostTurn& turn);
void lose_resource_manager(HostTurn& turn);
/// The node is registered; heartbeats begin.
void begin_epoch(HostTurn& turn, const NodeRegistered& message);
void leave_refused(HostTurn& turn, const NodeRefused& message);
void register_again(HostTurn& turn, const RegisterNodeAgain& message);
void begin_decommission(HostTurn& turn);
void run_heartbeat(HostTurn& turn);

// -- for the other flow -----------------------------------------------------------------------------
void send_heartbeat(HostTurn& turn);

}  // namespace heddle::actors
