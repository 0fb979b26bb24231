// Nodes: registration, heartbeats, loss; timers.
#pragma once

#include <string>

#include "actors/resource_manager/cluster_state.hpp"

namespace heddle::actors {

void register_node(ClusterTurn& turn, const RegisterNode& message);
void handle_node_heartbeat(ClusterTurn& turn, const NodeHeartbeat& message);
void lose_node(ClusterTurn& turn, NodeId id, const std::string& text);
void run_cluster_tick(ClusterTurn& turn);
void run_continuous_offers(ClusterTurn& turn);

}  // namespace heddle::actors
