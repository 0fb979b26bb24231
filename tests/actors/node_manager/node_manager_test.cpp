// Goal: containers start, are limited, end with YARN's exit statuses, and an ended application leaves no state. Method:
// fake ResourceManager, launcher and files around one NodeManager, virtual time.
#include "actors/node_manager/node_manager.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/actors/node_manager/node_world.hpp"

namespace heddle::actors {
namespace node_manager_test {
namespace {

BOOST_AUTO_TEST_CASE(the_folder_of_an_executor_is_removed_when_its_process_has_ended) {
  NodeWorld world;
  world.start(1);
  BOOST_TEST(world.files.executors.empty());
  world.end(1, 137, 9);
  BOOST_TEST((world.files.executors == std::vector<std::string>{"8"}));
}

BOOST_AUTO_TEST_CASE(a_decommissioning_node_reports_it_at_once_and_with_each_heartbeat) {
  NodeWorld world;
  BOOST_TEST(!world.cluster.last<NodeHeartbeat>().is_decommissioning);
  const int before = world.cluster.count<NodeHeartbeat>();
  world.say(world.cluster, world.node, BeginDecommission{});
  BOOST_TEST(world.cluster.count<NodeHeartbeat>() == before + 1);
  world.say(world.cluster, world.node, BeginDecommission{});
  BOOST_TEST(world.cluster.count<NodeHeartbeat>() == before + 1);
  world.start(7);
  world.advance(1s);
  BOOST_TEST(world.cluster.last<NodeHeartbeat>().is_decommissioning);
  BOOST_TEST(world.launcher.stopped.empty());
}

BOOST_AUTO_TEST_CASE(registers_and_lists_running_containers_in_heartbeats) {
  NodeWorld world;
  BOOST_TEST(world.cluster.last<RegisterNode>().address == "a:1");
  BOOST_TEST((world.cluster.last<RegisterNode>().capacity == Resource{8192, 8, {{"yarn.io/gpu", 2}}}));
  world.start(7);
  BOOST_TEST(world.cluster.last<NodeHeartbeat>().running.size() == 1U);
  const int before = world.cluster.count<NodeHeartbeat>();
  world.advance(3s);
  BOOST_TEST(world.cluster.count<NodeHeartbeat>() == before + 3);
}

BOOST_AUTO_TEST_CASE(heartbeats_use_the_instants_that_timers_of_a_process_share) {
  NodeWorld world;
  world.advance(30ms);
  world.say(world.cluster, world.node, RegisterNodeAgain{Epoch{3}});
  world.say(world.cluster, world.node, NodeRegistered{NodeId{4}, Epoch{4}});
  const int before = world.cluster.count<NodeHeartbeat>();
  const auto now = world.now().time_since_epoch();
  world.advance(1s - now % 100ms);
  BOOST_TEST(world.cluster.count<NodeHeartbeat>() == before + 1);
  world.advance(999ms);
  BOOST_TEST(world.cluster.count<NodeHeartbeat>() == before + 1);
  world.advance(1ms);
  BOOST_TEST(world.cluster.count<NodeHeartbeat>() == before + 2);
}

BOOST_AUTO_TEST_CASE(a_container_runs_the_program_with_a_complete_launch_spec) {
  NodeWorld world;
  world.start(7);
  const auto& context = world.launcher.contexts.at(0);
  BOOST_TEST((context.arguments == std::vector<std::string>{"/program"}));
  BOOST_REQUIRE(context.spec.has_value());
  LaunchSpec expected;
  expected.settings = "heddle.locality.wait=7s\n";
  expected.log_directory = "/state";
  expected.container = {ContainerId{7}, world.attempt, NodeId{3}, Epoch{3}, "a", 200,
                        "rm:1",         "shuffle:1",   "/files",  "secret"};
  expected.role = ExecutorLaunch{ExecutorId{8}, 2, ProfileId{1}, "driver:1", 0};
  BOOST_TEST((*context.spec == expected));
  BOOST_TEST(context.standard_error == "/logs/stderr");
}

BOOST_AUTO_TEST_CASE(the_environment_of_a_container_contains_only_the_host) {
  NodeWorld world;
  world.start(7);
  const std::vector<std::pair<std::string, std::string>> host{{"HEDDLE_NODE_HOST", "a"}};
  BOOST_TEST((world.launcher.contexts.at(0).environment == host));
}

BOOST_AUTO_TEST_CASE(an_invalid_launch_is_refused_with_the_reason) {
  const auto executor = [](std::int64_t id, std::int32_t cores, std::int64_t shuffle) {
    return ContainerLaunch{"", "/state", ExecutorLaunch{ExecutorId{id}, cores, ProfileId{0}, "driver:1", shuffle}};
  };
  const std::vector<std::pair<ContainerLaunch, std::string>> table{
      {executor(8, 0, 0), "an executor with 0 cores is requested, it can have 1 to 4096"},
      {executor(8, 1'000'000, 0), "an executor with 1000000 cores is requested, it can have 1 to 4096"},
      {executor(-1, 1, 0), "-1 is not an executor id"},
      {executor(8, 1, -1), "-1 is not a shuffle id"},
      {{"", "state", ApplicationMasterLaunch{}}, "its log directory 'state' is not an absolute path"},
      {{std::string(launch_settings_bytes_max + 1, 'x'), "", ApplicationMasterLaunch{}},
       "its settings have 1048577 bytes, the maximum is 1048576"}};
  for (const auto& [launch, reason] : table) {
    NodeWorld world;
    auto& allocator = world.peer("allocator:1");
    world.say(allocator, world.node, StartContainer{ContainerId{7}, world.attempt, {100, 1}, "secret", launch});
    BOOST_TEST(world.launcher.contexts.empty());
    const auto answer = allocator.last<ContainerNotStarted>();
    BOOST_TEST(answer.container.value == 7);
    BOOST_TEST(answer.text == "node a does not start it: " + reason);
    BOOST_TEST(world.cluster.last<ContainerExited>().completed.end.exit_status == 127);
    BOOST_TEST(world.events().count("start_refused") == 1);
  }
}

BOOST_AUTO_TEST_CASE(an_allocator_gets_the_result_of_its_start) {
  NodeWorld world;
  auto& allocator = world.peer("allocator:1");
  const auto start = [&](std::int64_t container) {
    world.say(allocator, world.node,
              StartContainer{ContainerId{container}, world.attempt, {100, 1}, "secret", NodeWorld::executor_launch()});
  };
  start(7);
  BOOST_TEST(allocator.last<ContainerStarted>().container.value == 7);
  world.launcher.is_full = true;
  start(8);
  BOOST_TEST(allocator.last<ContainerNotStarted>().container.value == 8);
  BOOST_TEST(allocator.last<ContainerNotStarted>().text == "it could not be started: no descriptors are left");
  world.say(world.cluster, world.node, StopContainer{ContainerId{9}, 0, ""});
  start(9);
  BOOST_TEST(allocator.last<ContainerNotStarted>().container.value == 9);
  BOOST_TEST(allocator.count<ContainerNotStarted>() == 2);
  world.launcher.is_full = false;
  world.start(10);
  BOOST_TEST(world.cluster.count<ContainerStarted>() == 0);
}

BOOST_AUTO_TEST_CASE(an_end_is_reported_once_with_the_exit_code_of_the_process) {
  NodeWorld world;
  world.start(7);
  world.end(1, 137, 9);
  BOOST_TEST(world.cluster.count<ContainerExited>() == 1);
  BOOST_TEST(world.cluster.last<ContainerExited>().completed.end.exit_status == 137);
}

BOOST_AUTO_TEST_CASE(a_stop_can_set_the_reported_exit_status) {
  NodeWorld world;
  world.start(7);
  world.say(world.cluster, world.node, StopContainer{ContainerId{7}, -105, "not needed"});
  BOOST_TEST(world.launcher.stopped.count(1) == 1U);
  world.end(1, 143, 15);
  BOOST_TEST(world.cluster.last<ContainerExited>().completed.end.exit_status == -105);
}

BOOST_AUTO_TEST_CASE(a_container_that_was_stopped_before_its_start_does_not_start) {
  NodeWorld world;
  world.say(world.cluster, world.node, StopContainer{ContainerId{7}, 0, "released"});
  world.start(7);
  BOOST_TEST(world.launcher.contexts.empty());
}

BOOST_AUTO_TEST_CASE(a_failed_start_is_reported_as_an_end) {
  NodeWorld world;
  world.launcher.is_full = true;
  world.start(7);
  BOOST_TEST(world.cluster.last<ContainerExited>().completed.end.exit_status == 127);
}

BOOST_AUTO_TEST_CASE(a_container_that_stays_above_its_memory_limit_ends_with_status_104) {
  NodeWorld world;
  world.start(7);
  world.launcher.resident = std::int64_t{150} << 20;
  world.advance(4s);
  BOOST_TEST(world.launcher.stopped.empty());
  world.advance(3s);
  BOOST_TEST(world.launcher.stopped.size() == 1U);
  world.end(1, 137, 9);
  BOOST_TEST(world.cluster.last<ContainerExited>().completed.end.exit_status == -104);
}

BOOST_AUTO_TEST_CASE(a_hanging_measurement_blocks_neither_heartbeats_nor_starts) {
  NodeWorld world;
  world.start(7);
  world.launcher.is_measuring_slow = true;
  world.launcher.resident = std::int64_t{300} << 20;
  world.advance(10s);
  BOOST_TEST(world.launcher.measurements.size() == 1U);  // later checks start no second measurement
  BOOST_TEST(world.events().count("memory_measurement_late") == 1);
  const int heartbeats = world.cluster.count<NodeHeartbeat>();
  world.advance(5s);
  BOOST_TEST(world.cluster.count<NodeHeartbeat>() > heartbeats);
  world.start(8);
  BOOST_TEST(world.launcher.contexts.size() == 2U);
  BOOST_TEST(world.launcher.stopped.empty());
  world.launcher.finish_measurements();
  world.settle();
  BOOST_TEST((world.launcher.stopped == std::set<std::int64_t>{1}));
  world.advance(4s);
  BOOST_TEST(world.launcher.measurements.size() == 1U);  // of the other container
}

BOOST_AUTO_TEST_CASE(a_container_that_ends_during_a_measurement_is_ignored) {
  NodeWorld world;
  world.start(7);
  world.launcher.is_measuring_slow = true;
  world.launcher.resident = std::int64_t{300} << 20;
  world.advance(4s);
  world.end(1, 0);
  world.launcher.finish_measurements();
  world.settle();
  BOOST_TEST(world.launcher.stopped.empty());
  BOOST_TEST(world.cluster.last<ContainerExited>().completed.end.exit_status == 0);
}

BOOST_AUTO_TEST_CASE(files_of_an_application_are_removed_when_its_last_container_has_ended) {
  NodeWorld world;
  world.start(7);
  world.say(world.cluster, world.node, ForgetApplication{world.attempt.application});
  BOOST_TEST(world.launcher.stopped.size() == 1U);
  BOOST_TEST(world.files.forgotten == 0);
  world.end(1, 143, 15);
  BOOST_TEST(world.files.forgotten == 1);
  world.start(8);
  BOOST_TEST(world.launcher.contexts.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_node_that_registers_again_kills_its_old_containers) {
  NodeWorld world;
  world.start(7);
  world.say(world.cluster, world.node, NodeRegistered{NodeId{4}, Epoch{4}});
  BOOST_TEST(world.launcher.stopped.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_lost_node_registers_again_once_and_sends_nothing_until_the_answer) {
  NodeWorld world;
  const int registrations = world.cluster.count<RegisterNode>();
  world.say(world.cluster, world.node, RegisterNodeAgain{Epoch{2}});  // of an older epoch
  BOOST_TEST(world.cluster.count<RegisterNode>() == registrations);
  world.say(world.cluster, world.node, RegisterNodeAgain{Epoch{3}});
  world.say(world.cluster, world.node, RegisterNodeAgain{Epoch{3}});
  BOOST_TEST(world.cluster.count<RegisterNode>() == registrations + 1);
  const int heartbeats = world.cluster.count<NodeHeartbeat>();
  world.advance(5s);
  BOOST_TEST(world.cluster.count<NodeHeartbeat>() == heartbeats);
  world.say(world.cluster, world.node, NodeRegistered{NodeId{4}, Epoch{4}});
  world.advance(5s);
  BOOST_TEST(world.cluster.last<NodeHeartbeat>().node.value == 4);
  BOOST_TEST(!world.has_ended(world.node));
}

BOOST_AUTO_TEST_CASE(a_refused_node_exits) {
  NodeWorld world;
  world.say(world.cluster, world.node, NodeRefused{"its build is another one"});
  BOOST_TEST(world.has_ended(world.node));
}

BOOST_AUTO_TEST_CASE(an_unknown_process_and_a_stale_tick_change_nothing) {
  NodeWorld world;
  world.start(7);
  const int heartbeats = world.cluster.count<NodeHeartbeat>();
  world.say(world.node, ProcessEnded{99, {1, 0}});
  world.say(world.node, NodeManagerTick{9999});
  BOOST_TEST(world.cluster.count<ContainerExited>() == 0);
  BOOST_TEST(world.cluster.count<NodeHeartbeat>() == heartbeats);
}

}  // namespace
}  // namespace node_manager_test
}  // namespace heddle::actors
