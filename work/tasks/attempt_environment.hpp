// Environment variables of a task's commands: those of heddle (HEDDLE_*), and those of Hadoop Streaming.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "work/tasks/task_attempt.hpp"

namespace heddle::work {

/// Returns the variables. `mark`: see make_process_mark.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> environment_of(const TaskAttempt& attempt,
                                                                              const std::string& mark);

}  // namespace heddle::work
