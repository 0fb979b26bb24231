// Goal: applications get their master and their containers, ends are reported, and losses lead to new attempts or to
// the end. Method: fake client, nodes, master and allocator around one ResourceManager with FIFO rules, virtual time.
#include <boost/test/unit_test.hpp>
#include <limits>

#include "actors/resource_manager/cluster_start.hpp"
#include "policies/containers/response_id.hpp"
#include "tests/actors/resource_manager/cluster_world.hpp"

namespace heddle::actors {
namespace resource_manager_test {
namespace {

BOOST_AUTO_TEST_CASE(an_accepted_application_gets_its_master_container) {
  ClusterWorld world;
  world.submit();
  BOOST_TEST(world.client.count<ApplicationAccepted>() == 1);
  world.add_node(world.node, "a", 4096);
  BOOST_TEST(world.node.last<StartContainer>().launch.log_directory == "/state");
  BOOST_TEST(world.node.last<StartContainer>().token == known_token);
}

BOOST_AUTO_TEST_CASE(a_too_large_master_is_refused_with_the_amounts) {
  ClusterWorld world;
  world.say(world.client, world.cluster, SubmitApplication{"big", "default", "me", {9000, 1}, 2, {"", "/state", {}}});
  BOOST_TEST(world.client.last<ApplicationRefused>().text.find("9000 MiB") != std::string::npos);
  BOOST_TEST(world.client.count<ApplicationAccepted>() == 0);
}

// C-Y-153: node labels are off here, and several labels in one expression are always invalid.
BOOST_AUTO_TEST_CASE(an_application_with_a_node_label_is_refused_with_the_error_text_of_hadoop) {
  ClusterWorld world;
  world.add_node(world.node, "a", 4096);
  const auto refusal = [&world](const std::string& label) {
    world.say(world.client, world.cluster,
              SubmitApplication{"labelled", "default", "me", {512, 1}, 2, {"", "/state", {}}, label});
    return world.client.last<ApplicationRefused>().text;
  };
  BOOST_TEST(refusal("x") ==
             "Invalid resource request, node label not enabled but request contains label expression x");
  BOOST_TEST(refusal("x && y") == "Cannot specify more than one node label in a single node label expression: x && y");
  BOOST_TEST(world.client.count<ApplicationAccepted>() == 0);
}

BOOST_AUTO_TEST_CASE(free_resources_are_granted_in_the_answer_and_later_ones_are_announced_once) {
  ClusterWorld world;
  world.start(2560);
  const auto first = world.ask(0, 4);
  BOOST_TEST(first.allocated.size() == 2U);
  BOOST_TEST(first.allocated.at(0).node_address == "a:1");
  for (const auto& each : first.allocated) world.end(world.node, each.container, 1);
  BOOST_TEST(world.allocator.count<AllocationAvailable>() == 1);
  const auto second = world.ask(1, 0);
  BOOST_TEST(second.completed.size() == 2U);
  BOOST_TEST(second.completed.at(0).end.exit_status == 1);
  BOOST_TEST(second.allocated.size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_client_learns_once_how_much_memory_its_application_waits_for) {
  ClusterWorld world;
  world.start(1024);
  BOOST_TEST(world.ask(0, 1).allocated.empty());
  world.advance(4s);
  BOOST_TEST(world.client.count<Notice>() == 0);
  world.advance(2s);
  BOOST_TEST(
      world.client.last<Notice>().text ==
      "a container waits in default: No node with a heartbeat had enough memory for the requested container. It needs "
      "1024 MiB of memory; the most that is free is 512 of 1024 MiB, on node a.");
  world.ask(1, 2);
  world.say(world.node, world.cluster,
            NodeHeartbeat{world.node.last<NodeRegistered>().node,
                          world.node.last<NodeRegistered>().epoch,
                          {world.node.last<StartContainer>().container}});
  world.advance(7s);
  BOOST_TEST(world.client.count<Notice>() == 1);
}

BOOST_AUTO_TEST_CASE(an_application_with_a_container_gets_no_notice_about_waiting) {
  ClusterWorld world;
  world.start(2048);
  BOOST_TEST(world.ask(0, 5).allocated.size() == 1U);
  world.advance(9s);
  BOOST_TEST(world.client.count<Notice>() == 0);
}

// C-Y-131: response ids 0, 1, 1 again, 0.
BOOST_AUTO_TEST_CASE(a_repeated_request_gets_the_same_answer_and_an_older_one_none) {
  ClusterWorld world;
  world.start();
  BOOST_TEST(world.ask(0, 1).response_id == 1);
  BOOST_TEST(world.ask(1, 0).response_id == 2);
  BOOST_TEST(world.ask(1, 0).response_id == 2);
  world.ask(0, 0);
  BOOST_TEST(world.allocator.count<AllocateResponse>() == 3);
  BOOST_TEST(world.events().count("stale_allocate_request") == 1);
}

// C-Y-132.
BOOST_AUTO_TEST_CASE(response_ids_restart_at_zero_after_the_largest) {
  BOOST_TEST(policies::next_response_id(std::numeric_limits<std::int32_t>::max()) == 0);
  BOOST_TEST(policies::next_response_id(0) == 1);
}

// C-Y-133.
BOOST_AUTO_TEST_CASE(a_container_of_another_application_is_not_released) {
  ClusterWorld world;
  world.start();
  const ContainerId executor = world.ask(0, 1).allocated.at(0).container;
  auto& other_master = world.peer("master:2");
  auto& other = world.peer("allocator:2");
  world.submit();
  world.say(other_master, world.cluster, RegisterApplicationMaster{{{1000, 2}, 1}, "master:2", "", known_token});
  AllocateRequest request;
  request.attempt = {{1000, 2}, 1};
  request.release = {executor};
  world.say(other, world.cluster, request);
  BOOST_TEST(world.ask(1, 0).completed.empty());
  BOOST_TEST(world.node.count<StopContainer>() == 0);
}

// C-Y-138: the largest container has 8192 MiB and 4 cores. The other requests of the message are refused too.
BOOST_AUTO_TEST_CASE(a_request_with_a_too_large_container_is_refused_as_a_whole) {
  ClusterWorld world;
  world.start(16'384);
  const auto ask = [&](std::int32_t response_id, std::vector<ResourceRequest> asks) {
    AllocateRequest request;
    request.attempt = world.attempt;
    request.response_id = response_id;
    request.asks = std::move(asks);
    world.say(world.allocator, world.cluster, request);
    return world.allocator.last<AllocateResponse>();
  };
  BOOST_TEST(ask(0, {{0, "*", {1024, 1}, 1, true}, {1, "*", {9216, 1}, 1, true}}).allocated.empty());
  BOOST_TEST(world.events().count("asks_refused") == 1);
  BOOST_TEST(ask(1, {{1, "*", {8192, 18}, 1, true}}).allocated.empty());
  BOOST_TEST(world.events().count("asks_refused") == 2);
  BOOST_TEST(ask(2, {{1, "*", {8192, 1}, 1, true}}).allocated.size() == 1U);
  BOOST_TEST(world.events().count("asks_refused") == 2);
}

// C-Y-136, C-Y-137: the end is reported ten times and counts once; a later request gets nothing.
BOOST_AUTO_TEST_CASE(an_application_finishes_once) {
  ClusterWorld world;
  world.start();
  world.ask(0, 0);
  for (int i = 0; i < 10; ++i) world.say(world.master, world.cluster, FinishApplication{world.attempt, true, "done"});
  BOOST_TEST(world.client.count<ApplicationEnded>() == 1);
  BOOST_TEST(world.events().count("application_ended") == 1);
  const AllocateResponse late = world.ask(1, 2);
  BOOST_TEST(late.allocated.empty());
  BOOST_TEST((late.registration == AttemptRegistration::unknown_attempt));
}

// C-Y-135: finish, then register, finish.
BOOST_AUTO_TEST_CASE(a_finish_before_the_registration_is_refused_with_the_error_text_of_hadoop) {
  ClusterWorld world;
  world.add_node(world.node, "a", 4096);
  world.submit();
  world.say(world.master, world.cluster, FinishApplication{world.attempt, true, "done"});
  BOOST_TEST(world.master.last<ApplicationMasterNotRegistered>().text ==
             "Application Master is trying to unregister before registering for: application_1000_0001");
  BOOST_TEST(world.master.count<FinishedApplication>() == 0);
  BOOST_TEST(world.client.count<ApplicationEnded>() == 0);
  world.say(world.master, world.cluster, RegisterApplicationMaster{world.attempt, "master:1", "", known_token});
  BOOST_TEST(world.master.count<RegisteredApplicationMaster>() == 1);
  world.say(world.master, world.cluster, FinishApplication{world.attempt, true, "done"});
  BOOST_TEST(world.master.count<FinishedApplication>() == 1);
  BOOST_TEST(world.client.last<ApplicationEnded>().succeeded);
}

// C-Y-139: the answer to the registration lists the counted kinds; FIFO rules count memory only.
BOOST_AUTO_TEST_CASE(a_master_gets_the_kinds_that_the_scheduler_counts) {
  ClusterWorld world;
  world.start();
  BOOST_TEST((world.master.last<RegisteredApplicationMaster>().counted == ResourceKinds{ResourceKind::memory}));
}

// C-Y-142: exits that the cluster caused do not count; of two attempts, the second counted one is the last.
BOOST_AUTO_TEST_CASE(only_attempts_that_the_application_failed_count) {
  ClusterWorld world;
  world.start();
  std::int32_t attempt = 1;
  for (const std::int32_t status : {-102, -106, -101, -100, 1}) {
    world.end(world.node, world.node.last<StartContainer>().container, status);
    BOOST_TEST(world.node.last<StartContainer>().attempt.attempt == ++attempt, "after " << status);
  }
  BOOST_TEST(world.client.count<ApplicationEnded>() == 0);
  world.end(world.node, world.node.last<StartContainer>().container, 1);
  BOOST_TEST(world.client.count<ApplicationEnded>() == 1);
  BOOST_TEST(!world.client.last<ApplicationEnded>().succeeded);
}

BOOST_AUTO_TEST_CASE(an_attempt_learns_whether_it_is_unknown_or_not_registered) {
  ClusterWorld world;
  BOOST_TEST((world.ask(0, 1).registration == AttemptRegistration::unknown_attempt));
  BOOST_TEST(world.events().count("unknown_attempt") == 1);
  world.add_node(world.node, "a", 4096);
  world.submit();
  BOOST_TEST((world.ask(0, 1).registration == AttemptRegistration::not_registered));
  BOOST_TEST(world.events().count("allocate_before_registration") == 1);
  world.say(world.master, world.cluster, RegisterApplicationMaster{world.attempt, "master:1", "", known_token});
  BOOST_TEST((world.ask(0, 1).registration == AttemptRegistration::registered));
}

BOOST_AUTO_TEST_CASE(a_lost_master_is_restarted_until_the_attempt_limit) {
  ClusterWorld world;
  world.start();
  world.end(world.node, world.node.last<StartContainer>().container, 137);
  BOOST_TEST(world.node.last<StartContainer>().attempt.attempt == 2);
  BOOST_TEST(world.client.count<ApplicationEnded>() == 0);
  BOOST_TEST(world.client.last<Notice>().text.find("attempt 2 starts") != std::string::npos);
  world.end(world.node, world.node.last<StartContainer>().container, 137);
  BOOST_TEST(world.client.count<ApplicationEnded>() == 1);
  BOOST_TEST(!world.client.last<ApplicationEnded>().succeeded);
  BOOST_TEST(world.node.count<ForgetApplication>() == 1);
}

BOOST_AUTO_TEST_CASE(a_finished_application_releases_its_containers_and_files) {
  ClusterWorld world;
  world.start();
  const auto executor = world.ask(0, 1).allocated.at(0).container;
  const auto master_container = world.node.last<StartContainer>().container;
  world.say(world.master, world.cluster, FinishApplication{world.attempt, true, "done"});
  BOOST_TEST(world.master.count<FinishedApplication>() == 1);
  BOOST_TEST(world.client.last<ApplicationEnded>().succeeded);
  BOOST_TEST(world.node.last<StopContainer>().container.value == executor.value);
  BOOST_TEST(world.node.count<ForgetApplication>() == 0);
  world.end(world.node, executor, 143);
  world.end(world.node, master_container, 0);
  BOOST_TEST(world.node.count<ForgetApplication>() == 1);
}

BOOST_AUTO_TEST_CASE(a_finished_master_that_does_not_exit_is_stopped) {
  ClusterWorld world;
  world.start();
  const auto master_container = world.node.last<StartContainer>().container;
  world.say(world.master, world.cluster, FinishApplication{world.attempt, true, "done"});
  BOOST_TEST(world.node.count<StopContainer>() == 0);
  world.advance(3s);
  BOOST_TEST(world.node.last<StopContainer>().container.value == master_container.value);
}

BOOST_AUTO_TEST_CASE(a_killed_application_ends_at_once) {
  ClusterWorld world;
  world.start();
  world.say(world.client, world.cluster, KillApplication{world.attempt.application, "enough"});
  BOOST_TEST(!world.client.last<ApplicationEnded>().succeeded);
  BOOST_TEST(world.node.count<StopContainer>() == 1);
}

BOOST_AUTO_TEST_CASE(a_lost_node_ends_its_containers_and_is_reported_to_allocators) {
  ClusterWorld world;
  world.start(512);
  auto& other = world.peer("node:2");
  world.add_node(other, "b", 4096);
  const auto executor = world.ask(0, 1).allocated.at(0);
  BOOST_TEST(executor.host == "b");
  world.kill(other);
  BOOST_TEST(world.allocator.count<AllocationAvailable>() == 1);
  const auto answer = world.ask(1, 0);
  BOOST_TEST(answer.completed.at(0).end.exit_status == -100);
  BOOST_TEST((answer.updated_nodes == std::vector{NodeUpdate{executor.node, "b", NodeCondition::lost}}));
  BOOST_TEST(answer.cluster_nodes == 1);
}

BOOST_AUTO_TEST_CASE(a_decommissioning_node_gets_no_container_and_its_host_is_reported) {
  ClusterWorld world;
  world.start(512);
  auto& other = world.peer("node:2");
  world.add_node(other, "b", 4096);
  const auto registered = other.last<NodeRegistered>();
  const auto executor = world.ask(0, 1).allocated.at(0);
  NodeHeartbeat leaving{registered.node, registered.epoch, {executor.container}, true};
  world.say(other, world.cluster, leaving);
  BOOST_TEST(world.allocator.count<AllocationAvailable>() == 1);
  const auto answer = world.ask(1, 1);
  BOOST_TEST(answer.allocated.empty());
  BOOST_TEST((answer.updated_nodes == std::vector{NodeUpdate{registered.node, "b", NodeCondition::decommissioning}}));
  world.say(other, world.cluster, leaving);
  const auto next = world.ask(2, 0);
  BOOST_TEST(next.allocated.empty());
  BOOST_TEST(next.updated_nodes.empty());
  auto& third = world.peer("node:3");
  world.add_node(third, "c", 4096);
  BOOST_TEST(world.ask(3, 0).allocated.at(0).host == "c");
}

BOOST_AUTO_TEST_CASE(a_decommissioning_node_that_registers_again_gets_no_container) {
  ClusterWorld world;
  world.start(512);
  auto& other = world.peer("node:2");
  world.say(other, world.cluster, RegisterNode{"b", "/r1", "b:1", {4096, 4}, "build", true});
  const auto answer = world.ask(0, 1);
  BOOST_TEST(answer.allocated.empty());
  const NodeUpdate update{other.last<NodeRegistered>().node, "b", NodeCondition::decommissioning};
  BOOST_TEST((answer.updated_nodes == std::vector{update}));
  world.kill(other);
  BOOST_TEST(world.ask(1, 0).updated_nodes.empty());  // the application had no container there
}

BOOST_AUTO_TEST_CASE(a_decommissioning_node_that_is_lost_before_the_answer_is_reported_as_lost_only) {
  ClusterWorld world;
  world.start(512);
  auto& other = world.peer("node:2");
  world.add_node(other, "b", 4096);
  const auto registered = other.last<NodeRegistered>();
  const auto executor = world.ask(0, 1).allocated.at(0);
  world.say(other, world.cluster, NodeHeartbeat{registered.node, registered.epoch, {executor.container}, true});
  world.kill(other);
  BOOST_TEST((world.ask(1, 0).updated_nodes == std::vector{NodeUpdate{registered.node, "b", NodeCondition::lost}}));
}

BOOST_AUTO_TEST_CASE(the_first_answer_to_each_attempt_has_all_decommissioning_nodes) {
  ClusterWorld world;
  world.start();
  auto& other = world.peer("node:2");
  world.say(other, world.cluster, RegisterNode{"b", "/r1", "b:1", {4096, 4}, "build", true});
  const NodeUpdate update{other.last<NodeRegistered>().node, "b", NodeCondition::decommissioning};
  BOOST_TEST((world.ask(0, 0).updated_nodes == std::vector{update}));
  BOOST_TEST(world.ask(1, 0).updated_nodes.empty());
  world.end(world.node, world.node.last<StartContainer>().container, 1);
  world.attempt = world.node.last<StartContainer>().attempt;
  world.say(world.master, world.cluster, RegisterApplicationMaster{world.attempt, "master:1", "", known_token});
  BOOST_TEST((world.ask(0, 0).updated_nodes == std::vector{update}));
}

BOOST_AUTO_TEST_CASE(each_answer_has_the_headroom_that_is_left) {
  ClusterWorld world;
  world.start();
  BOOST_TEST(world.ask(0, 1).headroom.memory_mib == 4096 - 512 - 1024);
  BOOST_TEST(world.ask(1, 0).headroom.memory_mib == 4096 - 512 - 1024);
  world.submit();  // the master of another application
  BOOST_TEST(world.ask(2, 0).headroom.memory_mib == 4096 - 2 * 512 - 1024);
}

BOOST_AUTO_TEST_CASE(a_silent_node_is_lost_with_its_master_and_the_attempt_does_not_count) {
  ClusterWorld world;
  world.start();
  world.advance(11s);
  BOOST_TEST(world.events().count("node_lost") == 1);
  auto& other = world.peer("node:2");
  world.add_node(other, "b", 4096);
  BOOST_TEST(other.last<StartContainer>().attempt.attempt == 2);
}

BOOST_AUTO_TEST_CASE(the_next_attempt_gets_the_node_that_was_lost_with_the_master) {
  ClusterWorld world;
  world.start();
  const auto lost = world.node.last<NodeRegistered>().node;
  world.kill(world.node);
  BOOST_TEST(world.master.count<FinishedApplication>() == 1);  // in case its process still runs
  auto& other = world.peer("node:2");
  world.add_node(other, "b", 4096);
  world.attempt = other.last<StartContainer>().attempt;
  auto& next = world.peer("master:2");
  world.say(next, world.cluster, RegisterApplicationMaster{world.attempt, "master:2", "driver:2", known_token});
  BOOST_TEST(world.client.last<DriverReady>().attempt.attempt == 2);
  BOOST_TEST(world.client.last<DriverReady>().address == "driver:2");
  const auto answer = world.ask(0, 0);
  BOOST_TEST((answer.updated_nodes == std::vector{NodeUpdate{lost, "a", NodeCondition::lost}}));
}

BOOST_AUTO_TEST_CASE(a_container_that_its_node_no_longer_lists_has_ended) {
  ClusterWorld world;
  world.start();
  const auto executor = world.ask(0, 1).allocated.at(0).container;
  const auto registered = world.node.last<NodeRegistered>();
  const auto master_container = world.node.last<StartContainer>().container;
  world.say(world.node, world.cluster, NodeHeartbeat{registered.node, registered.epoch, {master_container, executor}});
  world.say(world.node, world.cluster, NodeHeartbeat{registered.node, registered.epoch, {master_container}});
  BOOST_TEST(world.ask(1, 0).completed.at(0).end.exit_status == -100);
}

BOOST_AUTO_TEST_CASE(a_master_whose_connection_breaks_is_stopped_and_written_as_event) {
  ClusterWorld world;
  world.start();
  world.kill(world.master);
  BOOST_TEST(world.events().count("master_lost") == 1);
  BOOST_TEST(world.node.count<StopContainer>() == 1);
}

BOOST_AUTO_TEST_CASE(a_lost_node_that_sends_a_heartbeat_again_must_register) {
  ClusterWorld world;
  const auto given_up = world.add_node(world.node, "a", 4096);
  const auto epoch = world.node.last<NodeRegistered>().epoch;
  world.advance(11s);
  BOOST_TEST(world.events().count("node_lost") == 1);
  world.say(world.node, world.cluster, NodeHeartbeat{given_up, epoch, {}});
  BOOST_TEST((world.node.last<RegisterNodeAgain>().epoch == epoch));
}

BOOST_AUTO_TEST_CASE(a_node_of_another_build_is_refused) {
  ClusterWorld world;
  world.say(world.node, world.cluster, RegisterNode{"a", "/r1", "a:1", {1024, 1}, "other"});
  BOOST_TEST(world.node.count<NodeRegistered>() == 0);
  BOOST_TEST(world.node.last<NodeRefused>().reason ==
             "its build of heddle is other, that of the ResourceManager is build");
}

BOOST_AUTO_TEST_CASE(a_master_without_the_token_is_refused) {
  ClusterWorld world;
  world.add_node(world.node, "a", 4096);
  world.submit();
  auto& stranger = world.peer("stranger:1");
  for (const std::string& guess : {std::string{}, std::string(32, 'u')}) {
    world.say(stranger, world.cluster, RegisterApplicationMaster{world.attempt, "stranger:1", "evil:1", guess});
    BOOST_TEST(stranger.count<RegisteredApplicationMaster>() == 0);
  }
  BOOST_TEST(world.client.count<DriverReady>() == 0);
  BOOST_TEST(world.events().count("foreign_application_master") == 2);
  world.say(world.master, world.cluster, RegisterApplicationMaster{world.attempt, "master:1", "", known_token});
  BOOST_TEST(world.master.last<RegisteredApplicationMaster>().token == known_token);
  world.say(stranger, world.cluster, RegisterApplicationMaster{world.attempt, "stranger:1", "", ""});
  BOOST_TEST(stranger.count<RegisteredApplicationMaster>() == 0);
}

BOOST_AUTO_TEST_CASE(the_client_gets_the_address_of_a_driver_in_the_master) {
  ClusterWorld world;
  world.add_node(world.node, "a", 4096);
  world.submit();
  world.say(world.master, world.cluster, RegisterApplicationMaster{world.attempt, "master:1", "driver:9", known_token});
  BOOST_TEST(world.client.last<DriverReady>().address == "driver:9");
}

BOOST_AUTO_TEST_CASE(a_stale_tick_expires_nothing) {
  ClusterWorld world;
  world.start();
  world.say(world.cluster, ResourceManagerTick{9999});
  BOOST_TEST(world.events().count("node_lost") == 0);
}

BOOST_AUTO_TEST_CASE(heartbeats_without_changes_write_no_event_and_arm_no_timer) {
  ClusterWorld world;
  world.start(4096);
  world.ask(0, 0);
  NodeHeartbeat heartbeat{world.node.last<NodeRegistered>().node, world.node.last<NodeRegistered>().epoch, {}};
  heartbeat.running = {world.node.last<StartContainer>().container};
  world.say(world.node, world.cluster, heartbeat);
  const auto written = world.events().names.size();
  for (std::int32_t turn = 1; turn <= 20; ++turn) {
    world.advance(1s);
    world.say(world.node, world.cluster, heartbeat);
    BOOST_TEST(world.ask(turn, 0).response_id == turn + 1);
  }
  BOOST_TEST(world.events().names.size() == written);
  // There is one timer, for the first deadline. After it fired early it is set for the whole timeout.
  BOOST_TEST(world.timers_in(5s) <= 1U);
}

}  // namespace
}  // namespace resource_manager_test
}  // namespace heddle::actors
