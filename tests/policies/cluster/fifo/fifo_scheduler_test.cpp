// Goal: the headroom of the FIFO rules is that of YARN, with its double subtraction. Method: one application on two
// nodes, compared with answers of YARN's class.
#include "policies/cluster/fifo/fifo_scheduler.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle::policies {
namespace fifo_scheduler_test {
namespace {

struct FifoWorld {
  FifoScheduler fifo{FifoSchedulerSettings{{1024, 1}, {8192, 4}, 1}};
  ResourceEffects effects;
  Instant now{};
  AttemptId attempt{ApplicationId{1, 1}, 1};

  FifoWorld() {
    fifo.on_node_added(now, {NodeId{1}, "n1", "/r", {4096, 4}}, effects);
    fifo.on_node_added(now, {NodeId{2}, "n2", "/r", {4096, 4}}, effects);
    static_cast<void>(fifo.on_application_added(now, {attempt.application, "default", "u", 0, std::nullopt}));
    fifo.on_attempt_added(now, attempt, effects);
    static_cast<void>(fifo.allocate(now, attempt, {{{1, "*", 4, {1024, 1}, true}}, {}, {}, {}}, effects));
    fifo.node_heartbeat(now, NodeId{1}, effects);
  }
  Allocation ask(std::vector<ContainerId> release) {
    return fifo.allocate(now, attempt, {{}, std::move(release), {}, {}}, effects);
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(fifo_scheduler)

BOOST_AUTO_TEST_CASE(a_released_container_of_a_node_that_leaves_is_subtracted_twice) {
  FifoWorld world;
  const Allocation granted = world.ask({});
  BOOST_TEST_REQUIRE(granted.granted.size() == 4U);
  const ContainerId released = granted.granted.front().container;
  world.fifo.on_container_launched(world.now, released);
  static_cast<void>(world.ask({released}));
  world.fifo.on_node_removed(world.now, NodeId{1}, world.effects);
  world.fifo.node_heartbeat(world.now, NodeId{2}, world.effects);
  BOOST_TEST(world.ask({}).headroom.memory_mib == 5120);
  BOOST_TEST(world.ask({}).headroom.cores == 5);
  world.fifo.check_invariants();
}

BOOST_AUTO_TEST_CASE(a_released_container_that_its_node_reported_is_subtracted_once) {
  FifoWorld world;
  const Allocation granted = world.ask({});
  const ContainerId released = granted.granted.front().container;
  world.fifo.on_container_launched(world.now, released);
  static_cast<void>(world.ask({released}));
  world.fifo.on_container_completed(world.now, released, container_exit_status::success, world.effects);
  world.fifo.on_node_removed(world.now, NodeId{1}, world.effects);
  world.fifo.node_heartbeat(world.now, NodeId{2}, world.effects);
  BOOST_TEST(world.ask({}).headroom.memory_mib == 4096);
}

// As in YARN (recorded case random-0029): the headroom changes only with the heartbeat of a node that has room. What
// then helps a MapReduceMaster without room for its maps is mapreduce.job.reducer.unconditional-preempt.delay.sec.
BOOST_AUTO_TEST_CASE(after_the_loss_of_a_node_the_headroom_stays_until_a_node_with_room_has_a_heartbeat) {
  FifoWorld world;
  const Allocation granted = world.ask({});
  BOOST_TEST(granted.headroom.memory_mib == 4096);
  world.fifo.on_node_removed(world.now, NodeId{2}, world.effects);
  BOOST_TEST(!world.fifo.needs_offer(NodeId{1}));
  world.fifo.node_heartbeat(world.now, NodeId{1}, world.effects);
  BOOST_TEST(world.ask({}).headroom.memory_mib == 4096);
  const ContainerId ended = granted.granted.front().container;
  world.fifo.on_container_completed(world.now, ended, container_exit_status::success, world.effects);
  BOOST_TEST(world.fifo.needs_offer(NodeId{1}));
  world.fifo.node_heartbeat(world.now, NodeId{1}, world.effects);
  BOOST_TEST(world.ask({}).headroom.memory_mib == 1024);
  world.fifo.check_invariants();
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fifo_scheduler_test
}  // namespace heddle::policies
