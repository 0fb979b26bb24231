// A NodeManager with a fake ResourceManager, launcher and files, in virtual time.
#pragma once

#include <boost/test/unit_test.hpp>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "actors/node_manager/node_manager.hpp"
#include "tests/support/actor_world.hpp"

namespace heddle::actors {

using namespace std::chrono_literals;

struct FakeLauncher final : ports::ProcessLauncher {
  Result<ProcessNumber> start(const ports::LaunchContext& context, OnEnd on_end) override {
    if (is_full) return Error{Errc::io, "no descriptors are left"};
    contexts.push_back(context);
    if (has_one_number) return ProcessNumber{1};
    ends[static_cast<std::int64_t>(contexts.size())] = std::move(on_end);
    return static_cast<ProcessNumber>(contexts.size());
  }
  void stop(ProcessNumber process, std::int64_t) override { stopped.insert(process); }
  void measure(std::vector<ProcessNumber> processes, OnMeasured on_measured) override {
    measurements.push_back([this, processes = std::move(processes), on_measured = std::move(on_measured)] {
      std::vector<ports::ProcessMemory> measured;
      for (const auto each : processes) measured.push_back({each, resident});
      on_measured(std::move(measured));
    });
    if (!is_measuring_slow) finish_measurements();
  }
  void finish_measurements() {
    for (const auto& each : std::exchange(measurements, {})) each();
  }
  void stop_all() override {}

  std::vector<ports::LaunchContext> contexts;
  std::map<std::int64_t, OnEnd> ends;
  std::set<std::int64_t> stopped;
  std::int64_t resident = 0;
  bool is_full = false;
  bool has_one_number = false;     // faulty: each process gets the number 1
  bool is_measuring_slow = false;  // measurements end with finish_measurements
  std::vector<std::function<void()>> measurements;
};

struct FakeFiles final : ports::ApplicationFiles {
  Result<std::string> admit(const ApplicationId&, const std::string&) override { return std::string{"/files"}; }
  void forget(const ApplicationId&) override { ++forgotten; }
  void forget_executor(const ApplicationId&, const std::string& executor) override { executors.push_back(executor); }
  Result<std::string> log_directory(const ApplicationId&, ContainerId) override { return std::string{"/logs"}; }
  [[nodiscard]] std::string shuffle_address() const override { return "shuffle:1"; }
  int forgotten = 0;
  std::vector<std::string> executors;
};

struct Ports {
  FakeLauncher launcher;
  FakeFiles files;
};

struct NodeWorld : Ports, tests::ActorWorld {
  tests::Peer& cluster = peer("rm:1");
  NodeManagerActor node;
  AttemptId attempt{{1000, 1}, 1};

  explicit NodeWorld(bool checks_invariants = true) {
    runtime::ActorTools chosen = tools();
    chosen.checks_invariants = checks_invariants;
    NodeManagerStart start;
    start.resource_manager_address = "rm:1";
    start.host = "a";
    start.address = "a:1";
    start.program = "/program";
    start.slowness_percent = 200;
    start.capacity = {8192, 8, {{"yarn.io/gpu", 2}}};
    start.launcher = &launcher;
    start.files = &files;
    node = adopt(spawn_node_manager(system(), config::NodeManagerSettings{}, chosen, start));
    settle();
    say(cluster, node, NodeRegistered{NodeId{3}, Epoch{3}});
  }
  void start(std::int64_t container) {
    say(cluster, node, StartContainer{ContainerId{container}, attempt, {100, 1}, "secret", executor_launch()});
  }
  static ContainerLaunch executor_launch() {
    return {"heddle.locality.wait=7s\n", "/state", ExecutorLaunch{ExecutorId{8}, 2, ProfileId{1}, "driver:1", 0}};
  }
  void end(std::int64_t process, std::int32_t exit_code, std::int32_t signal = 0) {
    launcher.ends.at(process)(process, {exit_code, signal});
    settle();
  }
};

}  // namespace heddle::actors
