// Handles AllocateResponse: granted containers get executors, and each ended container sends one RemoveExecutor.
#pragma once

#include <string>

#include "actors/yarn_allocator/allocator_state.hpp"
#include "messages/yarn_allocator.hpp"

namespace heddle::actors {

// -- messages, ends of peers ------------------------------------------------------------------
void handle_allocate_response(AllocatorTurn& turn, const AllocateResponse& message);
void handle_container_started(AllocatorTurn& turn, const ContainerStarted& message);
void handle_container_not_started(AllocatorTurn& turn, const ContainerNotStarted& message);
/// The NodeManager at this address is connected: starts the containers that waited for it.
void node_connected(AllocatorTurn& turn, const std::string& address);
void node_unreachable(AllocatorTurn& turn, const std::string& address);
/// The connection to the NodeManager broke: the ResourceManager stops the containers that were to be stopped there.
void node_disconnected(AllocatorTurn& turn, const std::string& address);

// -- for the other flow -------------------------------------------------------------------------
void apply_decisions(AllocatorTurn& turn, const policies::ContainerEffects& effects);
void mark_started(AllocatorTurn& turn, Grant& grant);
/// Stops containers whose executor has not registered in time; they count as failed starts.
void stop_slow_starts(AllocatorTurn& turn);

}  // namespace heddle::actors
