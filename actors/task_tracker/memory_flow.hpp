// Memory of task children: measured while one runs that has a limit, with the rule of policies/containers.
#pragma once

#include "actors/task_tracker/slot_state.hpp"

namespace heddle::actors {

/// A child has started: begins to measure if children have a limit.
void watch_memory(SlotTurn& turn);
void measure_memory_if_due(SlotTurn& turn);
/// The attempt of a child above its limit fails, and the child is killed.
void handle_memory_measured(SlotTurn& turn, const MemoryMeasured& message);

}  // namespace heddle::actors
