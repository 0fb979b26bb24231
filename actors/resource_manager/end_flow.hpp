// Containers that have ended.
#pragma once

#include <span>

#include "actors/resource_manager/cluster_state.hpp"

namespace heddle::actors {

void take_container_end(ClusterTurn& turn, const ContainerExited& message);
/// Applies the ends that were collected. Whatever could meet a container whose end is not applied yet calls this first.
void apply_ends(ClusterTurn& turn);
/// In this order, each of a container that stands in the table of nodes.
void end_containers(ClusterTurn& turn, std::span<const ContainerEnd> ends);

}  // namespace heddle::actors
