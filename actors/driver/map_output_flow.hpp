// Which executors get the places of which map outputs, and what the loss of a node or of an executor that served them
// changes.
#pragma once

#include <optional>

#include "actors/driver/driver_state.hpp"

namespace heddle::actors {

void remove_node(Turn& turn, const RemoveNode& message);
void apply(Turn& turn, const ReplaceOutputServer& step);
/// Where readers get the map outputs that this executor wrote; none if nobody serves them.
[[nodiscard]] std::optional<MapOutputLocation> location_of_outputs(const DriverState& state, ExecutorId writer);
/// Sends the executor what it lacks of the shuffle's table.
void send_map_outputs(Turn& turn, ExecutorId executor, Epoch epoch, const ShuffleInput& shuffle);

}  // namespace heddle::actors
