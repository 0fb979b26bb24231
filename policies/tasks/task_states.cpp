#include "policies/tasks/task_states.hpp"

#include <algorithm>

namespace heddle::policies {

std::int32_t TaskStates::count(std::uint8_t& few, Counts& counts, std::int32_t index) {
  if (few == many) return counts[index]++;
  const std::int32_t before = few++;
  if (few == many) counts[index] = many;
  return before;
}

void TaskStates::clear_failures(std::int32_t index) {
  auto& few = (*this)[index].few_failures;
  if (few == many) many_failures_.erase(index);
  few = 0;
}

std::int32_t TaskStates::count_successful() const {
  return static_cast<std::int32_t>(
      std::count_if(states_.begin(), states_.end(), [](const TaskState& state) { return state.is_successful; }));
}

}  // namespace heddle::policies
