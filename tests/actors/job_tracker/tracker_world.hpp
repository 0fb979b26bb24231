// A JobTracker with fake clients and TaskTrackers, in virtual time.
#pragma once

#include <boost/test/unit_test.hpp>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "actors/job_tracker/job_tracker_settings.hpp"
#include "tests/support/actor_world.hpp"
#include "tests/support/classic_packages.hpp"

namespace heddle::actors {

using namespace std::chrono_literals;

/// Runs work at once, or keeps it until release().
struct BackgroundNow final : ports::Background {
  bool is_held = false;
  std::vector<std::function<void()>> held;
  void run(std::function<void()> work) override {
    if (is_held) held.push_back(std::move(work));
    else work();
  }
  void release() {
    is_held = false;
    for (auto& work : std::exchange(held, {})) work();
  }
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
  std::int32_t reduce_slots = 1;
};

/// Keeps submissions in memory.
struct StoreInMemory final : ports::JobStore {
  std::map<JobId, JobSubmission> rows;
  std::string fault;  // of the next save; empty: none
  Result<Done> save(const JobSubmission& submission) override {
    if (!fault.empty()) return Error{Errc::io, std::exchange(fault, {})};
    rows.insert_or_assign(submission.job, submission);
    return Done{};
  }
  Result<Done> remove(JobId job) override {
    rows.erase(job);
    return Done{};
  }
};

/// Keeps the events of one job in memory. `room`: events after which the disk is full.
struct HistoryInMemory final : ports::JobHistory {
  ports::JobHistoryFile file;
  std::vector<history::Event> events;
  std::size_t synced_events = 0;
  std::size_t room = 1'000;
  bool is_closed = false;
  bool has_ended = false;
  Result<std::string> begin(const ports::JobHistoryFile& begun) override {
    file = begun;
    if (room > 0) return std::string{"/history/conf.xml"};
    has_ended = true;
    return Error{Errc::io, "no space left on device"};
  }
  Result<ports::JobHistoryContent> resume(const ports::JobHistoryFile& resumed) override {
    file = resumed;
    ports::JobHistoryContent left;
    left.events = events;
    return left;
  }
  Result<Done> append(const ApplicationId&, const std::vector<history::Event>& more) override {
    if (has_ended) return Done{};
    events.insert(events.end(), more.begin(), more.end());
    if (events.size() <= room) return Done{};
    has_ended = true;
    return Error{Errc::io, "no space left on device"};
  }
  Result<Done> sync(const ApplicationId&) override {
    synced_events = events.size();
    return Done{};
  }
  Result<Done> close(const ApplicationId&) override {
    is_closed = true;
    return Done{};
  }
  Result<ports::JobHistoryContent> read(const std::string&) const override { return ports::JobHistoryContent{}; }
};

/// Ports that outlive the actors.
struct TrackerPorts {
  BackgroundNow background;
  StoreInMemory store;
  HistoryInMemory history;
  std::vector<std::pair<std::vector<std::string>, std::int32_t>> recovered_outputs;  // with the application attempt
  bool is_committed = false;  // what the recovery of outputs finds
};

struct TrackerWorld : TrackerPorts, tests::ActorWorld {
  tests::Peer& client = peer("client");
  JobTrackerActor tracker;

  explicit TrackerWorld(JobTrackerSettings settings = {}) { start(std::move(settings), false); }
  /// A JobTracker with a store; `has_committed`: the commit of each recovered output had been decided.
  static JobTrackerSettings restarted(std::int32_t restarts, std::vector<RecoveredJob> jobs = {}) {
    JobTrackerSettings settings;
    settings.restarts = restarts;
    settings.recovered_jobs = std::move(jobs);
    return settings;
  }
  struct WithStore {
    JobTrackerSettings settings = {};
    bool is_committed = false;
  };
  /// `lines`: of the history that an earlier JobTracker left.
  explicit TrackerWorld(WithStore with, std::vector<history::Event> lines = {}) {
    history.events = std::move(lines);
    is_committed = with.is_committed;
    start(std::move(with.settings), true);
  }
  void start(JobTrackerSettings settings, bool has_store) {
    settings.cluster_start = 1000;
    settings.build_id = "build";
    JobTrackerPorts ports;
    ports.background = &background;
    ports.history = &history;
    if (has_store) ports.store = &store;
    ports.recover_outputs = [this](const std::vector<std::string>& outputs, std::int32_t attempt) -> Result<bool> {
      recovered_outputs.emplace_back(outputs, attempt);
      return is_committed;
    };
    ports.read_package = [](const std::string& path) -> Result<JobPackage> {
      if (path == "/bad") return Error{Errc::corrupt, "'/bad' is damaged"};
      return tests::map_only_package({{"a"}});
    };
    ports.make_token = [] { return std::string{"token"}; };
    tracker = adopt(spawn_job_tracker(system(), settings, tools(), ports));
    settle();
  }
  FakeTracker add_tracker(const std::string& host, std::int32_t reduce_slots = 1) {
    FakeTracker added{host, host, &peer(host)};
    added.reduce_slots = reduce_slots;
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
    beat.reduce_slots = from.reduce_slots;
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
    message.user = "ann";
    say(client, tracker, message);
    return client.last<JobAccepted>().job;
  }
};

}  // namespace heddle::actors
