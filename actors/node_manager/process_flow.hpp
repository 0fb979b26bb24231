// Start, stop and end of the containers of a node.
#pragma once

#include <string>

#include "actors/node_manager/host_state.hpp"

namespace heddle::actors {

// -- messages, processes ------------------------------------------------------------------------------
void start_container(HostTurn& turn, const StartContainer& message);
/// Result of LaunchProcess: the id of the process, or the reason why it did not start.
void handle_launched(HostTurn& turn, const LaunchProcess& launch, const Result<std::int64_t>& process);
void stop_container(HostTurn& turn, const StopContainer& message);
void handle_process_ended(HostTurn& turn, const ProcessEnded& message);
void forget_application(HostTurn& turn, const ForgetApplication& message);

// -- for the other flow -----------------------------------------------------------------------------
void stop_container(HostTurn& turn, Container& container, std::int32_t exit_status, const std::string& reason);
void stop_all_containers(HostTurn& turn, const std::string& reason);

}  // namespace heddle::actors
