// A Driver with fake client, executors and allocator, in virtual time; background work runs at once.
#pragma once

#include <boost/test/unit_test.hpp>
#include <stdexcept>

#include "actors/driver/driver.hpp"
#include "tests/actors/driver/driver_replay.hpp"
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
    if (throws) throw std::runtime_error{"out of everything"};
    if (refuses || path == refused_path) return Error{Errc::refused, path + " exists"};
    return Done{};
  }
  Result<ports::OutputCommitted> commit(const std::vector<ports::OutputWinners>& winners, std::int32_t) override {
    outputs = winners;
    return commits;
  }
  Result<ports::CommitState> recover(const std::vector<std::string>&, std::int32_t attempt) override {
    recovered_by = attempt;
    return found;
  }
  Result<Done> abort(const std::vector<std::string>& paths, std::int32_t) override {
    ++aborts;
    aborted = paths;
    return removes;
  }
  bool refuses = false;
  bool throws = false;
  std::string refused_path = "-";
  Result<ports::OutputCommitted> commits = ports::OutputCommitted{};
  Result<Done> removes = Done{};
  std::vector<std::string> aborted;
  ports::CommitState found = ports::CommitState::not_committed;
  int aborts = 0;
  std::int32_t recovered_by = 0;
  std::vector<ports::OutputWinners> outputs;
};

struct DriverWorld : tests::ActorWorld {
  tests::Peer& client = peer("client");
  tests::Peer& allocator = peer("allocator");
  ImmediateBackground background;
  PatientBackground patient_background;
  RecordedCommit commit;
  DriverSettings settings;
  std::function<std::string(const StageProgram&)> task_binary_error;
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
  ~DriverWorld() {
    tests::DriverReplay replay;
    for (const auto& line : events().lines) replay.take(line);
    for (const auto& difference : replay.differences()) BOOST_ERROR(difference);
    std::size_t launched_in_all = 0;
    for (const auto& each : events().lines) {
      const auto line = boost::json::parse(each).as_object();
      if (tests::text(line, "event") == "tasks_launched")
        launched_in_all += static_cast<std::size_t>(tests::number(line, "count"));
    }
    BOOST_TEST(replay.launches.size() == launched_in_all);
  }
  DriverWorld(const DriverWorld&) = delete;
  DriverWorld& operator=(const DriverWorld&) = delete;
  void start(bool is_patient = false) {
    ports::Background* chosen = is_patient ? static_cast<ports::Background*>(&patient_background) : &background;
    driver = adopt(spawn_driver(system(), settings, tools(), {&commit, chosen, task_binary_error}));
    settle();
  }
  tests::Peer& executor(std::int64_t id, std::int32_t cores, const std::vector<DeviceAddresses>& devices = {},
                        ProfileId profile = ProfileId{0}) {
    auto& executor = peer("executor-" + std::to_string(id));
    const auto host = "h" + std::to_string(id);
    const MapOutputLocation place{NodeId{id}, Epoch{1}, host, "", "/" + host};
    say(executor, driver, RegisterExecutor{ExecutorId{id}, cores, host, place, "same", devices, profile});
    return executor;
  }
  void submit(std::vector<StageDescription> stages, std::string pool = "", std::int32_t earlier_drivers = 0) {
    SubmitJob job;
    job.earlier_drivers = earlier_drivers;
    job.graph = {"job", std::move(pool), std::move(stages)};
    job.splits.resize(job.graph.stages.size());
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

}  // namespace heddle::actors
