// Runs one command of a task: writes records to its stdin, reads its stdout, and reads reporter lines and the last
// bytes of its stderr. The command gets its own session. When it has ended, the runner kills all processes that it
// started. One runner serves one task slot, one command at a time, and reuses the pipes.
//
//   source --(stdin, 1 MiB pipe)--> command --(stdout, 1 MiB pipe)--> on_output
//                                     '------(stderr)--> last bytes, counters, status
//
// A command has ended when its process has ended and its process group is empty. If the group neither ends nor writes
// for output_wait_ms, the runner kills it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/result.hpp"

namespace heddle::work {

struct CommandRunnerSettings {
  std::int64_t standard_error_bytes_max = 64 << 10;  // last bytes of stderr to keep
  std::int64_t pipe_bytes = 1 << 20;
  std::int64_t output_wait_ms = 500;  // after the command has ended: kill its remaining processes after this silence
};

/// Called with "group\tname" and the amount of a reporter:counter line, on the thread that runs the command.
using OnCounter = std::function<void(std::string_view name, std::int64_t amount)>;

/// Which lines of stderr are reporter lines.
struct ReporterRules {
  std::string prefix = "reporter:";
  std::size_t counters_max = 1000;  // lines with further counter names are normal text
  // In UTF-16 units; a longer name is cut to one less, as by Hadoop's Limits.
  std::size_t group_name_max = std::string::npos;
  std::size_t counter_name_max = std::string::npos;
};

struct Command {
  std::vector<std::string> arguments;  // never empty
  // added to the environment of this process, replaces equal names
  std::vector<std::pair<std::string, std::string>> environment;
  std::string working_directory;                 // first folder to search for arguments[0]; empty: that of this process
  std::string mark;                              // value of the variable process_mark_name, see make_process_mark
  const std::atomic<bool>* is_killed = nullptr;  // checked after the start: catches a kill() just before it
  std::string_view input_begin;                  // written to stdin before the data of the source
  std::function<void()> on_sign;                 // called after reads of stdout or stderr, on the calling thread
  std::function<void(std::string_view)> on_status;  // called with the last reporter:status text after reads of stderr
  OnCounter on_counter;
  int input_ready = -1;  // poll descriptor: readable if the source does not block. -1: the source never blocks
  ReporterRules reporter{};
  bool pass_through = false;  // the command uses the three descriptors below directly
  int standard_input = -1;    // -1: inherited
  int standard_output = -1;
  int standard_error = -1;
};

/// Exit status and output of a command.
struct CommandResult {
  bool started = true;         // false: `text` has the reason; exit_code is 127 (not found) or 126 (not executable)
  std::int32_t exit_code = 0;  // 128 + n for signal n
  std::int32_t signal = 0;
  bool closed_stdin = false;         // the command closed stdin before all input was written
  std::int64_t records_offered = 0;  // lines written to stdin
  bool was_killed = false;           // by kill()
  std::string text;
  std::string standard_error;                                  // last standard_error_bytes_max bytes
  std::string status;                                          // text of the last reporter:status line
  std::vector<std::pair<std::string, std::int64_t>> counters;  // key "group\tname", value: the sum
};

/// Returns the next chunk of input; empty at the end of the input. The view is valid until the next call. While the
/// source blocks, the runner neither reads output nor sees the exit; use `input_ready` to avoid this.
using CommandSource = std::function<Result<std::string_view>()>;
/// Receives a chunk of output. If it returns an error, the runner kills the command.
using CommandOutput = std::function<Result<Done>(std::string_view)>;

class CommandRunner {
public:
  explicit CommandRunner(CommandRunnerSettings settings);
  ~CommandRunner();
  CommandRunner(const CommandRunner&) = delete;
  CommandRunner& operator=(const CommandRunner&) = delete;

  /// Runs the command on the calling thread and waits for its end. Without a source, stdin is /dev/null. Returns an
  /// Error only for a failure of the source or of the output; all failures of the command are in CommandResult.
  [[nodiscard]] Result<CommandResult> run(const Command& command, const CommandSource& source,
                                          const CommandOutput& output);

  /// Sends SIGTERM to the running command, and SIGKILL after `grace_ms`. Can be called from any thread.
  void kill(std::int64_t grace_ms = 0);

private:
  class Pump;
  std::unique_ptr<Pump> pump_;
};

/// Parses reporter:counter:GROUP,NAME,AMOUNT and reporter:status:TEXT lines of stderr as Hadoop Streaming does, and
/// keeps the last bytes of all other lines. Blanks at both ends of the fields together are cut, and names may be empty.
/// Counters overflow as a Java long does.
class StandardErrorReader {
public:
  explicit StandardErrorReader(std::int64_t bytes_max, ReporterRules rules = {});
  /// Sets the rules for the next lines. `on_counter`: called for each counter line; may be empty.
  void begin(const ReporterRules& rules, OnCounter on_counter = {}) {
    rules_ = rules;
    on_counter_ = std::move(on_counter);
  }
  void add(std::string_view bytes);
  /// Text of the last reporter:status line.
  [[nodiscard]] const std::string& status() const { return status_; }
  /// Moves counters, status and kept bytes into `end`.
  void finish(CommandResult& end);

private:
  void handle_line(std::string_view line);
  /// Returns false if the line is not a reporter line.
  [[nodiscard]] bool parse_report(std::string_view line);
  [[nodiscard]] bool parse_counter(std::string_view fields);

  /// Returns false if the counter is one too many.
  [[nodiscard]] bool add_counter(const std::string& name, std::int64_t amount);

  ReporterRules rules_;
  OnCounter on_counter_;
  std::size_t bytes_max_;
  std::string line_;  // unfinished
  std::string kept_;  // at most twice bytes_max
  bool is_cut_ = false;
  bool is_line_cut_ = false;
  std::string status_;
  std::vector<std::pair<std::string, std::int64_t>> counters_;
  std::map<std::string, std::size_t, std::less<>> counter_indices_;  // in counters_
};

}  // namespace heddle::work
