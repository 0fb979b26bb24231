// Goal: a decommissioned host gets no tasks, its map outputs are migrated, and none is lost when it ends. Method: fake
// client, executors and allocator around one Driver; the executors report what they copied.
#include <boost/test/unit_test.hpp>

#include "tests/actors/driver/driver_world.hpp"
#include "tests/support/event_log_reader.hpp"

namespace heddle::actors {
namespace driver_decommission_test {
namespace {

using namespace std::chrono_literals;

/// Three executors on three hosts. Executor 1 has written two map outputs, and one reduce task waits for the third.
/// third.
struct LeavingWorld : DriverWorld {
  tests::Peer* one = nullptr;
  tests::Peer* two = nullptr;
  tests::Peer* three = nullptr;

  explicit LeavingWorld(bool moves = true) {
    settings.decommission.is_enabled = true;
    settings.decommission.moves_outputs = moves;
    settings.executor_timeout = std::chrono::hours{1};
    start();
    say(allocator, driver, RegisterYarnAllocator{});
    one = &executor(1, 2);
    submit({own_tasks("a", 3), after("b", 0, 1)});
    two = &executor(2, 1);
    const auto launched = DriverWorld::launched(*one);
    for (const auto& range : launched)
      for (std::int32_t i = 0; i < range.count; ++i)
        report(*one, 1, {range.stage, range.first_index + i, 1, range.attempt, {}}, written());
    three = &executor(3, 1);
  }
  static TaskOutcome written() {
    TaskOutcome outcome;
    outcome.partition_bytes = {10};
    return outcome;
  }
  void leave(const std::string& host) { say(allocator, driver, DecommissionHost{host}); }
  void end_host(std::int64_t id) {
    RemoveExecutor message;
    message.executor = ExecutorId{id};
    message.loss.reason.kind = LossKind::node_lost;
    say(allocator, driver, message);
    say(allocator, driver, RemoveNode{NodeId{id}, "h" + std::to_string(id)});
  }
  void take(tests::Peer& executor, std::int64_t id, const std::vector<std::int32_t>& maps) {
    say(executor, driver,
        MapOutputsMigrated{ExecutorId{id}, executor.last<RegisteredExecutor>().epoch,
                           executor.last<MigrateMapOutputs>().shuffle, maps, "no room"});
  }
  /// Finishes the running map tasks on other executors, and the reduce task. True if no map task ran again.
  bool finish_with_attempts(int attempts_of_maps) {
    int attempts = 0;
    for (int round = 0; round < 8; ++round) {
      for (const auto& [executor, id] : {std::pair{two, std::int64_t{2}}, {three, std::int64_t{3}}})
        for (const auto& range : DriverWorld::launched(*executor)) report(*executor, id, range, written());
      advance(1s);
    }
    for (const auto* executor : {one, two, three})
      for (const auto& range : DriverWorld::launched(*executor))
        if (range.stage.stage == DriverWorld::launched(*one).at(0).stage.stage) attempts += range.count;
    BOOST_TEST((client.last<JobFinished>().status == JobStatus::succeeded));
    return attempts == attempts_of_maps;
  }
};

BOOST_AUTO_TEST_CASE(map_outputs_of_a_decommissioned_host_are_migrated) {
  LeavingWorld world;
  world.leave("h1");
  const auto order = world.two->count<MigrateMapOutputs>() == 1 ? world.two->last<MigrateMapOutputs>()
                                                                : world.three->last<MigrateMapOutputs>();
  BOOST_TEST(order.maps.size() == 2U);
  BOOST_TEST(order.partitions == 1);
  BOOST_TEST(order.from.host == "h1");
  world.leave("h1");  // each allocator that learns it from the ResourceManager reports it
  world.take(*world.two, 2, order.maps);
  world.end_host(1);
  BOOST_TEST(world.finish_with_attempts(3));
}

BOOST_AUTO_TEST_CASE(an_output_that_was_not_migrated_in_time_is_computed_again) {
  for (const bool moves : {true, false}) {
    LeavingWorld world{moves};
    world.leave("h1");
    BOOST_TEST(world.two->count<MigrateMapOutputs>() + world.three->count<MigrateMapOutputs>() == (moves ? 1 : 0));
    world.end_host(1);
    BOOST_TEST(world.finish_with_attempts(5));
  }
}

BOOST_AUTO_TEST_CASE(executors_of_a_decommissioned_host_get_no_tasks_and_are_killed_when_idle) {
  LeavingWorld world;
  const auto before = DriverWorld::tasks_on(*world.one);
  world.leave("h1");
  BOOST_TEST(world.allocator.count<KillExecutors>() == 1);
  BOOST_TEST((world.allocator.last<KillExecutors>().executors == std::vector<ExecutorId>{ExecutorId{1}}));
  world.submit({own_tasks("more", 6)});
  world.advance(5s);
  BOOST_TEST(DriverWorld::tasks_on(*world.one) == before);
}

BOOST_AUTO_TEST_CASE(another_target_copies_if_the_first_one_is_full_or_lost) {
  for (const bool is_lost : {true, false}) {
    LeavingWorld world;
    world.leave("h1");
    auto& first = world.two->count<MigrateMapOutputs>() == 1 ? *world.two : *world.three;
    auto& other = &first == world.two ? *world.three : *world.two;
    const std::int64_t first_id = &first == world.two ? 2 : 3;
    const auto maps = first.last<MigrateMapOutputs>().maps;
    if (is_lost) world.end_host(first_id);
    else world.take(first, first_id, {maps[0]});
    BOOST_REQUIRE(other.count<MigrateMapOutputs>() == 1);
    BOOST_TEST(other.last<MigrateMapOutputs>().maps.size() == (is_lost ? 2U : 1U));
  }
}

BOOST_AUTO_TEST_CASE(a_copy_reported_after_the_loss_of_its_source_counts_once) {
  LeavingWorld world;
  world.leave("h1");
  auto& target = world.two->count<MigrateMapOutputs>() == 1 ? *world.two : *world.three;
  const std::int64_t id = &target == world.two ? 2 : 3;
  const auto maps = target.last<MigrateMapOutputs>().maps;
  world.end_host(1);
  world.take(target, id, maps);
  world.take(target, id, maps);
  std::int64_t moved = 0;
  for (const auto& each : world.events().lines) {
    const auto line = boost::json::parse(each).as_object();
    if (tests::text(line, "event") == "outputs_moved") moved += tests::number(line, "count");
  }
  BOOST_TEST(moved == 2);
}

BOOST_AUTO_TEST_CASE(a_copy_moves_on_if_its_host_is_decommissioned_meanwhile) {
  LeavingWorld world;
  world.leave("h1");
  auto& target = world.two->count<MigrateMapOutputs>() == 1 ? *world.two : *world.three;
  auto& other = &target == world.two ? *world.three : *world.two;
  const std::int64_t id = &target == world.two ? 2 : 3;
  const auto maps = target.last<MigrateMapOutputs>().maps;
  world.leave("h" + std::to_string(id));
  world.take(target, id, maps);
  BOOST_TEST_REQUIRE(other.count<MigrateMapOutputs>() == 1);
  BOOST_TEST(other.last<MigrateMapOutputs>().maps.size() == 2U);
  BOOST_TEST(other.last<MigrateMapOutputs>().from.host == "h" + std::to_string(id));
}

BOOST_AUTO_TEST_CASE(a_new_node_with_the_name_of_a_decommissioned_one_is_used) {
  LeavingWorld world;
  world.leave("h1");
  world.end_host(1);
  const auto killed = world.allocator.count<KillExecutors>();
  auto& anew = world.peer("executor-4");
  world.say(anew, world.driver,
            RegisterExecutor{ExecutorId{4}, 6, "h1", {NodeId{4}, Epoch{1}, "h1", "", "/h1"}, "same", {}});
  world.submit({own_tasks("more", 6)});
  world.advance(2s);
  BOOST_TEST(world.allocator.count<KillExecutors>() == killed);
  BOOST_TEST(DriverWorld::tasks_on(anew) > 0);
}

BOOST_AUTO_TEST_CASE(tasks_on_a_decommissioned_host_are_killed_after_the_limit_only) {
  for (const bool is_limited : {true, false}) {
    DriverWorld world;
    world.settings.decommission.is_enabled = true;
    world.settings.decommission.kill_wait = is_limited ? 10s : 0s;
    world.start();
    world.say(world.allocator, world.driver, RegisterYarnAllocator{});
    (void)world.executor(1, 1);
    world.submit({own_tasks("s", 1)});
    world.say(world.allocator, world.driver, DecommissionHost{"h1"});
    world.advance(9s);
    BOOST_TEST(world.allocator.count<KillExecutors>() == 0);
    world.advance(2s);
    BOOST_TEST(world.allocator.count<KillExecutors>() == (is_limited ? 1 : 0));
  }
}

BOOST_AUTO_TEST_CASE(without_the_setting_decommissioning_changes_nothing) {
  DriverWorld world;
  world.start();
  world.say(world.allocator, world.driver, RegisterYarnAllocator{});
  auto& executor = world.executor(1, 1);
  world.say(world.allocator, world.driver, DecommissionHost{"h1"});
  world.submit({own_tasks("s", 1)});
  BOOST_TEST(DriverWorld::tasks_on(executor) == 1);
}

}  // namespace
}  // namespace driver_decommission_test
}  // namespace heddle::actors
