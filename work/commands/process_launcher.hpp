// Starts role processes in sessions of their own, watches them, bounds their logs and ends them with all they started.
// One thread per launcher waits for ends, log bytes and grace times, another measures memory. No descriptors or memory
// left is an Error, not a crash.
#pragma once

#include <cstdint>
#include <memory>

#include "ports/process_launcher.hpp"

namespace heddle::work {

class ProcessLauncher final : public ports::ProcessLauncher {
public:
  ProcessLauncher();
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
