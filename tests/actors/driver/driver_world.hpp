// A Driver with fake client, executors and allocator, in virtual time; background work runs at once. Includes no
// decider, so that tests that only send messages are not compiled again when one changes.
#pragma once

#include <boost/test/unit_test.hpp>
#include <map>
#include <stdexcept>

#include "actors/driver/driver_settings.hpp"
#include "tests/support/actor_world.hpp"

namespace heddle::actors {

/// Runs background work at once, on the calling thread.
class ImmediateBackground final : public ports::Background {
public:
  void run(std::function<void()> work) override { work(); }
};

/// Keeps background work until the test runs it.
class PatientBackground final : public ports::Background {
public:
  void run(std::function<void()> work) override { waiting.push_back(std::move(work)); }
  void let_go() {
    for (const auto& work : std::exchange(waiting, {})) work();
  }
  std::vector<std::function<void()>> waiting;
};

/// Records commits, aborts and recoveries.
class RecordedCommit final : public ports::OutputCommit {
public:
  Result<Done> set_up(const std::string& path, const std::vector<std::string>&, std::int32_t) override {
    throw_if("prepare");
    if (is_unreachable) return Error{Errc::unreachable, "safe mode"};
    if (refuses || path == refused_path) return Error{Errc::refused, path + " exists"};
    return Done{};
  }
  Result<ports::OutputCommitted> commit(const std::vector<OutputWinners>& winners, std::int32_t) override {
    throw_if("commit");
    outputs = winners;
    return commits;
  }
  Result<ports::CommitState> recover(const std::vector<std::string>&, std::int32_t attempt) override {
    recovered_by = attempt;
    return found;
  }
  Result<ports::OutputRecovered> recover_tasks(const std::vector<std::string>&, std::int32_t,
                                               const std::vector<std::string>&) override {
    return ports::OutputRecovered{};
  }
  Result<Done> abort(const std::vector<std::string>& paths, std::int32_t) override {
    throw_if("abort");
    ++aborts;
    aborted = paths;
    return removes;
  }
  Result<Done> abort_attempt(const std::string&, std::int32_t, const std::string&) override { return Done{}; }
  bool refuses = false;
  bool is_unreachable = false;
  std::string throws_in;  // prepare, commit, abort
  std::string refused_path = "-";
  Result<ports::OutputCommitted> commits = ports::OutputCommitted{};
  Result<Done> removes = Done{};
  std::vector<std::string> aborted;
  ports::CommitState found = ports::CommitState::not_committed;
  int aborts = 0;
  std::int32_t recovered_by = 0;
  std::vector<OutputWinners> outputs;

private:
  void throw_if(const std::string& step) const {
    if (step == throws_in) throw std::runtime_error{"no memory"};
  }
};

struct DriverWorld : tests::ActorWorld {
  tests::Peer& client = peer("client");
  tests::Peer& allocator = peer("allocator");
  ImmediateBackground background;
  PatientBackground patient_background;
  RecordedCommit commit;
  DriverSettings settings;
  std::function<std::string(const StageProgram&)> task_binary_error;
  std::map<std::string, JobPackage> package_files;  // by path
  std::string throwing_file = "-";
  JobReporterActor reporter;
  DriverActor driver;

