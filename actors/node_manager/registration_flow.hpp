// Registration, heartbeats and memory checks.
//
//   connecting --connected--> registering --RegisteredNode--> registered
//       ^------------------- connection broke --------------------+
#pragma once

#include "actors/node_manager/host_state.hpp"

namespace heddle::actors {

// -- messages, timers, ends of peers ----------------------------------------------------------------
void find_resource_manager(HostTurn& turn);
void resource_manager_connected(HostTurn& turn);
void resource_manager_unreachable(HostTurn& turn);
void lose_resource_manager(HostTurn& turn);
void take_registration(HostTurn& turn, const RegisteredNode& message);
void begin_decommission(HostTurn& turn);
void run_heartbeat(HostTurn& turn);
void take_memory(HostTurn& turn, const MemoryMeasured& message);

// -- for the other flow -----------------------------------------------------------------------------
void send_heartbeat(HostTurn& turn);

}  // namespace heddle::actors
