// Checks the memory of the containers of a node against their limits.
#pragma once

#include "actors/node_manager/host_state.hpp"

namespace heddle::actors {

/// The next check is due one interval from now.
void plan_memory_check(HostTurn& turn);
/// Begins a measurement if it is due and the settings want it. Result: handle_memory_measured.
void check_memory_if_due(HostTurn& turn);
/// Stops containers above their limits.
void handle_memory_measured(HostTurn& turn, const MemoryMeasured& message);

}  // namespace heddle::actors
