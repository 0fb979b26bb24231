// Tells a client why its application waits.
#pragma once

#include <string>

#include "actors/resource_manager/cluster_state.hpp"

namespace heddle::actors {

/// Sends a Notice for each wait that has lasted for explained_wait, once per wait.
void explain_wait(ClusterTurn& turn, Application& application);
/// Sends a Notice to the client of the application, if it is connected.
void notify_client(ClusterTurn& turn, const Application& application, const std::string& text);

}  // namespace heddle::actors
