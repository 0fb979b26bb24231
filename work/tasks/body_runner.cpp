#include "work/tasks/body_runner.hpp"

#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "model/java_number.hpp"
#include "work/commands/process_tree.hpp"
#include "work/terminal/terminal_link.hpp"

namespace heddle::work {
namespace {

BodyResult input_failure(const Error& error) {
  BodyResult end;
  end.failure = failure_of(error, FailureKind::input);
  end.is_input_side = true;
  end.text = error.text;
  return end;
}

BodyResult output_failure(const Error& error) {
  BodyResult end;
  end.failure = failure_of(error, FailureKind::output);
  end.is_output_side = true;
  end.text = error.text;
  return end;
}

BodyResult run_identity(const BodyContext& body_context, TaskInput& input, TaskOutput& output) {
  RecordBatch batch;
  while (!body_context.is_killed->load(std::memory_order_relaxed)) {
    auto more = input.next(batch);
    if (!more) return input_failure(more.error());
    if (!*more) break;
    for (const auto& record : batch) {
      if (auto added = output.add_record(record, input); !added) return output_failure(added.error());
    }
  }
  if (auto finished = output.finish(); !finished) return output_failure(finished.error());
  return {};
}

/// The input of a function of a MapReduce job. Before each batch it reports what the function has counted.
class CountedInput final : public TaskInput {
public:
  CountedInput(TaskInput& input, LiveProgress& progress) : input_{input}, progress_{progress} {}
  /// The counters must outlive all reads.
  void watch(const TaskContext::Counters& counters) { counters_ = &counters; }
  [[nodiscard]] Result<bool> next(RecordBatch& batch) override {
    for (const auto& [name, sum] : *counters_) {
      auto& reported = reported_[name];
      if (sum != reported)
        progress_.add_counter(name,
                              java::wrap_add(sum, java::wrap_mul(std::int64_t{-1}, std::exchange(reported, sum))));
    }
    return input_.next(batch);
  }
  [[nodiscard]] Result<bool> next_text(std::string_view& text) override { return input_.next_text(text); }
  [[nodiscard]] int ready_descriptor() const override { return input_.ready_descriptor(); }
  [[nodiscard]] std::string_view line_separator() const override { return input_.line_separator(); }
  [[nodiscard]] std::string_view kept_separator() const override { return input_.kept_separator(); }

private:
  TaskInput& input_;
  LiveProgress& progress_;
  const TaskContext::Counters* counters_ = nullptr;
  TaskContext::Counters reported_;
};

BodyResult run_function(TaskFunction function, std::string_view argument, const BodyContext& body_context,
                        TaskInput& input, TaskOutput& output) {
  std::optional<CountedInput> counted;
  if (body_context.progress != nullptr && body_context.progress->keeps_counters())
    counted.emplace(input, *body_context.progress);
  TaskContext context{body_context.identity, counted ? static_cast<TaskInput&>(*counted) : input, output,
                      *body_context.is_killed, argument};
  if (counted) counted->watch(context.counters());
  BodyResult end;
  try {
    function(context);
    if (auto finished = output.finish(); !finished) end = output_failure(finished.error());
  } catch (const TaskError& error) {
    end = error.side() == TaskError::Side::input ? input_failure(error.error()) : output_failure(error.error());
  } catch (const std::exception& error) {
    end.failure = FailureKind::exception;
    end.text = error.what();
  } catch (...) {
    end.failure = FailureKind::exception;
    end.text = "an exception that is not a std::exception";
  }
  end.counters.assign(context.counters().begin(), context.counters().end());
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
void set_failure(const CommandBody& body, const CommandResult& ended, BodyResult& end) {
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
  } else if (ended.closed_stdin && ended.records_offered < body.unread_input_fails_below) {
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

Command command_of(const CommandBody& body, const BodyContext& body_context) {
  Command command;
  command.arguments = body.arguments;
  command.environment = body_context.environment;
  command.environment.insert(command.environment.end(), body.environment.begin(), body.environment.end());
  // Commands of one attempt run in parallel: a mark of its own allows to kill the descendants of only one of them.
  command.mark = make_process_mark_below(body_context.mark);
  command.environment.emplace_back(process_mark_name, command.mark);
  command.working_directory = body_context.working_directory;
  command.is_killed = body_context.is_killed;
  command.pass_through = body_context.pass_through;
  command.reporter = body_context.reporter;
  if (auto* progress = body_context.progress) {
    command.on_sign = [progress] { progress->add_sign(); };
    command.on_status = [progress](std::string_view status) { progress->set_status(status); };
    command.on_counter = [progress](std::string_view name, std::int64_t amount) {
      progress->add_counter(name, amount);
    };
  }
  return command;
}

BodyResult run_command(const CommandBody& body, const BodyContext& body_context, CommandRunner& runner,
                       TaskInput& input, TaskOutput& output) {
  Command command = command_of(body, body_context);
  std::unique_ptr<TerminalLink> terminal;
  if (!body_context.terminal.empty()) {
    auto link = TerminalLink::open(body_context.terminal, body_context.mark, body_context.is_killed);
    if (!link) return input_failure(link.error());
    terminal = std::move(*link);
    command.standard_input = terminal->input();
    command.standard_output = terminal->output();
    command.standard_error = terminal->error();
  }
  CommandInput pieces{input};
  CommandSource source;
  if (body_context.has_input) {
    source = [&pieces] { return pieces.next(); };
    command.input_ready = input.ready_descriptor();
    // Reads the first chunk before the start, to know whether there is input. A command that reads from another command
    // starts at once, as in a shell.
    if (body_context.drops_output_without_input || command.input_ready < 0) {
      const auto first = pieces.next();
      if (!first) return input_failure(first.error());
      command.input_begin = *first;
    }
  }
  const bool drops_output = body_context.drops_output_without_input && command.input_begin.empty();
  auto ended = runner.run(command, source, [&](std::string_view bytes) {
    return drops_output ? Result<Done>{Done{}} : output.add_text(bytes);
  });
  if (terminal) terminal->finish();
  if (!ended) return pieces.has_failed() ? input_failure(ended.error()) : output_failure(ended.error());
  BodyResult end;
  set_failure(body, *ended, end);
  end.standard_error = std::move(ended->standard_error);
  end.counters = std::move(ended->counters);
  if (end.failure != FailureKind::none) return end;
  if (auto finished = output.finish(); !finished) {
    auto broken = output_failure(finished.error());
    broken.standard_error = std::move(end.standard_error);
    return broken;
  }
  return end;
}

}  // namespace

BodyResult run_body(const TaskBody& body, TaskFunction function, const BodyContext& body_context, CommandRunner* runner,
                    TaskInput& input, TaskOutput& output) {
  if (const auto* command = std::get_if<CommandBody>(&body))
    return run_command(*command, body_context, *runner, input, output);
  if (function != nullptr) {
    const auto* called = std::get_if<FunctionBody>(&body);
    return run_function(function, called != nullptr ? std::string_view{called->argument} : std::string_view{},
                        body_context, input, output);
  }
  return run_identity(body_context, input, output);
}

}  // namespace heddle::work
