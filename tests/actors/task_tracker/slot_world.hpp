// A TaskTracker with a fake JobTracker, fake children and a fake launcher, in virtual time.
#pragma once

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "actors/task_tracker/task_tracker.hpp"
#include "tests/support/actor_world.hpp"
#include "tests/support/child_launcher.hpp"

namespace heddle::actors {

using namespace std::chrono_literals;

struct SlotPorts {
  tests::ChildLauncher launcher;
  tests::ChildFiles files;
  std::int64_t free_bytes = -1;
};

struct SlotWorld : SlotPorts, tests::ActorWorld {
  tests::Peer& cluster = peer("jt:1");
  TaskTrackerActor tracker;
  std::int64_t last_response = 0;

  explicit SlotWorld(TaskTrackerSettings settings = {}) {
    settings.job_tracker_address = "jt:1";
    settings.name = "t";
    settings.incarnation = 5;
    settings.host = "a";
    settings.rack = "/r";
    settings.build_id = "build";
    settings.program = "/program";
    settings.child_settings = "heddle.x=1\n";
    settings.owner = "owner";
    TaskTrackerPorts ports;
    ports.address = "a:1";
    ports.launcher = &launcher;
    ports.files = &files;
    ports.free_bytes = [this] { return free_bytes; };
    tracker = adopt(spawn_task_tracker(system(), settings, tools(), ports));
    settle();
  }
  [[nodiscard]] TrackerHeartbeat last_beat() const { return cluster.last<TrackerHeartbeat>(); }
  [[nodiscard]] int beats() const { return cluster.count<TrackerHeartbeat>(); }
  /// Answers the heartbeat that is under way.
  void answer(HeartbeatResponse response = {}) {
    response.incarnation = 5;
    response.response_id = ++last_response;
    response.interval_ms = 300;
    response.node = NodeId{4};
    say(cluster, tracker, response);
  }
  static TaskAttemptId attempt(std::int32_t task, std::int32_t number = 0) { return {JobId{1}, false, task, number}; }
  static AttemptLaunch map_launch(std::int32_t task) {
    AttemptLaunch launch;
    launch.attempt = attempt(task);
    launch.range.stage = {JobId{1}, StageId{0}, 0};
    launch.range.first_index = task;
    launch.range.count = 1;
    return launch;
  }
  static HeartbeatResponse launch_of(std::vector<AttemptLaunch> launches) {
    HeartbeatResponse response;
    StageProgram program;
    program.name = "map";
    response.jobs = {{JobId{1}, {1000, 1}, "secret", {program}}};
    response.launches = std::move(launches);
    return response;
  }
  /// Registers, starts one map as child 1, and connects the child.
  tests::Peer& run_map() {
    answer(launch_of({map_launch(0)}));
    answer();  // a slot is free, so the TaskTracker has asked for more
    return connect(1);
  }
  tests::Peer& connect(std::int64_t child) {
    auto& connected = peer("child " + std::to_string(child));
    say(connected, tracker, GetTask{child, "secret"});
    return connected;
  }
  void end(std::int64_t process, std::int32_t exit_code, std::int32_t signal = 0) {
    launcher.ends.at(process)(process, {exit_code, signal});
    settle();
  }
};

}  // namespace heddle::actors