  DriverWorld() {
    settings.build_id = "same";
    settings.allocation.dynamic = false;
    settings.allocation.executors_initial = 2;
    settings.task_scheduler.shuffle_service = true;
    settings.stage_scheduler.shuffle_service = true;
    settings.queue_ahead = 0;
    settings.shuffles_offers = false;
  }
  /// Replays the log of the test: new deciders must return the same effects for every line.
  ~DriverWorld();
  DriverWorld(const DriverWorld&) = delete;
  DriverWorld& operator=(const DriverWorld&) = delete;
  void start(bool is_patient = false) {
    ports::Background* chosen = is_patient ? static_cast<ports::Background*>(&patient_background) : &background;
    const auto read_package = [this](const std::string& path) -> Result<JobPackage> {
      if (path == throwing_file) throw std::runtime_error{"out of everything"};
      const auto found = package_files.find(path);
      if (found == package_files.end()) return Error{Errc::not_found, "cannot open '" + path + "'"};
      return found->second;
    };
    driver =
        adopt(spawn_driver(system(), settings, tools(), {&commit, chosen, task_binary_error, read_package, reporter}));
    settle();
  }
  tests::Peer& executor(std::int64_t id, std::int32_t cores, const std::vector<DeviceAddresses>& devices = {},
                        ProfileId profile = ProfileId{0}) {
    auto& executor = peer("executor-" + std::to_string(id));
    const auto place = outputs_of(id);
    say(executor, driver, RegisterExecutor{ExecutorId{id}, cores, place.host, place, "same", devices, profile});
    return executor;
  }
  /// Where the executor with this id has its map outputs.
  static MapOutputLocation outputs_of(std::int64_t id) {
    const auto host = "h" + std::to_string(id);
    return {NodeId{id}, Epoch{1}, host, "", "/" + host};
  }
  void submit(std::vector<StageDescription> stages, std::string pool = "", std::int32_t earlier_drivers = 0) {
    SubmitJob job;
    job.earlier_drivers = earlier_drivers;
    job.package.graph = {"job", std::move(pool), std::move(stages)};
    job.package.splits.resize(job.package.graph.stages.size());
    say(client, driver, std::move(job));
  }
  /// Submits the job that is in this file, or would be.
  void submit_file(const std::string& path, std::int32_t earlier_drivers = 0) {
    SubmitJob job;
    job.package_file = path;
    job.earlier_drivers = earlier_drivers;
    say(client, driver, std::move(job));
  }
  /// All task ranges that the executor has received so far.
  static std::vector<TaskRange> launched(const tests::Peer& executor) {
    std::vector<TaskRange> ranges;
    for (const auto& message : *executor.heard) {
      const auto* tasks = message.match_elements<LaunchTask>() ? &message.get_as<LaunchTask>(0).tasks : nullptr;
      if (message.match_elements<LoadStage>()) tasks = &message.get_as<LoadStage>(0).tasks;
      if (tasks != nullptr) ranges.insert(ranges.end(), tasks->begin(), tasks->end());
    }
    return ranges;
  }
  static std::int32_t tasks_on(const tests::Peer& executor) {
    std::int32_t count = 0;
    for (const auto& range : launched(executor)) count += range.count;
    return count;
  }
  void report(tests::Peer& executor, std::int64_t id, const TaskRange& range, TaskOutcome outcome) {
    StatusUpdate update{ExecutorId{id}, executor.last<RegisteredExecutor>().epoch, {}, {}};
    for (std::int32_t i = 0; i < range.count; ++i)
      update.statuses.push_back({range.stage, range.first_index + i, range.attempt, outcome});
    say(executor, driver, std::move(update));
  }
  /// Sends a heartbeat of the executor in its current epoch.
  void send_heartbeat(std::int64_t id, std::vector<RunningTask> running = {}) {
    auto& from = peer("executor-" + std::to_string(id));
    say(from, driver, Heartbeat{ExecutorId{id}, from.last<RegisteredExecutor>().epoch, std::move(running)});
  }
};

inline StageDescription own_tasks(std::string name, std::int32_t tasks) {
  StageDescription stage;
  stage.name = std::move(name);
  stage.partitions = tasks;
  return stage;
}

inline StageDescription after(std::string name, std::int32_t parent, std::int32_t partitions) {
  auto stage = own_tasks(std::move(name), partitions);
  stage.parents = {parent};
  stage.shuffle = ShuffleDescription{};
  return stage;
}

inline TaskOutcome failure(std::string text) {
  TaskOutcome outcome;
  outcome.state = TaskState::failed;
  outcome.failure = FailureKind::command_exit;
  outcome.exit_code = 3;
  outcome.text = std::move(text);
  return outcome;
}

/// The task could not fetch this output of shuffle 0 from the executor with this id.
inline TaskOutcome fetch_failure(std::int64_t executor, std::int32_t map = 0) {
  auto outcome = failure("gone");
  outcome.failure = FailureKind::fetch_failed;
  outcome.failed_shuffle = ShuffleId{0};
  outcome.failed_map = map;
  outcome.failed_at = DriverWorld::outputs_of(executor);
  return outcome;
}

inline TaskOutcome running() {
  TaskOutcome outcome;
  outcome.state = TaskState::running;
  return outcome;
}

}  // namespace heddle::actors
