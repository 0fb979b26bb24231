// State of each task of a set: live attempts, number of attempts and failures, success. Cost: constant. Numbers above
// 254 are counted in a map.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "policies/tasks/types/attempt_table.hpp"

namespace heddle::policies {

struct TaskState {
  AttemptSlot first_live = no_attempt;  // newest live attempt of the task
  std::uint8_t few_attempts = 0;        // so far
  std::uint8_t few_failures = 0;        // that count, since the last success
  std::int8_t copies = 0;  // running attempts as Spark counts them: a success does not decrease it; may fall below 0
  bool is_successful = false;
};
static_assert(sizeof(TaskState) == 8, "a set may have ten million tasks");

class TaskStates {
public:
  explicit TaskStates(std::int32_t tasks) : states_(static_cast<std::size_t>(tasks)) {}

  [[nodiscard]] std::size_t size() const { return states_.size(); }
  [[nodiscard]] TaskState& operator[](std::int32_t index) { return states_[static_cast<std::size_t>(index)]; }
  [[nodiscard]] const TaskState& operator[](std::int32_t index) const {
    return states_[static_cast<std::size_t>(index)];
  }
  /// True if the task has not succeeded and no attempt of it runs.
  [[nodiscard]] bool is_waiting(std::int32_t index) const {
    const TaskState& state = (*this)[index];
    return state.copies == 0 && !state.is_successful;
  }
  [[nodiscard]] std::int32_t attempts_of(std::int32_t index) const {
    return counted((*this)[index].few_attempts, many_attempts_, index);
  }
  /// Counts the next attempt of the task and returns its number.
  std::int32_t number_attempt(std::int32_t index) { return count((*this)[index].few_attempts, many_attempts_, index); }
  [[nodiscard]] std::int32_t failures_of(std::int32_t index) const {
    return counted((*this)[index].few_failures, many_failures_, index);
  }
  void count_failure(std::int32_t index) { count((*this)[index].few_failures, many_failures_, index); }
  void clear_failures(std::int32_t index);
  /// Recounts, for check_invariants.
  [[nodiscard]] std::int32_t count_successful() const;

private:
  using Counts = std::map<std::int32_t, std::int32_t>;
  static constexpr std::uint8_t many = 255;
  [[nodiscard]] static std::int32_t counted(std::uint8_t few, const Counts& counts, std::int32_t index) {
    return few < many ? few : counts.at(index);
  }
  /// Adds one. Returns the previous count.
  static std::int32_t count(std::uint8_t& few, Counts& counts, std::int32_t index);

  std::vector<TaskState> states_;
  Counts many_attempts_;  // of the rare tasks with at least `many`
  Counts many_failures_;
};

}  // namespace heddle::policies
