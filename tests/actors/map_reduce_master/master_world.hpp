// A MapReduceMaster with a fake ResourceManager, NodeManager, ApplicationMaster, client and children, in virtual time.
#pragma once

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "actors/map_reduce_master/master_start.hpp"
#include "tests/support/actor_world.hpp"
#include "tests/support/classic_packages.hpp"

namespace heddle::actors {

using namespace std::chrono_literals;

/// Keeps the calls; each succeeds unless a failure is set.
class CommitCalls final : public ports::OutputCommit {
public:
  std::vector<std::string> calls;
  std::vector<OutputWinners> committed;
  std::string failure;            // of the next call
  Errc code = Errc::io;           // of that failure
  bool was_committed = false;     // by an earlier master
  int commits = 0;                // that succeeded
  std::set<std::string> missing;  // folders that are gone

  Result<Done> set_up(const std::string& path, const std::vector<std::string>&, std::int32_t) override {
    return note("set_up " + path);
  }
  Result<ports::OutputCommitted> commit(const std::vector<OutputWinners>& outputs, std::int32_t) override {
    committed = outputs;
    if (auto done = note("commit"); !done) return done.error();
    ++commits;
    return ports::OutputCommitted{};
  }
  Result<ports::CommitState> recover(const std::vector<std::string>&, std::int32_t) override {
    return ports::CommitState::not_committed;
  }
  /// Keeps all but those that are missing.
  Result<ports::OutputRecovered> recover_tasks(const std::vector<std::string>&, std::int32_t,
                                               const std::vector<std::string>& task_attempts) override {
    calls.emplace_back("recover");
    if (was_committed) return ports::OutputRecovered{ports::CommitState::committed, {}};
    ports::OutputRecovered found;
    for (const auto& each : task_attempts)
      if (!missing.contains(each)) found.kept.push_back(each);
    return found;
  }
  Result<Done> abort(const std::vector<std::string>&, std::int32_t) override { return note("abort"); }
  Result<Done> abort_attempt(const std::string&, std::int32_t, const std::string& task_attempt) override {
    return note("abort " + task_attempt);
  }

private:
  Result<Done> note(std::string call) {
    calls.push_back(std::move(call));
    if (failure.empty()) return Done{};
    return Error{code, std::exchange(failure, {})};
  }
};

/// Keeps the events; each call succeeds unless a failure is set.
class HistoryCalls final : public ports::JobHistory {
public:
  std::vector<std::string> calls;
  std::vector<history::Event> events;
  ports::JobHistoryFile file;
  ports::JobHistoryContent earlier;  // of earlier masters
  std::string failure;               // of the next call
  bool is_open = false;

  Result<std::string> begin(const ports::JobHistoryFile& wanted) override {
    file = wanted;
    if (auto done = note("begin"); !done) return done.error();
    is_open = true;
    return std::string{"settings"};
  }
  Result<ports::JobHistoryContent> resume(const ports::JobHistoryFile& wanted) override {
    file = wanted;
    if (auto done = note("resume"); !done) return done.error();
    is_open = true;
    return earlier;
  }
  Result<Done> append(const ApplicationId&, const std::vector<history::Event>& added) override {
    if (!is_open) return Done{};
    if (!failure.empty()) {
      is_open = false;
      return note("append");
    }
    events.insert(events.end(), added.begin(), added.end());
    return Done{};
  }
  Result<Done> sync(const ApplicationId&) override { return note("sync"); }
  Result<Done> close(const ApplicationId&) override { return note("close"); }
  Result<ports::JobHistoryContent> read(const std::string&) const override { return earlier; }

  template <class Event>
  [[nodiscard]] std::vector<Event> all() const {
    std::vector<Event> found;
    for (const auto& each : events)
      if (const auto* event = std::get_if<Event>(&each)) found.push_back(*event);
    return found;
  }

private:
  Result<Done> note(std::string call) {
    calls.push_back(std::move(call));
    if (failure.empty()) return Done{};
    return Error{Errc::io, std::exchange(failure, {})};
  }
};

/// Runs work at once, or keeps it.
class AtOnce final : public ports::Background {
public:
  bool is_held = false;
  std::vector<std::function<void()>> held;
  void run(std::function<void()> work) override {
    if (is_held) held.push_back(std::move(work));
    else work();
  }
  /// Runs the first of the works that were held, and forgets the others.
  void release(std::size_t count) {
    is_held = false;
    auto due = std::exchange(held, {});
    due.resize(std::min(count, due.size()));
    for (auto& work : due) work();
  }
};

struct MasterPorts {
  CommitCalls commit;
  HistoryCalls history;
  AtOnce background;
};

struct MasterWorld : MasterPorts, tests::ActorWorld {
  tests::Peer& cluster = peer("rm:1");
  tests::Peer& node = peer("node:1");
  tests::Peer& application = peer("application");
  tests::Peer& client = peer("client");
  MapReduceMasterActor master;
  std::int32_t last_response = 0;

