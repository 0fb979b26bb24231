// Starts and ends processes of other roles. The real one forks and execs; the virtual one spawns.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/launch_spec.hpp"
#include "model/result.hpp"

namespace heddle::ports {

/// How a role's process is started.
struct LaunchContext {
  std::vector<std::string> arguments;                            // arguments[0] is the program
  std::optional<LaunchSpec> spec = {};                           // of a role: decides the further arguments
  std::vector<std::pair<std::string, std::string>> environment;  // added to our own
  std::string working_directory;                                 // empty: ours
  std::string standard_output;                                   // file; empty: inherited
  std::string standard_error;
  std::int64_t log_bytes_max = 16 << 20;  // each log is cut off here, with a line that says so
  bool leash = true;                      // the child gets the read end of a pipe as descriptor 3
};

/// How a process ended. exit_code is 128 + n for signal n, and -1 where the exit status is lost: something else in this
/// program has reaped the process.
struct ProcessEnd {
  std::int32_t exit_code = 0;
  std::int32_t signal = 0;
};

/// Memory that a process holds with all that it started.
struct ProcessMemory {
  std::int64_t process = 0;  // its number
  std::int64_t resident_bytes = 0;
};

class ProcessLauncher {
public:
  using ProcessNumber = std::int64_t;                            // ours, given in order; never a pid
  using OnEnd = std::function<void(ProcessNumber, ProcessEnd)>;  // called on the launcher's thread
  using OnMeasured = std::function<void(std::vector<ProcessMemory>)>;

  virtual ~ProcessLauncher() = default;
  virtual Result<ProcessNumber> start(const LaunchContext& context, OnEnd on_end) = 0;
  /// Sends SIGTERM, and after `grace_ms` SIGKILL, to the whole group and to all descendants, also those that called
  /// setsid.
  virtual void stop(ProcessNumber process, std::int64_t grace_ms) = 0;
  /// Measures their memory on a thread of the launcher, which may take long: the system may hold the walk through all
  /// processes up. `on_measured` is called there, once; what has ended, or cannot be measured, is missing.
  virtual void measure(std::vector<ProcessNumber> processes, OnMeasured on_measured) = 0;
  /// Kills everything that was started and returns when it is gone.
  virtual void stop_all() = 0;
};

}  // namespace heddle::ports
