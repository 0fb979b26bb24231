// A process launcher and application files that start nothing, for tests of the TaskTracker.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ports/application_files.hpp"
#include "ports/process_launcher.hpp"

namespace heddle::tests {

/// Processes are numbers from 1; a test ends them.
struct ChildLauncher final : ports::ProcessLauncher {
  Result<ProcessNumber> start(const ports::LaunchContext& context, OnEnd on_end) override {
    if (is_full) return Error{Errc::io, "no descriptors are left"};
    contexts.push_back(context);
    const auto number = static_cast<ProcessNumber>(contexts.size());
    ends[number] = std::move(on_end);
    return number;
  }
  void stop(ProcessNumber process, std::int64_t) override { stopped.insert(process); }
  void measure(std::vector<ProcessNumber> processes, OnMeasured on_measured) override {
    measured.push_back(std::move(processes));
    answer = std::move(on_measured);
  }
  void stop_all() override {}
  [[nodiscard]] const TaskChildLaunch& child(std::size_t index) const {
    return std::get<TaskChildLaunch>(contexts.at(index).spec->role);
  }

  std::vector<ports::LaunchContext> contexts;
  std::map<ProcessNumber, OnEnd> ends;
  std::set<ProcessNumber> stopped;
  std::vector<std::vector<ProcessNumber>> measured;
  OnMeasured answer;  // of the last measurement
  bool is_full = false;
};

struct ChildFiles final : ports::ApplicationFiles {
  Result<std::string> admit(const ApplicationId& application, const std::string&) override {
    admitted.insert(application);
    return std::string{"/files"};
  }
  void forget(const ApplicationId& application) override { admitted.erase(application); }
  void forget_executor(const ApplicationId&, const std::string&) override {}
  Result<std::string> log_directory(const ApplicationId&, ContainerId) override { return std::string{"/logs"}; }
  [[nodiscard]] std::string shuffle_address() const override { return "shuffle:1"; }

  std::set<ApplicationId> admitted;
};

}  // namespace heddle::tests
