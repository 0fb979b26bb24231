// Reservations from the numbered cases of the YARN specification: for whom a node is reserved, how many nodes, and when
// a reservation ends. Each test is one of those cases; "beat" is one heartbeat of a node.
#include <boost/test/unit_test.hpp>

#include "tests/support/fair_world.hpp"

namespace heddle::policies {
namespace fair_reservations_test {
namespace {

std::string queue(const std::string& name, const std::string& inside) {
  return "<queue name='" + name + "'>" + inside + "</queue>";
}

FairSchedulerSettings small_containers_reserve() {
  FairSchedulerSettings settings = numbered_settings();
  settings.reservation.increment_multiple = 1;
  settings.reservation.nodes_max = 1;
  return settings;
}

void run(FairWorld& world, NodeId node) {
  world.update();
  world.beat(node);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(fair_reservations)

// C-Y-048.
BOOST_AUTO_TEST_CASE(a_reservation_outlives_the_need_until_its_nodes_next_heartbeat) {
  FairWorld world{"", small_containers_reserve()};
  const NodeId first = world.node(1024, 4);
  world.submit(1024, 1, "queue1");
  run(world, first);
  const auto app = world.submit(1024, 1, "queue2");
  run(world, first);
  BOOST_TEST(world.containers(app) == 0U);
  BOOST_TEST(world.books(app).reserved.memory_mib == 1024);
  const NodeId second = world.node(1024, 4);
  run(world, second);
  BOOST_TEST(world.containers(app) == 1U);
  BOOST_TEST(world.reserved_number(first) != 0);
  world.beat(first);
  BOOST_TEST(world.reserved_number(first) == 0);
  BOOST_TEST(world.books(app).reserved.memory_mib == 0);
}

// C-Y-049, C-Y-050: half of the nodes may be reserved, ceil(3 x .5); for an ask of a rack its three nodes count.
BOOST_AUTO_TEST_CASE(an_application_keeps_a_part_of_the_nodes) {
  for (const bool at_rack : {false, true}) {
    FairSchedulerSettings settings = small_containers_reserve();
    settings.reservation.nodes_max = 0.5F;
    FairWorld world{"", settings};
    std::vector<NodeId> nodes;
    for (int i = 0; i < 3; ++i) nodes.push_back(world.node(3072, 3, "r1"));
    if (at_rack) world.node(3072, 3, "r2");
    const auto first = world.submit(2048, 1, "queue1", 3);
    world.update();
    for (const NodeId node : nodes) world.beat(node);
    BOOST_TEST(world.containers(first) == 3U);
    FairWorld::App app = 0;
    if (at_rack) {
      app = world.submit(0, 0, "queue3", 0);
      world.ask(app, {{1, "*", 1, {2048, 1}, false}, {1, "r1", 1, {2048, 1}, true}});
    } else {
      app = world.submit(2048, 1, "queue3");
    }
    world.update();
    const std::size_t reservations[] = {1, 2, 2};
    for (std::size_t i = 0; i < 3; ++i) {
      world.beat(nodes[i]);
      BOOST_TEST(world.books(app).reservations.size() == reservations[i], "rack " << at_rack << ", node " << i);
    }
    const NodeId fresh = world.node(3072, 3, "r1");
    world.update();
    world.beat(fresh);
    BOOST_TEST(world.containers(app) == 1U);
    BOOST_TEST(world.fair.ledger().used().memory_mib == 8192);
    for (const NodeId node : nodes) world.beat(node);
    BOOST_TEST(world.books(app).reservations.empty());
  }
}

// C-Y-051.
BOOST_AUTO_TEST_CASE(no_node_is_kept_where_none_may_be) {
  FairSchedulerSettings settings = small_containers_reserve();
  settings.reservation.nodes_max = 0;
  settings.assignment.assigns_multiple = true;
  settings.assignment.is_bounded_by_room = false;
  FairWorld world{"", settings};
  const NodeId first = world.node(4096, 4);
  const NodeId second = world.node(4096, 4);
  const auto app = world.submit(1024, 1, "queue1", 10);
  world.update();
  world.beat(first);
  world.update();
  world.beat(second);
  BOOST_TEST(world.queue("queue1").usage.memory_mib == 8192);
  BOOST_TEST(world.books(app).reserved.memory_mib == 0);
}

// C-Y-052.
BOOST_AUTO_TEST_CASE(a_node_is_not_kept_for_what_exceeds_the_queue) {
  FairWorld world{queue("queue1", "<maxResources>2048mb,5vcores</maxResources>") + queue("queue2", ""),
                  small_containers_reserve()};
  const NodeId node = world.node(3072, 5);
  world.submit(2048, 2, "queue1");
  run(world, node);
  world.submit(1024, 1, "queue2");
  run(world, node);
  BOOST_TEST(world.node_books(node).unallocated.memory_mib == 0);
  const auto more = world.submit(1024, 1, "queue1");
  run(world, node);
  BOOST_TEST(world.queue("queue1").usage.memory_mib == 2048);
  BOOST_TEST(world.books(more).reservations.empty());
}

/// The size at "*" decides whether the node may be used at all; the reservation has the size at the rack.
BOOST_AUTO_TEST_CASE(a_node_is_kept_for_the_size_that_its_rack_is_asked_for) {
  FairSchedulerSettings settings = small_containers_reserve();
  settings.reservation.increment_multiple = 3;
  FairWorld world{"", settings};
  const NodeId node = world.node(4096, 4, "r1");
  world.submit(3584, 1, "queue1");
  run(world, node);
  const auto more = world.submit(0, 0, "queue2", 0);
  world.ask(more, {{1, "r1", 1, {4096, 1}, true}, {1, "*", 1, {4096, 1}, true}});
  world.ask(more, {{1, "*", 1, {1024, 1}, true}});
  run(world, node);
  BOOST_TEST(world.books(more).reserved.memory_mib == 4096);
}

// C-Y-053.
BOOST_AUTO_TEST_CASE(a_reservation_goes_when_the_queue_may_no_longer_have_it) {
  const auto file = [](const char* most) {
    return queue("queue1", "<maxResources>" + std::string{most} + "</maxResources>") + queue("queue2", "");
  };
  FairWorld world{file("3072mb,10vcores"), small_containers_reserve()};
  const NodeId node = world.node(3072, 5);
  world.submit(2048, 2, "queue1");
  run(world, node);
  world.submit(1024, 1, "queue2");
  run(world, node);
  const auto more = world.submit(1024, 1, "queue1");
  for (int i = 0; i < 2; ++i) {
    run(world, node);
    BOOST_TEST(world.books(more).reserved.memory_mib == 1024);
  }
  world.reload(file("2048mb,10vcores"));
  run(world, node);
  BOOST_TEST(world.books(more).reserved.memory_mib == 0);
  BOOST_TEST(world.queue("queue1").usage.memory_mib == 2048);
  BOOST_TEST(world.queue("queue2").usage.memory_mib == 1024);
}

// C-Y-054.
BOOST_AUTO_TEST_CASE(small_containers_do_not_keep_nodes) {
  FairSchedulerSettings settings = numbered_settings();
  settings.reservation.nodes_max = 1;
  FairWorld world{"<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>", settings};
  const NodeId first = world.node(4096, 4);
  world.submit(4096, 4, "queue1");
  run(world, first);
  const auto app = world.submit(1024, 1, "queue2");
  run(world, first);
  BOOST_TEST(world.books(app).reservations.empty());
  world.ask(app, {{1, "*", 1, {1024, 3}, true}});
  run(world, first);
  BOOST_TEST(world.books(app).reserved.cores == 3);
  const NodeId second = world.node(1024, 4);
  run(world, second);
  BOOST_TEST(world.books(app).usage.cores == 3);
  BOOST_TEST(world.books(app).reserved.cores == 3);
  world.beat(first);
  BOOST_TEST(world.books(app).reserved.cores == 0);
}

// C-Y-055.
BOOST_AUTO_TEST_CASE(a_node_is_kept_for_one_application) {
  FairWorld world{"", small_containers_reserve()};
  const NodeId node = world.node(1024, 1);
  world.submit(1024, 1, "queue1");
  run(world, node);
  const auto second = world.submit(1024, 1, "queue2", 1, "user2");
  const auto third = world.submit(1024, 1, "queue3", 1, "user3");
  run(world, node);
  BOOST_TEST(world.books(second).reserved.memory_mib == 1024);
  BOOST_TEST(world.books(third).reserved.memory_mib == 0);
}

// C-Y-056: a later ask of higher priority does not use the reserved node.
BOOST_AUTO_TEST_CASE(a_kept_node_serves_the_priority_that_kept_it) {
  FairWorld world{"", small_containers_reserve()};
  const NodeId node = world.node(2048, 2);
  const auto first = world.submit(1024, 1, "queue1");
  run(world, node);
  const auto second = world.submit(2048, 2, "queue2", 1, "user1", 2);
  run(world, node);
  BOOST_TEST(world.books(second).reserved.memory_mib == 2048);
  world.ask(second, {{1, "*", 1, {2048, 2}, true}});
  world.end(world.container_ids(first).front());
  world.update();
  const std::vector<ContainerAssigned> assigned = world.beat(node);
  BOOST_TEST_REQUIRE(assigned.size() == 1U);
  BOOST_TEST(assigned[0].priority == 2);
}

// C-Y-057.
BOOST_AUTO_TEST_CASE(a_strict_ask_keeps_no_other_node) {
  FairWorld world{"", small_containers_reserve()};
  const NodeId first = world.node(1024, 1);
  world.node(1024, 1);
  world.submit(1024, 1, "queue2");
  run(world, first);
  const auto app = world.submit(0, 0, "queue1", 0);
  world.ask(app,
            {{1, "n2", 1, {1024, 1}, true}, {1, "/default-rack", 1, {1024, 1}, false}, {1, "*", 1, {1024, 1}, false}});
  world.update();
  for (int i = 0; i < 2; ++i) {
    world.beat(first);
    BOOST_TEST(world.containers(app) == 0U);
    BOOST_TEST(world.books(app).reservations.empty());
  }
}

// C-Y-058.
BOOST_AUTO_TEST_CASE(waiting_for_a_kept_node_uses_up_one_number) {
  FairWorld world{"", small_containers_reserve()};
  const NodeId first = world.node(3072, 10);
  const NodeId second = world.node(3072, 10);
  const auto one = world.submit(2048, 1, "queue1", 2);
  world.update();
  world.beat(first);
  world.beat(second);
  BOOST_TEST(world.containers(one) == 2U);
  const auto two = world.submit(2048, 1, "queue1");
  world.update();
  world.beat(first);
  const std::int64_t reserved = world.reserved_number(first);
  BOOST_TEST_REQUIRE(reserved != 0);
  world.beat(first, 10);
  BOOST_TEST(world.reserved_number(first) == reserved);
  BOOST_TEST(world.containers(two) == 0U);
  world.remove(one);
  world.update();
  const std::vector<ContainerAssigned> assigned = world.beat(second);
  BOOST_TEST_REQUIRE(assigned.size() == 1U);
  BOOST_TEST((assigned[0].attempt == FairWorld::attempt(two)));
  BOOST_TEST(assigned[0].number == reserved + 1);
}

// C-Y-059.
BOOST_AUTO_TEST_CASE(a_queue_without_a_share_starts_small_masters) {
  FairWorld world{
      "<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>" +
      queue("queue1", "<weight>0</weight><maxResources>4096mb,10vcores</maxResources><maxAMShare>0.5</maxAMShare>") +
      queue("queue2", "<weight>1</weight><maxAMShare>0.5</maxAMShare>") +
      queue("queue3", "<weight>0.000001</weight><maxAMShare>0.5</maxAMShare>")};
  const NodeId node = world.node(8192, 20);
  const auto runs = [&](std::int64_t memory, const char* name) {
    const auto app = world.submit_with_master(memory, 1, name);
    run(world, node);
    return world.containers(app) == 1U;
  };
  BOOST_TEST(!runs(3072, "queue1"));
  BOOST_TEST(runs(2048, "queue1"));
  BOOST_TEST(runs(1024, "queue3"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fair_reservations_test
}  // namespace heddle::policies
