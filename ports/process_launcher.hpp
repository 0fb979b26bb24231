// Starts and stops processes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/container_end.hpp"
#include "model/launch_spec.hpp"
#include "model/result.hpp"

namespace heddle::ports {

/// How to start a process.
struct LaunchContext {
  std::vector<std::string> arguments;                            // arguments[0] is the program
  std::optional<LaunchSpec> spec = {};                           // of a role process; adds its arguments
  std::vector<std::pair<std::string, std::string>> environment;  // added to the environment of this process
  std::string working_directory;                                 // empty: that of this process
  std::string standard_output;                                   // file; empty: inherited
  std::string standard_error;
  std::int64_t log_bytes_max = 16 << 20;  // of each log file; a last line reports the cut
  bool parent_watch =
      true;  // the child gets the read end of a pipe as descriptor 3; see work/commands/parent_watch.hpp
};

/// Resident memory of one process and its descendants.
struct ProcessMemory {
  std::int64_t process = 0;  // ProcessNumber
  std::int64_t resident_bytes = 0;
};

class ProcessLauncher {
public:
  using ProcessNumber = std::int64_t;                            // counts up; not a pid
  using OnEnd = std::function<void(ProcessNumber, ProcessEnd)>;  // called on a thread of the launcher
  using OnMeasured = std::function<void(std::vector<ProcessMemory>)>;

  virtual ~ProcessLauncher() = default;
  virtual Result<ProcessNumber> start(const LaunchContext& context, OnEnd on_end) = 0;
  /// Sends SIGTERM, and SIGKILL after `grace_ms`, to the process group and to all descendants, including those that
  /// called setsid.
  virtual void stop(ProcessNumber process, std::int64_t grace_ms) = 0;
  /// Measures the memory of each process group on a thread of the launcher, since the system may block the walk through
  /// all processes. Calls `on_measured` once, on that thread. Processes that have ended or cannot be measured are
  /// missing.
  virtual void measure(std::vector<ProcessNumber> processes, OnMeasured on_measured) = 0;
  /// Kills all started processes and returns after they have ended.
  virtual void stop_all() = 0;
};

}  // namespace heddle::ports
