// Goal: an Executor registers once and again on request, handles messages of its Driver and epoch, reports what its
// slots report, and exits when told. Method: fake Driver and slots around one Executor, virtual time.
#include "actors/executor/executor.hpp"

#include <boost/test/unit_test.hpp>
#include <stdexcept>

#include "tests/support/actor_world.hpp"

namespace heddle::actors {
namespace executor_test {
namespace {

using namespace std::chrono_literals;

const StageKey some_stage{JobId{0}, StageId{1}, 0};

/// Runs nothing and records its calls.
class FakeRunner final : public ports::TaskRunner {
public:
  void start(OnReports on_reports) override { report = std::move(on_reports); }
  void load_stage(std::shared_ptr<const StageProgram>) override { ++installed; }
  void unload_stage(const StageKey&) override { ++forgotten; }
  void set_locations(std::shared_ptr<const ports::ShuffleLocations> known) override { locations = std::move(known); }
  void run(TaskRange range) override {
    if (breaks) throw std::runtime_error{"no slot thread"};
    ranges.push_back(std::move(range));
  }
  std::vector<TaskRange> retract(std::int32_t count) override { return {{some_stage, 5, count, 0, {}}}; }
  void kill(const StageKey&, std::int32_t index, std::int32_t, const std::string&) override { killed.push_back(index); }
  void drop_all(const std::string&) override { ++dropped; }
  std::vector<RunningTask> running() override { return {{some_stage, 3, 1, 500, 2'000'000}}; }
  void stop() override {}

  OnReports report;
  std::vector<TaskRange> ranges;
  std::vector<std::int32_t> killed;
  std::shared_ptr<const ports::ShuffleLocations> locations;
  int installed = 0;
  int forgotten = 0;
  int dropped = 0;
  bool breaks = false;  // run() throws
};

/// Reports only the first map of each migration as migrated.
class FakeMigrator final : public ports::MapOutputMigrator {
public:
  void migrate(ports::MapOutputMigration move, std::function<void(ports::MapOutputMigrationResult)> on_end) override {
    on_end({{move.maps.at(0)}, move.from.host});
  }
};

class FakeShuffleFiles final : public ports::ShuffleFiles {
public:
  void remove(ShuffleId before, std::vector<ShuffleId> except) override { removed.emplace_back(before, except); }
  std::vector<std::pair<ShuffleId, std::vector<ShuffleId>>> removed;
};

struct Slots {
  FakeMigrator migrator;
  FakeShuffleFiles shuffle_files;
  FakeRunner runner;
  std::vector<std::string> reasons;
  std::vector<bool> failures;  // by reason: whether the process fails
};

struct ExecutorWorld : Slots, tests::ActorWorld {
  tests::Peer& driver = peer("driver:1");
  ExecutorActor executor;

