// What is known of each task of a set: its live attempts, how often it was tried, whether it has succeeded.
// Cost: constant; attempts and failures beyond 254 of a task are counted in a map.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "policies/tasks/types/attempt_table.hpp"

namespace heddle::policies {

struct TaskState {
  AttemptSlot first_live = no_attempt;  // newest live attempt of the task
  std::uint8_t few_attempts = 0;        // made so far
  std::uint8_t few_failures = 0;        // that count, since the last success
  std::int8_t copies = 0;               // Spark's count: not taken back by a success; may fall below 0
  bool is_successful = false;
};
static_assert(sizeof(TaskState) == 8, "there may be ten million of them");

class TaskStates {
public:
  explicit TaskStates(std::int32_t tasks) : states_(static_cast<std::size_t>(tasks)) {}

  [[nodiscard]] std::size_t size() const { return states_.size(); }
  [[nodiscard]] TaskState& operator[](std::int32_t index) { return states_[static_cast<std::size_t>(index)]; }
  [[nodiscard]] const TaskState& operator[](std::int32_t index) const {
    return states_[static_cast<std::size_t>(index)];
  }
  /// It has not succeeded, and no attempt of it runs.
  [[nodiscard]] bool is_waiting(std::int32_t index) const {
    const TaskState& state = (*this)[index];
    return state.copies == 0 && !state.is_successful;
  }
  [[nodiscard]] std::int32_t attempts_of(std::int32_t index) const {
    return counted((*this)[index].few_attempts, many_attempts_, index);
  }
  /// The number of the task's next attempt, which is made now.
  std::int32_t number_attempt(std::int32_t index) { return count((*this)[index].few_attempts, many_attempts_, index); }
  [[nodiscard]] std::int32_t failures_of(std::int32_t index) const {
    return counted((*this)[index].few_failures, many_failures_, index);
  }
  void count_failure(std::int32_t index) { count((*this)[index].few_failures, many_failures_, index); }
  void forget_failures(std::int32_t index);
  /// Counted anew, for check_invariants.
  [[nodiscard]] std::int32_t count_successful() const;

private:
  using Counts = std::map<std::int32_t, std::int32_t>;
  static constexpr std::uint8_t many = 255;
  [[nodiscard]] static std::int32_t counted(std::uint8_t few, const Counts& counts, std::int32_t index) {
    return few < many ? few : counts.at(index);
  }
  /// Counts one more; answers how many there were.
  static std::int32_t count(std::uint8_t& few, Counts& counts, std::int32_t index);

  std::vector<TaskState> states_;
  Counts many_attempts_;  // of the rare tasks that have at least `many`
  Counts many_failures_;
};

}  // namespace heddle::policies
