// Ports without effect, for tests that create roles.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ports/application_files.hpp"
#include "ports/process_launcher.hpp"
#include "ports/task_runner.hpp"

namespace heddle::apps {

struct NoLauncher final : ports::ProcessLauncher {
  Result<ProcessNumber> start(const ports::LaunchContext&, OnEnd) override { return Error{Errc::io, "no process"}; }
  void stop(ProcessNumber, std::int64_t) override {}
  void measure(std::vector<ProcessNumber>, OnMeasured on_measured) override { on_measured({}); }
  void stop_all() override {}
};

struct NoFiles final : ports::ApplicationFiles {
  Result<std::string> admit(const ApplicationId&, const std::string&) override { return std::string{"/files"}; }
  void forget(const ApplicationId&) override {}
  void forget_executor(const ApplicationId&, const std::string&) override {}
  Result<std::string> log_directory(const ApplicationId&, ContainerId) override { return std::string{"/logs"}; }
  [[nodiscard]] std::string shuffle_address() const override { return "shuffle:1"; }
};

struct NoRunner final : ports::TaskRunner {
  void start(OnReports) override {}
  void load_stage(std::shared_ptr<const StageProgram>) override {}
  void unload_stage(const StageKey&) override {}
  void set_locations(std::shared_ptr<const ports::ShuffleLocations>) override {}
  void run(TaskRange) override {}
  std::vector<TaskRange> retract(std::int32_t) override { return {}; }
  void kill(const StageKey&, std::int32_t, std::int32_t, const std::string&) override {}
  void drop_all(const std::string&) override {}
  void stop() override {}
};

}  // namespace heddle::apps
