#include "work/tasks/body_runner.hpp"

#include <exception>
#include <memory>
#include <utility>

#include "work/commands/process_tree.hpp"
#include "work/terminal/terminal_link.hpp"

namespace heddle::work {
namespace {

BodyEnd end_of_input(const Error& error) {
  BodyEnd end;
  end.failure = FailureKind::input;
  end.is_input_side = true;
  end.text = error.text;
  return end;
}

BodyEnd end_of_output(const Error& error) {
  BodyEnd end;
  end.failure = FailureKind::output;
  end.is_output_side = true;
  end.text = error.text;
  return end;
}

BodyEnd run_identity(const BodySurroundings& surroundings, TaskInput& input, TaskOutput& output) {
  RecordBatch batch;
  while (!surroundings.is_killed->load(std::memory_order_relaxed)) {
    auto more = input.next(batch);
    if (!more) return end_of_input(more.error());
    if (!*more) break;
    for (const auto& record : batch) {
      if (auto added = output.add_record(record, input); !added) return end_of_output(added.error());
    }
  }
  if (auto finished = output.finish(); !finished) return end_of_output(finished.error());
  return {};
}

BodyEnd run_function(TaskFunction function, std::string_view argument, const BodySurroundings& surroundings,
                     TaskInput& input, TaskOutput& output) {
  TaskContext context{surroundings.identity, input, output, *surroundings.is_killed, argument};
  BodyEnd end;
  try {
    function(context);
    if (auto finished = output.finish(); !finished) end = end_of_output(finished.error());
  } catch (const TaskError& error) {
    end = error.side() == TaskError::Side::input ? end_of_input(error.error()) : end_of_output(error.error());
  } catch (const std::exception& error) {
    end.failure = FailureKind::exception;
    end.text = error.what();
  } catch (...) {
    end.failure = FailureKind::exception;
    end.text = "an exception that is not a std::exception";
  }
  end.counters = context.take_counters();
  return end;
}

/// The last non-empty lines, joined: programs often print the error first and a usage text after it.
std::string last_lines(std::string_view text) {
  constexpr int lines_max = 5;
  constexpr std::size_t line_max = 300;
  std::string joined;
  for (int lines = 0; lines < lines_max;) {
    const auto end = text.find_last_not_of('\n');
    if (end == std::string_view::npos) break;
    const auto before = text.rfind('\n', end);
    const auto from = before == std::string_view::npos ? 0 : before + 1;
    const auto line = text.substr(from, end + 1 - from).substr(0, line_max);
    text = text.substr(0, from);
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    joined = joined.empty() ? std::string{line} : std::string{line} + " | " + joined;
    ++lines;
  }
  return joined;
}

/// Fills `end` if the command failed.
void judge(const CommandBody& body, const CommandEnd& ended, BodyEnd& end) {
  const std::string& name = body.arguments.front();
  end.exit_code = ended.exit_code;
  if (!ended.started) {
    end.failure = ended.exit_code == 127 ? FailureKind::command_not_found : FailureKind::command_exit;
    end.text = ended.text;
    return;
  }
  if (ended.exit_code != 0 && body.exit_code_fails) {
    end.failure = ended.signal != 0 ? FailureKind::command_signal : FailureKind::command_exit;
    end.text = ended.signal != 0 ? name + " was killed by signal " + std::to_string(ended.signal)
                                 : name + " exited with code " + std::to_string(ended.exit_code);
    if (const auto lines = last_lines(ended.standard_error); !lines.empty()) end.text += ": " + lines;
  } else if (ended.left_input && ended.records_offered < body.unread_input_fails_below) {
    end.failure = FailureKind::command_exit;
    end.text = name + " closed its stdin before it had read all input";
  }
}

/// Input of a command as chunks of text.
class CommandInput {
public:
  explicit CommandInput(TaskInput& input) : input_{input} {}
  /// Returns an empty view at the end.
  Result<std::string_view> next() {
    std::string_view text;
    if (is_at_end_) return text;
    auto more = input_.next_text(text);
    has_failed_ = !more.has_value();
    if (!more) return more.error();
    is_at_end_ = !*more;
    return is_at_end_ ? std::string_view{} : text;
  }
  [[nodiscard]] bool has_failed() const { return has_failed_; }

private:
  TaskInput& input_;
  bool is_at_end_ = false;
  bool has_failed_ = false;
};

Command command_of(const CommandBody& body, const BodySurroundings& surroundings) {
  Command command;
  command.arguments = body.arguments;
  command.environment = surroundings.environment;
  command.environment.insert(command.environment.end(), body.environment.begin(), body.environment.end());
  // Commands of one attempt run in parallel: a mark of its own allows to kill the descendants of only one of them.
  command.mark = make_process_mark_below(surroundings.mark);
  command.environment.emplace_back(process_mark_name, command.mark);
  command.working_directory = surroundings.working_directory;
  command.is_killed = surroundings.is_killed;
  command.pass_through = surroundings.pass_through;
  return command;
}

BodyEnd run_command(const CommandBody& body, const BodySurroundings& surroundings, CommandRunner& runner,
                    TaskInput& input, TaskOutput& output) {
  Command command = command_of(body, surroundings);
  std::unique_ptr<TerminalLink> terminal;
  if (!surroundings.terminal.empty()) {
    auto link = TerminalLink::open(surroundings.terminal, surroundings.mark, surroundings.is_killed);
    if (!link) return end_of_input(link.error());
    terminal = std::move(*link);
    command.standard_input = terminal->input();
    command.standard_output = terminal->output();
    command.standard_error = terminal->error();
  }
  CommandInput pieces{input};
  CommandSource source;
  if (surroundings.has_input) {
    source = [&pieces] { return pieces.next(); };
    command.input_ready = input.ready_descriptor();
    // Reads the first chunk before the start, to know whether there is input. A command that reads from another command
    // starts at once, as in a shell.
    if (surroundings.drops_output_without_input || command.input_ready < 0) {
      const auto first = pieces.next();
      if (!first) return end_of_input(first.error());
      command.input_begin = *first;
    }
  }
  const bool drops_output = surroundings.drops_output_without_input && command.input_begin.empty();
  auto ended = runner.run(command, source, [&](std::string_view bytes) {
    return drops_output ? Result<Done>{Done{}} : output.add_text(bytes);
  });
  if (terminal) terminal->finish();
  if (!ended) return pieces.has_failed() ? end_of_input(ended.error()) : end_of_output(ended.error());
  BodyEnd end;
  judge(body, *ended, end);
  end.standard_error = std::move(ended->standard_error);
  end.counters = std::move(ended->counters);
  if (end.failure != FailureKind::none) return end;
  if (auto finished = output.finish(); !finished) {
    auto broken = end_of_output(finished.error());
    broken.standard_error = std::move(end.standard_error);
    return broken;
  }
  return end;
}

}  // namespace

BodyEnd run_body(const TaskBody& body, TaskFunction function, const BodySurroundings& surroundings,
                 CommandRunner* runner, TaskInput& input, TaskOutput& output) {
  if (const auto* command = std::get_if<CommandBody>(&body))
    return run_command(*command, surroundings, *runner, input, output);
  if (function != nullptr) {
    const auto* called = std::get_if<FunctionBody>(&body);
    return run_function(function, called != nullptr ? std::string_view{called->argument} : std::string_view{},
                        surroundings, input, output);
  }
  return run_identity(surroundings, input, output);
}

}  // namespace heddle::work
