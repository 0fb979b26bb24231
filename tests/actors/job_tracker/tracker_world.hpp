// A JobTracker with fake clients and TaskTrackers, in virtual time.
#pragma once

#include <boost/test/unit_test.hpp>
#include <functional>
#include <string>
#include <vector>

#include "actors/job_tracker/job_tracker.hpp"
#include "tests/support/actor_world.hpp"
#include "tests/support/classic_packages.hpp"

namespace heddle::actors {

using namespace std::chrono_literals;

struct BackgroundNow final : ports::Background {
  void run(std::function<void()> work) override { work(); }
};

/// Speaks as a TaskTracker: keeps the number of the last response and the attempts that run.
struct FakeTracker {
  std::string name;
  std::string host;
  tests::Peer* peer = nullptr;
  std::int64_t incarnation = 1;
  std::int64_t response_id = -1;
  std::vector<AttemptLaunch> launches = {};  // of all responses, in order
  std::vector<TaskAttemptStatus> runs = {};
  std::vector<CompletionsWanted> wanted = {};
  std::vector<TaskAttemptId> failed_fetches = {};  // told once
};

struct BackgroundPort {
  BackgroundNow background;
};

struct TrackerWorld : BackgroundPort, tests::ActorWorld {
  tests::Peer& client = peer("client");
  JobTrackerActor tracker;

  explicit TrackerWorld(JobTrackerSettings settings = {}) {
    settings.cluster_start = 1000;
    settings.build_id = "build";
    JobTrackerPorts ports;
    ports.background = &background;
    ports.read_package = [](const std::string& path) -> Result<JobPackage> {
      if (path == "/bad") return Error{Errc::corrupt, "'/bad' is damaged"};
      return tests::map_only_package({{"a"}});
    };
    ports.make_token = [] { return std::string{"token"}; };
    tracker = adopt(spawn_job_tracker(system(), settings, tools(), ports));
    settle();
  }
  FakeTracker add_tracker(const std::string& host) {
    FakeTracker added{host, host, &peer(host)};
    beat(added);
    return added;
  }
  TrackerHeartbeat heartbeat_of(const FakeTracker& from) const {
    TrackerHeartbeat beat;
    beat.tracker = from.name;
    beat.incarnation = from.incarnation;
    beat.host = from.host;
    beat.rack = "/r";
    beat.build_id = "build";
    beat.map_slots = 2;
    beat.reduce_slots = 1;
    beat.is_initial_contact = from.response_id < 0;
    beat.response_id = from.response_id;
    beat.attempts = from.runs;
    beat.completions = from.wanted;
    beat.failed_fetches = from.failed_fetches;
    return beat;
  }
  /// Sends a heartbeat and takes the response; attempts that ended are reported once.
  HeartbeatResponse beat(FakeTracker& from) {
    say(*from.peer, tracker, heartbeat_of(from));
    const auto response = from.peer->last<HeartbeatResponse>();
    from.response_id = response.response_id;
    from.failed_fetches.clear();
    std::erase_if(from.runs, [](const TaskAttemptStatus& status) { return status.outcome.has_value(); });
    for (const auto& launch : response.launches) {
      from.launches.push_back(launch);
      TaskAttemptStatus status;
      status.attempt = launch.attempt;
      status.state = launch.state;
      status.is_cleanup = launch.type == AttemptType::task_cleanup;
      from.runs.push_back(status);
    }
    return response;
  }
  /// All attempts of the TaskTracker end so; the next heartbeat reports it.
  static void end_all(FakeTracker& of, TaskAttemptState state, const std::string& text = {}) {
    for (auto& status : of.runs) {
      status.state = state;
      status.outcome = TaskOutcome{};
      status.outcome->text = text;
      status.outcome->bytes_read = 10;
      status.outcome->counters = {{"g\tn", 1}};
      if (state == TaskAttemptState::succeeded) continue;
      status.outcome->state = TaskState::failed;
      status.outcome->failure = FailureKind::command_exit;
      status.outcome->exit_code = 3;
    }
  }
  HeartbeatResponse succeed(FakeTracker& at) {
    end_all(at, TaskAttemptState::succeeded);
    return beat(at);
  }
  JobId submit(const JobPackage& package, const JobRules& rules = {}) {
    SubmitJob message{7, package};
    message.rules = rules;
    say(client, tracker, message);
    return client.last<JobAccepted>().job;
  }
};

}  // namespace heddle::actors
