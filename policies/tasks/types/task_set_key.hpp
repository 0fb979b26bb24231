// Keys of task sets and of launched attempts.
#pragma once

#include <compare>
#include <cstdint>

#include "model/ids.hpp"

namespace heddle::policies {

/// One launched attempt, numbered from 0 in launch order over the life of the scheduler.
using LaunchId = StrongId<struct LaunchIdTag>;

/// One attempt of a stage. Written "stage.attempt"; its name in a pool is "TaskSet_stage.attempt".
struct TaskSetKey {
  StageId stage;
  std::int32_t attempt = 0;
  constexpr TaskSetKey() = default;
  constexpr TaskSetKey(StageId of_stage, std::int32_t number) : stage{of_stage}, attempt{number} {}
  auto operator<=>(const TaskSetKey&) const = default;
};

/// The fields of a key in an effect.
void visit_set(auto& visit, auto& set) {
  visit("stage", set.stage);
  visit("stage_attempt", set.attempt);
}

enum class TaskSetKind : std::uint8_t { map, result };

}  // namespace heddle::policies
