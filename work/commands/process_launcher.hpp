// Starts role processes in their own sessions, watches them, limits their logs, and kills them with all descendants.
// One thread waits for exits, log data and grace times; another one measures memory; each kill has its own thread. If
// descriptors or memory run out, start() returns an Error.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "ports/process_launcher.hpp"

namespace heddle::work {

/// How a process and what it started are ended. Each may take seconds.
struct TreeActions {
  std::function<void(pid_t root, std::string_view mark)> kill;
  std::function<void(pid_t root, std::string_view mark, int signal)> send_signal;
};
/// Those of process_tree.hpp.
[[nodiscard]] TreeActions tree_actions();

class ProcessLauncher final : public ports::ProcessLauncher {
public:
  /// `kill_again`: time between two kills of a process that does not end. stop_all() and end_all() wait for three kills
  /// after the grace time, then they leave the process behind.
  explicit ProcessLauncher(TreeActions actions = tree_actions(),
                           std::chrono::milliseconds kill_again = std::chrono::seconds{5});
  /// Like stop_all().
  ~ProcessLauncher() override;
  ProcessLauncher(const ProcessLauncher&) = delete;
  ProcessLauncher& operator=(const ProcessLauncher&) = delete;

  [[nodiscard]] Result<ProcessNumber> start(const ports::LaunchContext& context, OnEnd on_end) override;
  void stop(ProcessNumber process, std::int64_t grace_ms) override;
  void measure(std::vector<ProcessNumber> processes, OnMeasured on_measured) override;
  void stop_all() override;
  /// Closes the parent watches, so that processes with one clean up and exit. After the grace time, kills the rest, and
  /// at once those without a parent watch. Waits until all have ended, except for processes that cannot be killed
  /// (blocked on a disk).
  void end_all(std::int64_t grace_ms);

private:
  class Watch;
  std::unique_ptr<Watch> watch_;
};

}  // namespace heddle::work
