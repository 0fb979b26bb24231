// What a task function sees, and the macro that gives it a name in every process of its program.
#pragma once

#include "work/tasks/function_registry.hpp"
#include "work/tasks/task_context.hpp"

namespace heddle {

/// Input, output, identity and counters of one attempt of one task; see work/tasks/task_context.hpp.
using work::TaskContext;
/// A function that does the work of one task: void count_words(heddle::TaskContext& task).
using work::TaskFunction;

}  // namespace heddle

/// Makes a function known by its name in every process of this program. At namespace scope, in the function's own
/// namespace; two functions of one name are an error when a Session opens.
#define HEDDLE_TASK(function)                                                                                     \
  [[maybe_unused]] static const ::heddle::work::FunctionRegistration heddle_registration_of_##function{#function, \
                                                                                                       function};