  explicit MasterWorld(const MapReduceMasterStart& start = {}) { start_master(start); }
  /// A later one takes the place of the one before, which the test has killed.
  void start_master(MapReduceMasterStart start) {
    start.attempt = {{1000, 1}, std::max(start.attempt.attempt, 1)};
    start.resource_manager_address = "rm:1";
    start.address = "master:1";
    start.map = start.reduce = {512, 1};
    start.child_settings = "heddle.x=1\n";
    start.log_directory = "/state";
    start.owner = "owner";
    MapReduceMasterPorts ports;
    ports.commit = &commit;
    ports.background = &background;
    ports.history = &history;
    ports.read_package = [](const std::string& path) -> Result<JobPackage> {
      return Error{Errc::not_found, "'" + path + "' does not exist"};
    };
    master = adopt(spawn_map_reduce_master(system(), start, tools(), ports));
    settle();
  }
  static TaskAttemptId attempt(std::int32_t task, std::int32_t number = 0) { return {JobId{1}, false, task, number}; }
  void register_application() { say(application, master, StartAllocating{{8192, 4}, "secret"}); }
  /// A job with reduces.
  void begin_with_reduces(std::int32_t maps, std::int32_t reduces) {
    register_application();
    SubmitJob message;
    message.request = 7;
    message.package =
        tests::map_reduce_package(std::vector<std::vector<std::string>>(static_cast<std::size_t>(maps)), reduces);
    say(client, master, message);
  }
  void submit(std::int32_t maps, std::int32_t earlier_masters = 0) {
    SubmitJob message;
    message.request = 7;
    message.package = tests::map_only_package(std::vector<std::vector<std::string>>(static_cast<std::size_t>(maps)));
    message.earlier_drivers = earlier_masters;
    say(client, master, message);
  }
  /// Registered, with a submitted job whose output is set up.
  void begin(std::int32_t maps) {
    register_application();
    submit(maps);
  }
  void respond(std::vector<GrantedContainer> grants, std::vector<CompletedContainer> ends = {}) {
    AllocateResponse response;
    response.response_id = ++last_response;
    response.allocated = std::move(grants);
    response.completed = std::move(ends);
    response.cluster_nodes = 1;
    response.headroom = {8192, 4};
    say(cluster, master, response);
  }
  static GrantedContainer grant(std::int64_t container, std::int32_t priority = 20) {
    return {ContainerId{container}, NodeId{5}, "a", "node:1", priority, {512, 1}};
  }
  static TaskAttemptId reduce(std::int32_t task, std::int32_t number = 0) { return {JobId{1}, true, task, number}; }
  static MapOutputLocation map_output(std::int32_t map) {
    return {NodeId{5}, Epoch{1}, "a", "shuffle:" + std::to_string(map), "/files/shuffle"};
  }
  /// A map whose output reduces read has ended, and its container too.
  void finish_map(std::int64_t container, const TaskAttemptId& id) {
    AttemptDone done{container, id, {}};
    done.outcome.records_read = 3;
    done.place = map_output(id.task);
    say(child(container), master, done);
    end_container(container);
  }
  /// Answers open requests with one container for each number.
  void give(std::vector<std::int64_t> containers) {
    std::vector<GrantedContainer> grants;
    for (const auto container : containers) grants.push_back(grant(container));
    respond({});  // the first AllocateRequest had no asks
    respond(std::move(grants));
  }
  /// Seconds with an answer to each AllocateRequest, and a report of a child that makes no progress, if one is named.
  void pass_seconds(int count, std::int64_t container = 0, const TaskAttemptId& slow = {}) {
    for (int second = 0; second < count && events().count("map_reduce_speculated") == 0; ++second) {
      if (container > 0) say(child(container), master, AttemptProgress{container, slow, 0.01F});
      advance(1s);
      const bool is_asking = cluster.count<AllocateRequest>() > last_response;
      if (is_asking && events().count("map_reduce_speculated") == 0) respond({});
    }
  }
  void end_container(std::int64_t container, std::int32_t exit_status = 0) {
    say(cluster, master, AllocationAvailable{});
    respond({}, {{ContainerId{container}, {exit_status, {}, {}, {}}}});
  }
  tests::Peer& child(std::int64_t container) { return peer("child " + std::to_string(container)); }
  /// The container is started, and its child gets its task.
  tests::Peer& run(std::int64_t container) {
    say(node, master, ContainerStarted{ContainerId{container}});
    say(child(container), master, GetTask{container, "secret"});
    return child(container);
  }
  void done(std::int64_t container, const TaskAttemptId& id) {
    TaskOutcome outcome;
    outcome.records_read = 3;
    say(child(container), master, CommitPending{container, id});
    say(child(container), master, AttemptDone{container, id, outcome});
  }
  void fail(std::int64_t container, const TaskAttemptId& id, const std::string& text) {
    TaskOutcome outcome;
    outcome.state = TaskState::failed;
    outcome.failure = FailureKind::command_exit;
    outcome.exit_code = 3;
    outcome.text = text;
    say(child(container), master, AttemptFailed{container, id, outcome});
  }
  [[nodiscard]] std::int64_t asked() const {
    for (const auto& ask : cluster.last<AllocateRequest>().asks)
      if (ask.place == "*") return ask.count;
    return 0;
  }
};

}  // namespace heddle::actors
