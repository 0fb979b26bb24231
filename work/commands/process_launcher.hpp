// Starts role processes in sessions of their own, watches them, bounds their logs and ends them with all they started.
// One thread per launcher waits for ends, log bytes and grace times, another measures memory, and each kill has its
// own. No descriptors or memory left is an Error, not a crash.
#pragma once

#include <sys/types.h>

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
  explicit ProcessLauncher(TreeActions actions = tree_actions());
  /// Like stop_all().
  ~ProcessLauncher() override;
  ProcessLauncher(const ProcessLauncher&) = delete;
  ProcessLauncher& operator=(const ProcessLauncher&) = delete;

  [[nodiscard]] Result<ProcessNumber> start(const ports::LaunchContext& context, OnEnd on_end) override;
  void stop(ProcessNumber process, std::int64_t grace_ms) override;
  void measure(std::vector<ProcessNumber> processes, OnMeasured on_measured) override;
  void stop_all() override;
  /// Lets go of the leashes, so that whoever is held by one clears up and leaves; what is there after the grace time,
  /// and what no parent watch holds, is killed. Waits until all are gone; what cannot be killed (it waits for a disk)
  /// is left behind after a while.
  void end_all(std::int64_t grace_ms);

private:
  class Watch;
  std::unique_ptr<Watch> watch_;
};

}  // namespace heddle::work