  explicit ExecutorWorld(bool takes = true, const std::string& driver_address = "driver:1") {
    ExecutorSettings settings;
    settings.executor = ExecutorId{4};
    settings.cores = 2;
    settings.host = "a";
    settings.devices = {{"gpu", {"0", "1"}}};
    settings.driver_address = driver_address;
    executor = adopt(spawn_executor(system(), settings, tools(),
                                    {&runner,
                                     [this](const std::string& why, bool has_failed) {
                                       reasons.push_back(why);
                                       failures.push_back(has_failed);
                                     },
                                     takes ? &migrator : nullptr, &shuffle_files}));
    settle();
  }
  template <class Message>
  void deliver(Message message) {
    say(driver, executor, std::move(message));
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(registers_with_its_slots_and_sends_heartbeats_after_the_answer) {
  ExecutorWorld world;
  BOOST_TEST(world.driver.last<RegisterExecutor>().cores == 2);
  BOOST_TEST((world.driver.last<RegisterExecutor>().devices == std::vector<DeviceAddresses>{{"gpu", {"0", "1"}}}));
  world.advance(25s);
  BOOST_TEST(world.driver.count<Heartbeat>() == 0);
  world.deliver(RegisteredExecutor{Epoch{7}});
  world.advance(25s);
  BOOST_TEST(world.driver.count<Heartbeat>() == 2);
  BOOST_TEST(world.driver.last<Heartbeat>().epoch.value == 7);
  const auto running = world.driver.last<Heartbeat>().running;
  BOOST_REQUIRE(running.size() == 1U);
  BOOST_TEST(running[0].index == 3);
  BOOST_TEST(running[0].records == 500);
}

BOOST_AUTO_TEST_CASE(handles_messages_of_its_epoch_and_drops_older_ones) {
  ExecutorWorld world;
  world.deliver(RegisteredExecutor{Epoch{7}});
  for (const auto epoch : {Epoch{6}, Epoch{7}}) {
    world.deliver(LoadStage{epoch, {}, {{some_stage, 0, 3, 0, {}}}});
    world.deliver(LaunchTask{epoch, {{some_stage, 3, 2, 0, {}}}});
    world.deliver(KillTask{epoch, some_stage, 2, 0, "not needed"});
    world.deliver(MapOutputs{epoch, ShuffleId{1}, 3, 0, {{NodeId{1}, Epoch{1}, "a", "", "/a"}}, {0, -1, 0}});
    world.deliver(MapOutputsChanged{epoch, ShuffleId{1}, {1, 2}, {{NodeId{2}, Epoch{1}, "b", "", "/b"}}, {0, -1}});
    world.deliver(MapOutputsChanged{epoch, ShuffleId{2}, {0}, {}, {-1}});  // of a shuffle without a table
    world.deliver(UnloadStage{epoch, {some_stage}});
    world.deliver(RetractTasks{epoch, 2});
  }
  BOOST_TEST(world.runner.installed == 1);
  BOOST_REQUIRE(world.runner.ranges.size() == 2U);
  BOOST_TEST(world.runner.ranges[0].count == 3);
  BOOST_TEST(world.runner.ranges[1].count == 2);
  BOOST_TEST(world.runner.killed == std::vector<std::int32_t>{2});
  BOOST_TEST(world.runner.locations->place_of_map == (std::vector<std::int32_t>{0, 1, -1}));
  BOOST_TEST(world.runner.locations->places.at(1).directory == "/b");
  BOOST_TEST(world.runner.forgotten == 1);
  BOOST_TEST(world.driver.count<TasksRetracted>() == 1);
  BOOST_TEST(world.driver.last<TasksRetracted>().tasks.at(0).count == 2);
}

// C-HB-02 at the executor: a Driver that has removed it asks it to register; it registers under its own id, without
// tasks of its former epoch.
BOOST_AUTO_TEST_CASE(registers_again_on_request_without_its_old_tasks) {
  ExecutorWorld world;
  world.deliver(RegisteredExecutor{Epoch{7}});
  StageProgram work;
  work.key = some_stage;
  work.shuffle_inputs = {{ShuffleId{3}, 1, {}}};
  world.deliver(LoadStage{Epoch{7}, work, {{some_stage, 0, 3, 0, {}}}});
  world.deliver(RegisterAgain{Epoch{6}});
  BOOST_TEST(world.driver.count<RegisterExecutor>() == 1);
  world.deliver(RegisterAgain{Epoch{7}});
  world.deliver(RegisterAgain{Epoch{7}});  // two heartbeats got this answer
  BOOST_TEST_REQUIRE(world.driver.count<RegisterExecutor>() == 2);
  BOOST_TEST(world.driver.last<RegisterExecutor>().executor.value == 4);
  BOOST_TEST(world.driver.last<RegisterExecutor>().host == "a");
  BOOST_TEST(world.runner.dropped == 1);
  BOOST_TEST(world.runner.forgotten == 1);
  world.driver.clear();
  world.runner.report({{some_stage, 0, 0, {}}});  // of a task attempt of the former epoch
  world.deliver(LaunchTask{Epoch{7}, {{some_stage, 3, 2, 0, {}}}});
  world.advance(25s);
  BOOST_TEST(world.driver.heard->empty());
  BOOST_TEST(world.runner.ranges.size() == 1U);
  world.deliver(RegisteredExecutor{Epoch{9}});
  world.advance(10s);
  BOOST_TEST(world.driver.last<Heartbeat>().epoch.value == 9);
  BOOST_TEST(!world.has_ended(world.executor));
}

BOOST_AUTO_TEST_CASE(reports_of_slots_form_one_status_update) {
  ExecutorWorld world;
  world.deliver(RegisteredExecutor{Epoch{7}});
  world.runner.report({{some_stage, 0, 0, {}}, {some_stage, 1, 0, {}}});
  world.settle();
  BOOST_TEST(world.driver.count<StatusUpdate>() == 1);
  BOOST_TEST(world.driver.last<StatusUpdate>().finished.size() + world.driver.last<StatusUpdate>().statuses.size() ==
             1U);
  BOOST_TEST(world.driver.last<StatusUpdate>().executor.value == 4);
  BOOST_TEST(world.driver.last<StatusUpdate>().epoch.value == 7);
}

BOOST_AUTO_TEST_CASE(slots_send_nothing_before_registration_and_after_the_end) {
  ExecutorWorld world;
  world.runner.report({{some_stage, 0, 0, {}}});
  world.settle();
  BOOST_TEST(world.driver.count<StatusUpdate>() == 0);
  world.deliver(RegisteredExecutor{Epoch{7}});
  world.deliver(StopExecutor{"not needed"});
  BOOST_TEST(world.has_ended(world.executor));
  world.runner.report({{some_stage, 0, 0, {}}});
  world.settle();
  BOOST_TEST(world.driver.count<StatusUpdate>() == 0);
}

BOOST_AUTO_TEST_CASE(map_output_locations_are_removed_with_the_last_stage_that_reads_them) {
  ExecutorWorld world;
  world.deliver(RegisteredExecutor{Epoch{7}});
  world.deliver(MapOutputs{Epoch{7}, ShuffleId{3}, 1, 0, {MapOutputLocation{}}, {0}});
  StageProgram work;
  work.key = some_stage;
  work.shuffle_inputs = {{ShuffleId{3}, 1, {}}};
  StageProgram again = work;
  again.key.attempt = 1;
  for (const auto& each : {work, again}) world.deliver(LoadStage{Epoch{7}, each, {}});
  const auto is_known = [&world] {
    world.runner.locations = nullptr;
    world.deliver(MapOutputsChanged{Epoch{7}, ShuffleId{3}, {0}, {}, {-1}});
    return world.runner.locations != nullptr;
  };
  world.deliver(UnloadStage{Epoch{7}, {work.key}});
  BOOST_TEST(is_known());
  world.deliver(UnloadStage{Epoch{7}, {again.key}});
  BOOST_TEST(!is_known());
}

BOOST_AUTO_TEST_CASE(a_map_output_table_is_used_after_its_last_part_has_arrived) {
  ExecutorWorld world;
  world.deliver(RegisteredExecutor{Epoch{7}});
  const MapOutputLocation place{NodeId{1}, Epoch{1}, "a", "", "/a"};
  const MapOutputLocation other{NodeId{2}, Epoch{1}, "b", "", "/b"};
  world.deliver(MapOutputs{Epoch{7}, ShuffleId{3}, 3, 0, {place}, {0, -1}});
  BOOST_TEST(world.runner.locations == nullptr);
  world.deliver(MapOutputs{Epoch{7}, ShuffleId{3}, 3, 2, {other}, {0}});
  BOOST_TEST_REQUIRE(world.runner.locations != nullptr);
  const auto whole = world.runner.locations;
  BOOST_TEST(whole->place_of_map == (std::vector<std::int32_t>{0, -1, 1}));
  world.deliver(MapOutputs{Epoch{7}, ShuffleId{3}, 3, 0, {other}, {0, 0}});  // first part of the next table
  BOOST_TEST(world.runner.locations == whole);
}

BOOST_AUTO_TEST_CASE(indexes_out_of_range_change_nothing) {
  ExecutorWorld world;
  world.deliver(RegisteredExecutor{Epoch{7}});
  const MapOutputLocation place{NodeId{1}, Epoch{1}, "a", "", "/a"};
  const auto table = [&](std::int32_t maps, std::int32_t first, std::vector<std::int32_t> numbers) {
    world.deliver(MapOutputs{Epoch{7}, ShuffleId{3}, maps, first, {place}, std::move(numbers)});
    return world.runner.locations != nullptr;
  };
  BOOST_TEST(!table(1, 0, {0, 0}));
  BOOST_TEST(!table(2, 0, {0, 1}));
  BOOST_TEST(!table(2, 1, {0}));
  BOOST_TEST(!table(2, -1, {0}));
  BOOST_TEST(!table(-1, 0, {0}));
  BOOST_TEST(!table(INT32_MAX, 0, {0}));
  BOOST_TEST(table(2, 0, {0, 0}));
  const auto known = world.runner.locations;
  const auto change = [&](std::vector<std::int32_t> maps, std::vector<std::int32_t> numbers) {
    world.deliver(MapOutputsChanged{Epoch{7}, ShuffleId{3}, std::move(maps), {place}, std::move(numbers)});
    return world.runner.locations != known;
  };
  BOOST_TEST(!change({2}, {0}));
  BOOST_TEST(!change({-1}, {0}));
  BOOST_TEST(!change({0}, {1}));
  BOOST_TEST(!change({0, 1}, {0}));
  BOOST_TEST(change({0}, {-1}));
}

BOOST_AUTO_TEST_CASE(exits_with_the_reason_and_sends_nothing_more) {
  ExecutorWorld world;
  world.deliver(RegisteredExecutor{Epoch{7}});
  world.deliver(StopExecutor{"the application ends"});
  BOOST_TEST(world.reasons == std::vector<std::string>{"the application ends"});
  BOOST_TEST(world.failures == std::vector<bool>{false});
  BOOST_TEST(world.has_ended(world.executor));
}

BOOST_AUTO_TEST_CASE(exits_if_its_driver_is_lost) {
  ExecutorWorld world;
  world.deliver(RegisteredExecutor{Epoch{7}});
  world.kill(world.driver);
  BOOST_TEST(world.has_ended(world.executor));
  BOOST_TEST(world.reasons.size() == 1U);
  BOOST_TEST(world.failures == std::vector<bool>{false});
}

BOOST_AUTO_TEST_CASE(fails_if_its_driver_is_lost_before_the_first_registration_and_not_before_another_one) {
  for (const bool has_registered : {false, true}) {
    ExecutorWorld world;
    if (has_registered) {
      world.deliver(RegisteredExecutor{Epoch{7}});
      world.deliver(RegisterAgain{Epoch{7}});
    }
    world.kill(world.driver);
    BOOST_TEST(world.failures == std::vector<bool>{!has_registered});
  }
}

BOOST_AUTO_TEST_CASE(fails_if_the_driver_refuses_its_build_and_not_because_the_application_ends) {
  for (const std::string reason : {"executor and driver are different builds", "the application ends"}) {
    ExecutorWorld world;
    world.deliver(StopExecutor{reason});
    BOOST_TEST(world.reasons == std::vector<std::string>{reason});
    BOOST_TEST(world.failures == std::vector<bool>{reason != "the application ends"});
  }
}

BOOST_AUTO_TEST_CASE(exits_with_the_address_and_its_node_if_its_driver_cannot_be_reached) {
  ExecutorWorld world{true, "laptop:7000"};
  world.advance(60s);
  BOOST_TEST(world.has_ended(world.executor));
  BOOST_TEST_REQUIRE(world.reasons.size() == 1U);
  BOOST_TEST(world.reasons[0].starts_with("the Driver at laptop:7000 cannot be reached from node a; in client mode"));
  BOOST_TEST(world.failures == std::vector<bool>{true});
}

BOOST_AUTO_TEST_CASE(its_log_has_its_registrations_and_its_end) {
  ExecutorWorld world;
  world.deliver(RegisteredExecutor{Epoch{7}});
  world.deliver(RegisterAgain{Epoch{7}});
  world.deliver(RegisteredExecutor{Epoch{8}});
  world.deliver(StopExecutor{"the application ends"});
  const std::vector<std::string> expected{"executor_begins", "executor_registers_again", "executor_begins",
                                          "executor_leaves"};
  BOOST_TEST(world.events().names == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_exception_in_a_handler_ends_it_with_the_reason) {
  ExecutorWorld world;
  world.deliver(RegisteredExecutor{Epoch{7}});
  world.runner.breaks = true;
  world.deliver(LaunchTask{Epoch{7}, {{some_stage, 3, 2, 0, {}}}});
  BOOST_TEST(world.events().count("role_failed") == 1);
  BOOST_TEST(world.reasons == std::vector<std::string>{"the executor failed: no slot thread"});
  BOOST_TEST(world.failures == std::vector<bool>{true});
  BOOST_TEST(world.has_ended(world.executor));
}

BOOST_AUTO_TEST_CASE(a_stale_tick_sends_no_heartbeat) {
  ExecutorWorld world;
  world.deliver(RegisteredExecutor{Epoch{7}});
  world.say(world.executor, ExecutorTick{99});
  BOOST_TEST(world.driver.count<Heartbeat>() == 0);
}

BOOST_AUTO_TEST_CASE(remove_shuffles_of_the_current_epoch_removes_their_files) {
  ExecutorWorld world;
  world.deliver(RemoveShuffles{Epoch{7}, ShuffleId{3}, {}});  // another epoch
  world.deliver(RegisteredExecutor{Epoch{7}});
  world.deliver(RemoveShuffles{Epoch{7}, ShuffleId{5}, {ShuffleId{2}}});
  BOOST_TEST_REQUIRE(world.shuffle_files.removed.size() == 1U);
  BOOST_TEST(world.shuffle_files.removed[0].first.value == 5);
  BOOST_TEST((world.shuffle_files.removed[0].second == std::vector{ShuffleId{2}}));
}

BOOST_AUTO_TEST_CASE(reports_which_map_outputs_it_has_copied) {
  for (const bool takes : {true, false}) {
    ExecutorWorld world{takes};
    world.deliver(MigrateMapOutputs{Epoch{6}, ShuffleId{2}, 1, {5, 8}, {}});  // another epoch
    BOOST_TEST(world.driver.count<MapOutputsMigrated>() == 0);
    world.deliver(RegisteredExecutor{Epoch{7}});
    world.deliver(MigrateMapOutputs{Epoch{7}, ShuffleId{2}, 1, {5, 8}, {NodeId{1}, Epoch{1}, "h1", "", ""}});
    world.settle();
    const auto answer = world.driver.last<MapOutputsMigrated>();
    BOOST_TEST(answer.epoch.value == 7);
    BOOST_TEST((answer.maps == (takes ? std::vector<std::int32_t>{5} : std::vector<std::int32_t>{})));
    BOOST_TEST((answer.text == "h1") == takes);
  }
}

}  // namespace executor_test
}  // namespace heddle::actors
