// Goal: each container end reaches the scheduler in the handler of the message that reports it, in the order of the
// messages. Method: several messages are queued before the actor runs; then the test reads the log and the answers.
#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "tests/actors/resource_manager/cluster_world.hpp"

namespace heddle::actors {
namespace resource_manager_ends_test {
namespace {

struct EndsWorld : ClusterWorld {
  std::vector<GrantedContainer> granted;
  EndsWorld() {
    start(8192);
    granted = ask(0, 3).allocated;
    BOOST_REQUIRE(granted.size() == 3U);
    NodeHeartbeat message = heartbeat();
    for (const GrantedContainer& each : granted) message.running.push_back(each.container);
    say(node, cluster, message);
  }
  [[nodiscard]] ContainerId master_container() const { return node.all<StartContainer>().front().container; }
  [[nodiscard]] NodeHeartbeat heartbeat() const {
    const auto registered = node.last<NodeRegistered>();
    return {registered.node, registered.epoch, {master_container()}, false};
  }
  template <class Message>
  void queue(const tests::Peer& from, const Message& message) {
    caf::send_as(from.actor, cluster, message);
  }
  void queue_end(ContainerId container, std::int32_t status, const std::string& text = "why") {
    const auto registered = node.last<NodeRegistered>();
    queue(node, ContainerExited{registered.node, registered.epoch, {container, {status, text}}});
  }
  [[nodiscard]] int calls_for_ends() const { return events().count("resource_scheduler_completed"); }
};

BOOST_AUTO_TEST_CASE(ends_are_applied_in_order_with_their_own_texts) {
  EndsWorld world;
  for (std::size_t i = 0; i < 3; ++i)
    world.queue_end(world.granted[i].container, static_cast<std::int32_t>(i), "end " + std::to_string(i));
  world.settle();
  BOOST_TEST(world.calls_for_ends() == 3);
  BOOST_TEST(world.events().count("container_ended") == 3);
  const auto completed = world.ask(1, 0).completed;
  BOOST_REQUIRE(completed.size() == 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    BOOST_TEST((completed[i].container == world.granted[i].container));
    BOOST_TEST(completed[i].end.exit_status == static_cast<std::int32_t>(i));
    BOOST_TEST(completed[i].end.diagnostics == "end " + std::to_string(i));
  }
}

BOOST_AUTO_TEST_CASE(an_end_reported_twice_counts_once) {
  EndsWorld world;
  world.queue_end(world.granted[0].container, 1);
  world.queue_end(world.granted[0].container, 2);
  world.settle();
  BOOST_TEST(world.events().count("stale_container_exited") == 1);
  const auto completed = world.ask(1, 0).completed;
  BOOST_REQUIRE(completed.size() == 1U);
  BOOST_TEST(completed[0].end.exit_status == 1);
}

BOOST_AUTO_TEST_CASE(an_answer_contains_the_ends_reported_before_its_request) {
  EndsWorld world;
  world.queue_end(world.granted[0].container, 7);
  AllocateRequest request;
  request.attempt = world.attempt;
  request.response_id = 1;
  world.queue(world.allocator, request);
  world.queue_end(world.granted[1].container, 8);
  world.settle();
  const auto completed = world.allocator.last<AllocateResponse>().completed;
  BOOST_REQUIRE(completed.size() == 1U);
  BOOST_TEST(completed[0].end.exit_status == 7);
  BOOST_TEST(world.calls_for_ends() == 2);
}

BOOST_AUTO_TEST_CASE(a_container_that_ended_before_a_heartbeat_is_not_missing_from_it) {
  EndsWorld world;
  world.queue_end(world.granted[0].container, 7);
  NodeHeartbeat message = world.heartbeat();
  for (std::size_t i = 1; i < 3; ++i) message.running.push_back(world.granted[i].container);
  world.queue(world.node, message);
  world.settle();
  BOOST_TEST(world.events().count("container_ended") == 1);
  BOOST_TEST(world.ask(1, 0).completed.at(0).end.exit_status == 7);
}

BOOST_AUTO_TEST_CASE(containers_missing_from_a_heartbeat_have_ended) {
  EndsWorld world;
  world.say(world.node, world.cluster, world.heartbeat());
  BOOST_TEST(world.calls_for_ends() == 3);
  BOOST_TEST(world.ask(1, 0).completed.size() == 3U);
}

BOOST_AUTO_TEST_CASE(an_end_is_applied_before_a_later_loss_of_its_node) {
  EndsWorld world;
  world.queue_end(world.granted[0].container, 7);
  world.kill(world.node);
  const auto& names = world.events().names;
  const auto lost = std::find(names.begin(), names.end(), "node_lost");
  BOOST_REQUIRE(lost != names.end());
  BOOST_TEST(std::count(names.begin(), lost, "container_ended") == 1);
  BOOST_TEST(world.events().count("stale_container_exited") == 0);
}

BOOST_AUTO_TEST_CASE(the_attempt_ends_with_its_master_before_later_ends_are_applied) {
  EndsWorld world;
  world.queue_end(world.granted[0].container, 7);
  world.queue_end(world.master_container(), 1);
  world.queue_end(world.granted[1].container, 8);
  world.settle();
  BOOST_TEST(world.events().count("attempt_ended") == 1);
  BOOST_TEST(world.events().count("container_ended") == 3);
  BOOST_TEST(world.calls_for_ends() == 3);
}

}  // namespace
}  // namespace resource_manager_ends_test
}  // namespace heddle::actors
