// One attempt of one task as its slot is told of it: the stage's work, the functions of its bodies, and what is this
// attempt's own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/stage_work.hpp"
#include "ports/task_runner.hpp"
#include "work/tasks/function_registry.hpp"

namespace heddle::work {

/// Functions of a stage's bodies and of its combiner, found once.
struct StageFunctions {
  std::vector<TaskFunction> bodies;  // nullptr: not a function
  TaskFunction combiner = nullptr;
  std::string missing;  // sentence, if a name is unknown
};
/// Why no executor of this program could do the work: a function that it does not have; empty: none.
[[nodiscard]] std::string task_binary_error(const StageProgram& work, const FunctionRegistry& registry);
[[nodiscard]] StageFunctions find_functions(const StageProgram& work, const FunctionRegistry& registry);

struct TaskAttempt {
  const StageProgram* work = nullptr;
  const StageFunctions* functions = nullptr;
  std::int32_t index = 0;
  std::int32_t attempt = 0;
  const TaskSplit* split = nullptr;      // nullptr: none
  const TaskDevices* devices = nullptr;  // the same
};

}  // namespace heddle::work
