// Ended containers.
#pragma once

#include "actors/resource_manager/cluster_state.hpp"

namespace heddle::actors {

void handle_container_exited(ClusterTurn& turn, const ContainerExited& message);
/// Applies the end of a container; does nothing if the container is unknown.
void end_container(ClusterTurn& turn, const CompletedContainer& completed);

}  // namespace heddle::actors
