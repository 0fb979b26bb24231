// Containers that have ended.
#pragma once

#include <vector>

#include "actors/resource_manager/cluster_state.hpp"

namespace heddle::actors {

void handle_container_exited(ClusterTurn& turn, const ContainerExited& message);
/// Applies the ends that were collected. Whatever could meet a container whose end is not applied yet calls this first.
void apply_ends(ClusterTurn& turn);
/// In this order, without those of containers that the table of nodes does not know.
void end_containers(ClusterTurn& turn, std::vector<CompletedContainer> ends);

}  // namespace heddle::actors
