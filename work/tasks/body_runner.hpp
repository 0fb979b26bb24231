// Runs one body of a task, a command, a function or the identity, between an input and an output.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/stage_work.hpp"
#include "work/commands/command_runner.hpp"
#include "work/tasks/function_registry.hpp"
#include "work/tasks/task_context.hpp"

namespace heddle::work {

/// How a body ended. `failure` none: it is done, its output whole.
struct BodyEnd {
  FailureKind failure = FailureKind::none;
  bool is_input_side = false;  // failure of the input: whoever opened it knows the kind
  bool is_output_side = false;
  std::int32_t exit_code = 0;
  std::string text;
  std::string standard_error;
  std::vector<std::pair<std::string, std::int64_t>> counters;
};

/// What all bodies of an attempt share.
struct BodySurroundings {
  TaskIdentity identity;
  const std::atomic<bool>* is_killed = nullptr;
  std::vector<std::pair<std::string, std::string>> environment;
  std::string mark;
  std::string working_directory;
  bool has_input = false;  // false: a command's stdin is /dev/null
  bool pass_through = false;
  std::string terminal;                     // of another process, see TerminalLink; empty: ours
  bool drops_output_without_input = false;  // Hadoop Streaming's reducers
};

[[nodiscard]] BodyEnd run_body(const TaskBody& body, TaskFunction function, const BodySurroundings& surroundings,
                               CommandRunner* runner, TaskInput& input, TaskOutput& output);

}  // namespace heddle::work
