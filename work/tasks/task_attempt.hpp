// Description of one task attempt for its slot: the stage's program, the functions of its bodies, and the data of the
// attempt.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/stage_work.hpp"
#include "ports/task_runner.hpp"
#include "work/tasks/function_registry.hpp"

namespace heddle::work {

/// Functions of a stage's bodies and of its combiner, looked up once per stage.
struct StageFunctions {
  std::vector<TaskFunction> bodies;  // nullptr: the body is not a function
  TaskFunction combiner = nullptr;
  std::string missing;  // error text for an unknown name; empty: none
};
/// Returns why no executor of this program can run the stage (unknown function); empty: it can.
[[nodiscard]] std::string task_binary_error(const StageProgram& work, const FunctionRegistry& registry);
[[nodiscard]] StageFunctions find_functions(const StageProgram& work, const FunctionRegistry& registry);

struct TaskAttempt {
  const StageProgram* work = nullptr;
  const StageFunctions* functions = nullptr;
  std::int32_t index = 0;
  std::int32_t attempt = 0;
  const TaskSplit* split = nullptr;      // nullptr: none
  const TaskDevices* devices = nullptr;  // nullptr: none
};

}  // namespace heddle::work
