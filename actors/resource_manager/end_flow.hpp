// Ended containers: collected, then applied in one call of the scheduler.
#pragma once

#include <vector>

#include "actors/resource_manager/cluster_state.hpp"

namespace heddle::actors {

void handle_container_exited(ClusterTurn& turn, const ContainerExited& message);
/// Applies the collected ends. Call it before code that could meet a container whose end is not applied yet.
void apply_ends(ClusterTurn& turn);
/// Applies these ends in this order; unknown containers are skipped.
void end_containers(ClusterTurn& turn, std::vector<CompletedContainer> ends);

}  // namespace heddle::actors
