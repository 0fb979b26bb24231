// Runs one body of a task (command, function or identity) between an input and an output.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/stage_work.hpp"
#include "work/commands/command_runner.hpp"
#include "work/tasks/function_registry.hpp"
#include "work/tasks/live_progress.hpp"
#include "work/tasks/task_context.hpp"

namespace heddle::work {

/// Result of a body. `failure` none: successful, with complete output.
struct BodyResult {
  FailureKind failure = FailureKind::none;
  bool is_input_side = false;  // the input failed; the caller determines the kind of failure
  bool is_output_side = false;
  std::int32_t exit_code = 0;
  std::string text;
  std::string standard_error;
  std::vector<std::pair<std::string, std::int64_t>> counters;
};

/// Data of an attempt that all its bodies share.
struct BodyContext {
  TaskIdentity identity;
  const std::atomic<bool>* is_killed = nullptr;
  LiveProgress* progress = nullptr;  // null: not measured
  std::vector<std::pair<std::string, std::string>> environment;
  std::string mark;
  std::string working_directory;
  bool has_input = false;  // false: a command's stdin is /dev/null
  bool pass_through = false;
  std::string terminal;  // address of the client's streams, see TerminalLink; empty: streams of this process
  ReporterRules reporter{};
  bool drops_output_without_input = false;  // as reducers of Hadoop Streaming
};

[[nodiscard]] BodyResult run_body(const TaskBody& body, TaskFunction function, const BodyContext& body_context,
                                  CommandRunner* runner, TaskInput& input, TaskOutput& output);

}  // namespace heddle::work
