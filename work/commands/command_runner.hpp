// Runs one command: records in on stdin, bytes out of stdout, stderr kept (its end) and read for reporter lines.
// The command has its own session; its end takes everything with it that it started. A runner serves one slot, one
// command at a time, and keeps pipes from command to command.
//
//   source --(stdin, 1 MiB pipe)--> command --(stdout, 1 MiB pipe)--> on_output
//                                     '------(stderr)--> last bytes, counters, status
//
// The command has ended when its process has ended and its group is empty, or silent for output_wait: what is left is
// killed.
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
  std::int64_t standard_error_bytes_max = 64 << 10;  // the end of stderr that is kept
  std::int64_t pipe_bytes = 1 << 20;
  std::int64_t output_wait_ms = 500;  // silence of what a command left behind, before it is killed
  std::string reporter_prefix = "reporter:";
};

struct Command {
  std::vector<std::string> arguments;                            // never empty
  std::vector<std::pair<std::string, std::string>> environment;  // replaces variables of ours with the same name
  std::string working_directory;                                 // looked up first for arguments[0]; empty: ours
  std::string mark;  // process_mark_name of the environment, made by the caller
  const std::atomic<bool>* is_killed =
      nullptr;                   // looked at once the command runs: a kill() that came just before is not lost
  std::string_view input_begin;  // written before the first piece of the source
  int input_ready = -1;          // a descriptor: readable while the source has a piece, or its end. -1: it never waits
  bool pass_through = false;     // stdin, stdout and stderr are those below
  int standard_input = -1;       // -1: ours
  int standard_output = -1;
  int standard_error = -1;
};

/// How a command ended.
struct CommandEnd {
  bool started = true;         // false: `text` says why; exit_code is 127 or 126
  std::int32_t exit_code = 0;  // 128 + n for signal n
  std::int32_t signal = 0;
  bool left_input = false;           // it closed stdin before everything was written
  std::int64_t records_offered = 0;  // lines of stdin written until then
  bool was_killed = false;           // by kill()
  std::string text;
  std::string standard_error;                                  // the end of it
  std::string status;                                          // last reporter:status:
  std::vector<std::pair<std::string, std::int64_t>> counters;  // "group\tname", added up
};

/// The next piece of input; empty at the end. The view lives until the next call. While it waits, the command's output
/// is not read, and its end is not noticed: `input_ready` avoids that.
using CommandSource = std::function<Result<std::string_view>()>;
/// Takes a piece of output. An error ends the command.
using CommandOutput = std::function<Result<Done>(std::string_view)>;

class CommandRunner {
public:
  explicit CommandRunner(CommandRunnerSettings settings);
  ~CommandRunner();
  CommandRunner(const CommandRunner&) = delete;
  CommandRunner& operator=(const CommandRunner&) = delete;

  /// Runs the command to its end on the calling thread. Without a source stdin is /dev/null. An Error is the source's
  /// or the output's own; whatever the command does is a CommandEnd.
  [[nodiscard]] Result<CommandEnd> run(const Command& command, const CommandSource& source,
                                       const CommandOutput& output);

  /// From any thread: ends the command that runs now with SIGTERM, and with SIGKILL after `grace_ms`.
  void kill(std::int64_t grace_ms = 0);

private:
  class Pump;
  std::unique_ptr<Pump> pump_;
};

/// Reads "reporter:counter:group,name,n" and "reporter:status:text" out of stderr and keeps the end of the rest. Sums
/// wrap as Java's do; beyond a thousand names further counters are kept as text.
class StandardErrorReader {
public:
  StandardErrorReader(std::string prefix, std::int64_t bytes_max);
  void add(std::string_view bytes);
  /// Moves what was found into `end`.
  void finish(CommandEnd& end);

private:
  void take_line(std::string_view line);
  /// False where the line says nothing to us and is kept.
  [[nodiscard]] bool take_report(std::string_view line);
  [[nodiscard]] bool take_counter(std::string_view fields);

  std::string prefix_;
  std::size_t bytes_max_;
  std::string line_;  // unfinished
  std::string kept_;  // at most twice bytes_max
  bool is_cut_ = false;
  bool is_line_cut_ = false;
  std::string status_;
  std::vector<std::pair<std::string, std::int64_t>> counters_;
  std::map<std::string, std::size_t, std::less<>> counter_places_;  // in counters_
};

}  // namespace heddle::work
