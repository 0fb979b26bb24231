// Why an application waits, for its client.
#pragma once

#include <string>

#include "actors/resource_manager/cluster_state.hpp"

namespace heddle::actors {

/// Sends the reasons of the waits that have lasted for explained_wait, each once.
void explain_wait(ClusterTurn& turn, Application& application);
/// A Notice to the client of the application, if it is connected.
void notify_client(ClusterTurn& turn, const Application& application, const std::string& text);

}  // namespace heddle::actors
