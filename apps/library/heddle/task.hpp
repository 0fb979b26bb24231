// The API of a task function, and the macro that registers the function under its name.
#pragma once

#include "work/tasks/function_registry.hpp"
#include "work/tasks/task_context.hpp"

namespace heddle {

/// Input, output, task index and counters of one task attempt. Documented in work/tasks/task_context.hpp.
using work::TaskContext;
/// A function that executes one task attempt: void count_words(heddle::TaskContext& task). An exception fails the
/// attempt.
using work::TaskFunction;

}  // namespace heddle

/// Registers a task function under its name in every process of this program. Write it at namespace scope, in the
/// namespace of the function. If two functions have the same name, the Session reports a usage error.
///   void count_words(heddle::TaskContext& task) { … }
///   HEDDLE_TASK(count_words)
#define HEDDLE_TASK(function)                                                                                     \
  [[maybe_unused]] static const ::heddle::work::FunctionRegistration heddle_registration_of_##function{#function, \
                                                                                                       function};
