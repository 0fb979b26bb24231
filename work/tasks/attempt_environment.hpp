// What a task's commands learn of themselves from their environment: heddle's own names, and those that programs for
// Hadoop Streaming read.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "work/tasks/task_attempt.hpp"

namespace heddle::work {

/// `mark` is what the attempt's processes are found by (make_process_mark).
[[nodiscard]] std::vector<std::pair<std::string, std::string>> environment_of(const TaskAttempt& attempt,
                                                                              const std::string& mark);

}  // namespace heddle::work
