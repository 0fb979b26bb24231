// Goal: containers start, are watched, end with YARN's numbers, and nothing of an ended application stays.
// Method: fake ResourceManager, launcher and files around one NodeManager, virtual time.
#include "actors/node_manager/node_manager.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/actors/node_manager/node_world.hpp"

namespace heddle::actors {
namespace node_manager_test {
namespace {

BOOST_AUTO_TEST_CASE(the_folder_of_an_executor_goes_when_its_process_has_ended) {
  NodeWorld world;
  world.start(1);
  BOOST_TEST(world.files.executors.empty());
  world.end(1, 137, 9);
  BOOST_TEST((world.files.executors == std::vector<std::string>{"8"}));
}

BOOST_AUTO_TEST_CASE(a_node_that_will_go_says_so_at_once_and_with_each_beat) {
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

BOOST_AUTO_TEST_CASE(registers_and_beats_with_what_runs) {
  NodeWorld world;
  BOOST_TEST(world.cluster.last<RegisterNode>().address == "a:1");
  BOOST_TEST((world.cluster.last<RegisterNode>().extras == ExtraResources{{"yarn.io/gpu", 2}}));
  world.start(7);
  BOOST_TEST(world.cluster.last<NodeHeartbeat>().running.size() == 1U);
  const int before = world.cluster.count<NodeHeartbeat>();
  world.advance(3s);
  BOOST_TEST(world.cluster.count<NodeHeartbeat>() == before + 3);
}

BOOST_AUTO_TEST_CASE(a_container_is_the_program_in_its_role_with_all_it_has_to_know) {
  NodeWorld world;
  world.start(7);
  const auto& context = world.launcher.contexts.at(0);
  BOOST_TEST(context.arguments.size() == 3U);
  BOOST_TEST(context.arguments.at(1) == "heddle-role");
  std::map<std::string, std::string> environment(context.environment.begin(), context.environment.end());
  BOOST_TEST(environment["HEDDLE_CONTAINER_ID"] == "7");
  BOOST_TEST(environment["HEDDLE_NODE_ID"] == "3");
  BOOST_TEST(environment["HEDDLE_TOKEN"] == "secret");
  BOOST_TEST(environment["HEDDLE_APPLICATION_DIRECTORY"] == "/files");
  BOOST_TEST(environment["HEDDLE_EXECUTOR_ID"] == "8");
  BOOST_TEST(context.standard_error == "/logs/stderr");
}

BOOST_AUTO_TEST_CASE(a_launch_that_sets_a_foreign_variable_is_refused_with_its_name) {
  for (const std::string name :
       {"LD_PRELOAD", "LD_LIBRARY_PATH", "PATH", "HEDDLE_TOKEN", "HEDDLE_APPLICATION_DIRECTORY"}) {
    NodeWorld world;
    auto& allocator = world.peer("allocator:1");
    world.say(allocator, world.node,
              StartContainer{ContainerId{7}, world.attempt, {100, 1}, "secret", {"executor", {{name, "/x"}}}});
    BOOST_TEST(world.launcher.contexts.empty());
    const auto answer = allocator.last<ContainerNotStarted>();
    BOOST_TEST(answer.container.value == 7);
    BOOST_TEST(answer.text == "node a does not let a launch set the variable " + name);
    BOOST_TEST(world.cluster.last<ContainerExited>().end.exit_status == 127);
    BOOST_TEST(world.events().count("start_refused") == 1);
  }
}

BOOST_AUTO_TEST_CASE(an_allocator_is_answered_whether_its_container_was_started) {
  NodeWorld world;
  auto& allocator = world.peer("allocator:1");
  const auto start = [&](std::int64_t container) {
    world.say(allocator, world.node,
              StartContainer{ContainerId{container}, world.attempt, {100, 1}, "secret", {"executor", {}}});
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

BOOST_AUTO_TEST_CASE(an_end_is_reported_once_with_the_process_own_status) {
  NodeWorld world;
  world.start(7);
  world.end(1, 137, 9);
  BOOST_TEST(world.cluster.count<ContainerExited>() == 1);
  BOOST_TEST(world.cluster.last<ContainerExited>().end.exit_status == 137);
}

BOOST_AUTO_TEST_CASE(a_stop_may_name_the_status_that_is_reported) {
  NodeWorld world;
  world.start(7);
  world.say(world.cluster, world.node, StopContainer{ContainerId{7}, -105, "not needed"});
  BOOST_TEST(world.launcher.stopped.count(1) == 1U);
  world.end(1, 143, 15);
  BOOST_TEST(world.cluster.last<ContainerExited>().end.exit_status == -105);
}

BOOST_AUTO_TEST_CASE(a_container_that_was_stopped_before_its_start_does_not_start) {
  NodeWorld world;
  world.say(world.cluster, world.node, StopContainer{ContainerId{7}, 0, "released"});
  world.start(7);
  BOOST_TEST(world.launcher.contexts.empty());
}

BOOST_AUTO_TEST_CASE(a_start_that_fails_is_an_end) {
  NodeWorld world;
  world.launcher.is_full = true;
  world.start(7);
  BOOST_TEST(world.cluster.last<ContainerExited>().end.exit_status == 127);
}

BOOST_AUTO_TEST_CASE(a_group_that_stays_over_its_memory_ends_with_104) {
  NodeWorld world;
  world.start(7);
  world.launcher.resident = std::int64_t{150} << 20;
  world.advance(4s);
  BOOST_TEST(world.launcher.stopped.empty());
  world.advance(3s);
  BOOST_TEST(world.launcher.stopped.size() == 1U);
  world.end(1, 137, 9);
  BOOST_TEST(world.cluster.last<ContainerExited>().end.exit_status == -104);
}

BOOST_AUTO_TEST_CASE(files_of_an_application_go_when_its_last_container_has_ended) {
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

BOOST_AUTO_TEST_CASE(a_node_that_is_registered_anew_kills_what_ran_before) {
  NodeWorld world;
  world.start(7);
  world.say(world.cluster, world.node, RegisteredNode{NodeId{4}, Epoch{4}});
  BOOST_TEST(world.launcher.stopped.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_node_that_was_given_up_registers_again_once_and_keeps_silent_until_it_is_known) {
  NodeWorld world;
  const int registrations = world.cluster.count<RegisterNode>();
  world.say(world.cluster, world.node, RegisteredNode{NodeId{}, Epoch{2}});  // of a life that is over anyway
  BOOST_TEST(world.cluster.count<RegisterNode>() == registrations);
  world.say(world.cluster, world.node, RegisteredNode{NodeId{}, Epoch{3}});
  world.say(world.cluster, world.node, RegisteredNode{NodeId{}, Epoch{3}});
  BOOST_TEST(world.cluster.count<RegisterNode>() == registrations + 1);
  const int beats = world.cluster.count<NodeHeartbeat>();
  world.advance(5s);
  BOOST_TEST(world.cluster.count<NodeHeartbeat>() == beats);
  world.say(world.cluster, world.node, RegisteredNode{NodeId{4}, Epoch{4}});
  world.advance(5s);
  BOOST_TEST(world.cluster.last<NodeHeartbeat>().node.value == 4);
  BOOST_TEST(!world.has_ended(world.node));
}

BOOST_AUTO_TEST_CASE(a_refused_node_ends) {
  NodeWorld world;
  world.say(world.cluster, world.node, RegisteredNode{});
  BOOST_TEST(world.has_ended(world.node));
}

BOOST_AUTO_TEST_CASE(an_unknown_process_and_a_tick_of_an_older_timer_change_nothing) {
  NodeWorld world;
  world.start(7);
  const int beats = world.cluster.count<NodeHeartbeat>();
  world.say(world.node, ProcessEnded{99, 1, 0});
  world.say(world.node, NodeManagerTick{9999});
  BOOST_TEST(world.cluster.count<ContainerExited>() == 0);
  BOOST_TEST(world.cluster.count<NodeHeartbeat>() == beats);
}

}  // namespace
}  // namespace node_manager_test
}  // namespace heddle::actors
