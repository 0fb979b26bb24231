// Goal: where executors serve map outputs, those of a node stay while an executor lives there, under its address, and
// are lost with the last one. Method: a Driver with fake executors, two of them on one node.
#include <boost/test/unit_test.hpp>

#include "tests/actors/driver/driver_world.hpp"

namespace heddle::actors {
namespace map_output_flow_test {
namespace {

using namespace std::chrono_literals;

struct World : DriverWorld {
  World() {
    settings.map_outputs.executors_serve = true;
    start();
    say(allocator, driver, RegisterYarnAllocator{});
  }
  /// Registers an executor of node 1 that serves at the address `sID`.
  tests::Peer& executor_on_node_1(std::int64_t id) {
    auto& from = peer("executor-" + std::to_string(id));
    const MapOutputLocation place{NodeId{1}, Epoch{1}, "h1", "s" + std::to_string(id), "/node-1"};
    say(from, driver, RegisterExecutor{ExecutorId{id}, 1, "h1", place, "same", {}, ProfileId{0}});
    return from;
  }
  void lose(std::int64_t id) {
    say(allocator, driver, RemoveExecutor{ExecutorId{id}, {{LossKind::exited, true}, {137, "killed"}}});
    advance(1s);
  }
};

/// A fetch from node 1 that failed at this address.
TaskOutcome failed_at(const std::string& address) {
  auto outcome = fetch_failure(1);
  outcome.failed_at = {NodeId{1}, Epoch{1}, "h1", address, "/node-1"};
  return outcome;
}

BOOST_AUTO_TEST_CASE(another_executor_of_the_node_serves_the_outputs_of_a_lost_one) {
  World world;
  auto& writer = world.executor_on_node_1(1);
  world.submit({own_tasks("map", 1), after("reduce", 0, 1)});
  auto& reader = world.executor_on_node_1(2);
  world.report(writer, 1, DriverWorld::launched(writer).at(0), {});
  BOOST_TEST(DriverWorld::tasks_on(writer) + DriverWorld::tasks_on(reader) == 2);  // the reduce runs on one of them
  world.lose(1);
  const auto reduces = DriverWorld::launched(reader);
  BOOST_REQUIRE(reduces.size() == 1U);  // the map does not run again
  const auto sent = reader.last<MapOutputs>();
  BOOST_REQUIRE(sent.places.size() == 1U);
  BOOST_TEST(sent.places.at(0).address == "s2");
  BOOST_TEST(sent.places.at(0).directory == "/node-1");
  world.report(reader, 2, reduces.at(0), {});
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
}

BOOST_AUTO_TEST_CASE(a_reader_on_another_node_gets_the_new_address_at_once) {
  World world;
  auto& writer = world.executor_on_node_1(1);
  world.submit({own_tasks("map", 1), after("reduce", 0, 2)});
  world.report(writer, 1, DriverWorld::launched(writer).at(0), {});
  auto& reader = world.executor(3, 1);
  BOOST_TEST(reader.last<MapOutputs>().places.at(0).address == "s1");
  static_cast<void>(world.executor_on_node_1(2));
  world.lose(1);
  BOOST_TEST(reader.last<MapOutputs>().places.at(0).address == "s2");
}

BOOST_AUTO_TEST_CASE(outputs_are_computed_again_without_a_live_executor_on_their_node) {
  World world;
  auto& writer = world.executor_on_node_1(1);
  world.submit({own_tasks("map", 1), after("reduce", 0, 1)});
  const auto map = DriverWorld::launched(writer).at(0);
  world.report(writer, 1, map, {});
  auto& other = world.executor(3, 1);
  world.lose(1);
  const auto reduce = DriverWorld::launched(other).at(0);
  BOOST_TEST((reduce.stage.stage != map.stage.stage));
  world.report(other, 3, reduce, failed_at("s1"));
  world.advance(1s);
  BOOST_TEST((DriverWorld::launched(other).at(1).stage.stage == map.stage.stage));
}

BOOST_AUTO_TEST_CASE(an_output_that_the_other_executor_cannot_serve_is_computed_again) {
  World world;
  auto& writer = world.executor_on_node_1(1);
  world.submit({own_tasks("map", 1), after("reduce", 0, 1)});
  const auto map = DriverWorld::launched(writer).at(0);
  world.report(writer, 1, map, {});
  auto& server = world.executor_on_node_1(2);
  world.lose(1);
  const auto reduce = DriverWorld::launched(server).at(0);
  world.report(server, 2, reduce, failed_at("s2"));
  world.advance(1s);
  BOOST_TEST((DriverWorld::launched(server).at(1).stage.stage == map.stage.stage));
}

BOOST_AUTO_TEST_CASE(a_failed_fetch_from_the_former_address_loses_no_output) {
  World world;
  auto& writer = world.executor_on_node_1(1);
  world.submit({own_tasks("map", 1), after("reduce", 0, 2)});
  const auto map = DriverWorld::launched(writer).at(0);
  world.report(writer, 1, map, {});
  auto& reader = world.executor(3, 1);
  const auto reduce = DriverWorld::launched(reader).at(0);
  auto& server = world.executor_on_node_1(2);
  world.lose(1);
  world.report(reader, 3, reduce, failed_at("s1"));
  world.advance(1s);
  for (const auto* executor : {&reader, &server})
    for (const auto& range : DriverWorld::launched(*executor))
      BOOST_TEST((range.stage.stage != map.stage.stage), "the map runs again");
}

BOOST_AUTO_TEST_CASE(an_output_of_a_lost_node_is_missing_in_the_table_of_a_new_reader) {
  World world;
  auto& writer = world.executor_on_node_1(1);
  world.submit({own_tasks("map", 1), after("reduce", 0, 2)});
  world.report(writer, 1, DriverWorld::launched(writer).at(0), {});
  world.lose(1);
  auto& reader = world.executor(3, 1);
  BOOST_TEST(reader.last<MapOutputs>().places.empty());
}

}  // namespace
}  // namespace map_output_flow_test
}  // namespace heddle::actors
