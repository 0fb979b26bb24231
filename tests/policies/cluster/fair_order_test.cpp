// Order of applications and choice of nodes, from the numbered cases of the YARN specification: policies of leaves and
// parents, containers per heartbeat, strict and relaxed locality, excluded nodes. Each test is one of those cases.
#include "policies/cluster/fair_order.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/support/fair_world.hpp"

namespace heddle::policies {
namespace fair_order_test {
namespace {

using App = FairWorld::App;

std::string queue(const std::string& name, const std::string& inside) {
  return "<queue name='" + name + "'>" + inside + "</queue>";
}

const std::string drf = "<schedulingPolicy>drf</schedulingPolicy>";

/// The applications in the order in which they got containers, one heartbeat each; "-" if none did.
std::string turns(FairWorld& world, NodeId node, int beats) {
  std::string order;
  for (int i = 0; i < beats; ++i) {
    const std::vector<ContainerAssigned> assigned = world.beat(node);
    for (const ContainerAssigned& each : assigned) order += std::to_string(each.attempt.application.number);
    if (assigned.empty()) order += "-";
    world.update();
  }
  return order;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(fair_order_of_offers)

// C-Y-060: two applications of the same start time.
BOOST_AUTO_TEST_CASE(fifo_serves_the_first_application_until_it_has_all) {
  FairWorld world{queue("queue1", "<schedulingPolicy>fifo</schedulingPolicy>")};
  const NodeId node = world.node(3072, 3);
  world.submit(1024, 1, "queue1", 2);
  world.submit(1024, 1, "queue1", 2);
  world.update();
  BOOST_TEST(turns(world, node, 3) == "112");
}

// C-Y-061, C-Y-062, C-Y-063: containers after each heartbeat.
BOOST_AUTO_TEST_CASE(a_heartbeat_assigns_as_many_as_it_may) {
  struct Row {
    const char* id;
    Resource node;
    Resource size;
    std::int32_t wanted;
    bool is_dynamic;
    std::int32_t most;
    std::vector<std::size_t> containers;
  };
  const std::vector<Row> rows = {
      {"C-Y-061, 2", {16384, 16}, {1024, 1}, 8, false, 2, {2}},
      {"C-Y-061, no limit", {16384, 16}, {1024, 1}, 8, false, -1, {8}},
      {"C-Y-062", {8192, 8}, {1024, 1}, 12, true, -1, {5, 7, 8}},
      {"C-Y-063, 2", {16384, 16}, {0, 1}, 8, false, 2, {2}},
      {"C-Y-063, no limit", {16384, 16}, {0, 1}, 8, false, -1, {8}},
  };
  for (const Row& row : rows) {
    FairSchedulerSettings settings = numbered_settings();
    settings.assignment.assigns_multiple = true;
    settings.assignment.is_bounded_by_room = row.is_dynamic;
    settings.assignment.max = row.most;
    FairWorld world{"", settings};
    const NodeId node = world.node(row.node.memory_mib, row.node.cores);
    const App app = world.submit(row.size.memory_mib, row.size.cores, "root.default", row.wanted);
    world.update();
    for (const std::size_t containers : row.containers) {
      world.beat(node);
      BOOST_TEST(world.containers(app) == containers, row.id);
    }
  }
}

// C-Y-064: two nodes in turn; after every four heartbeats the fifo queue has two more and each fair child one more.
BOOST_AUTO_TEST_CASE(a_fifo_leaf_and_a_fair_parent_take_turns) {
  const std::string fifo = "<schedulingPolicy>fifo</schedulingPolicy>";
  FairWorld world{queue("fifo", fifo) + queue("fairParent", queue("fairChild1", "") + queue("fairChild2", ""))};
  const NodeId nodes[] = {world.node(8192, 8), world.node(8192, 8)};
  const App app1 = world.submit(1024, 1, "fifo", 4);
  const App app2 = world.submit(1024, 1, "fairParent.fairChild1", 4);
  const App app3 = world.submit(1024, 1, "fairParent.fairChild2", 4);
  const App app4 = world.submit(1024, 1, "fifo", 4);
  world.update();
  for (std::size_t round = 1; round <= 4; ++round) {
    for (int i = 0; i < 4; ++i) world.beat(nodes[i % 2]);
    BOOST_TEST(world.containers(app1) == std::min<std::size_t>(2 * round, 4), round);
    BOOST_TEST(world.containers(app4) == (round > 2 ? 2 * (round - 2) : 0), round);
    BOOST_TEST(world.containers(app2) == round);
    BOOST_TEST(world.containers(app3) == round);
  }
}

// C-Y-065: the first container uses up the ask of the rack, which does not exclude the other node for the second one.
BOOST_AUTO_TEST_CASE(two_nodes_serve_an_ask_of_one_rack) {
  FairWorld world;
  const NodeId first = world.node(8192, 8, "rack1");
  const NodeId second = world.node(8192, 8, "rack1");
  world.node(8192, 8, "rack2");
  const App app = world.submit(0, 0, "queue1", 0);
  world.ask(app, {{1, "n1", 1, {1024, 1}, true},
                  {1, "n2", 1, {1024, 1}, true},
                  {1, "n3", 1, {1024, 1}, true},
                  {1, "rack1", 1, {1024, 1}, true},
                  {1, "rack2", 1, {1024, 1}, true},
                  {1, "*", 2, {1024, 1}, true}});
  world.update();
  world.beat(first);
  BOOST_TEST(world.containers(app) == 1U);
  world.beat(second);
  BOOST_TEST(world.containers(app) == 2U);
}

// C-Y-066, C-Y-067: a strict ask may be relaxed by a new ask.
BOOST_AUTO_TEST_CASE(a_strict_ask_waits_for_its_node_and_can_be_relaxed) {
  for (const bool is_cancelled : {false, true}) {
    FairWorld world;
    const NodeId wanted = world.node(1024, 1);
    const NodeId other = world.node(1024, 1);
    const App app = world.submit(0, 0, "queue1", 0);
    world.ask(
        app, {{1, "n1", 1, {1024, 1}, true}, {1, "/default-rack", 1, {1024, 1}, false}, {1, "*", 1, {1024, 1}, false}});
    world.update();
    for (int i = 0; i < 10; ++i) {
      world.beat(other);
      BOOST_TEST(world.containers(app) == 0U);
      BOOST_TEST(world.books(app).reservations.empty());
    }
    if (is_cancelled)
      world.ask(
          app, {{1, "n1", 0, {1024, 1}, true}, {1, "/default-rack", 0, {1024, 1}, true}, {1, "*", 1, {1024, 1}, true}});
    world.beat(is_cancelled ? other : wanted);
    BOOST_TEST(world.containers(app) == 1U);
  }
}

// C-Y-068: the name of a node may have a port; then two nodes on one host have different names.
BOOST_AUTO_TEST_CASE(names_with_ports_tell_nodes_of_one_machine_apart) {
  FairWorld world;
  for (std::int64_t i = 1; i <= 2; ++i)
    world.fair.on_node_added(world.now, {NodeId{i}, "127.0.0.1:" + std::to_string(i), "/default-rack", {1024, 1}},
                             world.effects);
  const App app = world.submit(0, 0, "queue1", 0);
  world.ask(app, {{1, "127.0.0.1:1", 1, {1024, 1}, true},
                  {1, "/default-rack", 1, {1024, 1}, false},
                  {1, "*", 1, {1024, 1}, false}});
  world.update();
  world.beat(NodeId{2}, 10);
  BOOST_TEST(world.containers(app) == 0U);
  world.beat(NodeId{1});
  BOOST_TEST(world.containers(app) == 1U);
}

// C-Y-069.
BOOST_AUTO_TEST_CASE(cores_bound_a_node_as_memory_does) {
  FairWorld world;
  const NodeId node = world.node(2048, 1);
  const App app = world.submit(1024, 1, "root.default", 2);
  world.update();
  world.beat(node, 2);
  BOOST_TEST(world.containers(app) == 1U);
}

// C-Y-070, C-Y-071, C-Y-072: who gets the next container by dominant share.
BOOST_AUTO_TEST_CASE(drf_serves_the_smallest_dominant_share) {
  struct Application {
    const char* leaf;
    Resource size;
  };
  struct Row {
    const char* id;
    std::string file;
    Resource node;
    std::vector<Application> applications;
    std::string order;
  };
  const std::vector<Row> rows = {
      {"C-Y-070",
       "<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>" + queue("queue1", drf),
       {8192, 5},
       {{"queue1", {2048, 1}}, {"queue1", {1024, 2}}},
       "121"},
      {"C-Y-071",
       "<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>" + queue("queue1", "") + queue("queue2", ""),
       {8192, 7},
       {{"queue1", {3072, 1}}, {"queue1", {2048, 2}}, {"queue2", {1024, 2}}},
       "1332"},
      {"C-Y-072",
       "<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>" +
           queue("queue1", queue("subqueue1", "") + queue("subqueue2", "")) + queue("queue2", ""),
       {12288, 12},
       {{"queue1.subqueue1", {3074, 1}},
        {"queue1.subqueue1", {1024, 3}},
        {"queue1.subqueue2", {2048, 2}},
        {"queue2", {1024, 2}}},
       "144332-"},
  };
  for (const Row& row : rows) {
    FairWorld world{row.file};
    const NodeId node = world.node(row.node.memory_mib, row.node.cores);
    for (const Application& each : row.applications) world.submit(each.size.memory_mib, each.size.cores, each.leaf, 2);
    world.update();
    BOOST_TEST(turns(world, node, static_cast<int>(row.order.size())) == row.order, row.id);
  }
}

// C-Y-073.
BOOST_AUTO_TEST_CASE(an_excluded_node_is_not_used_until_it_is_included_again) {
  FairWorld world;
  const NodeId node = world.node(16384, 16);
  const App app = world.submit(1024, 1, "root.default");
  world.update();
  const auto change = [&](std::vector<std::string> exclude, std::vector<std::string> include) {
    (void)world.fair.allocate(world.now, FairWorld::attempt(app), {{}, {}, std::move(exclude), std::move(include)},
                              world.effects);
  };
  change({"n1"}, {});
  BOOST_TEST(world.books(app).excluded.size() == 1U);
  world.beat(node);
  BOOST_TEST(world.containers(app) == 0U);
  change({}, {"n1"});
  BOOST_TEST(world.books(app).excluded.empty());
  world.beat(node);
  BOOST_TEST(world.containers(app) == 1U);
}

// C-Y-089, C-Y-090, C-Y-091, C-Y-092, C-Y-093, C-Y-094, C-Y-097: the first of each pair is served first.
BOOST_AUTO_TEST_CASE(dominant_shares_order_as_in_the_table) {
  struct Row {
    const char* id;
    Resource cluster;
    FairSortKey first;
    FairSortKey second;
  };
  const auto key = [](Resource usage, float weight = 1.0F, Resource minimum = {}) {
    return FairSortKey{usage, {}, minimum, weight, 0, ""};
  };
  const std::vector<Row> rows = {
      {"C-Y-089", {8000, 4}, key({1000, 1}), key({2000, 1})},
      {"C-Y-090", {8000, 8}, key({4000, 3}), key({2000, 5})},
      {"C-Y-091", {8000, 8}, key({2000, 5}, 1.0F, {0, 6}), key({4000, 3})},
      {"C-Y-092", {8000, 100}, key({2000, 5}), key({4000, 3})},
      {"C-Y-092, with minimums", {8000, 100}, key({2000, 5}, 1.0F, {3000, 6}), key({4000, 3}, 1.0F, {5000, 4})},
      {"C-Y-093, memory", {8000, 8}, key({3000, 1}, 2.0F), key({2000, 1})},
      {"C-Y-093, cores", {8000, 8}, key({1000, 3}, 2.0F), key({1000, 2})},
      {"C-Y-094, cores", {8000, 8}, key({1000, 3}, 2.0F), key({2000, 1})},
      {"C-Y-094, memory", {8000, 8}, key({3000, 1}, 2.0F), key({1000, 2})},
      {"C-Y-097, small cluster", {4000, 5}, key({1000, 2}), key({2000, 1})},
      {"C-Y-097, larger cluster", {8000, 6}, key({2000, 1}), key({1000, 2})},
  };
  for (const Row& row : rows) {
    BOOST_TEST(compare(FairPolicy::dominant_resource, row.first, row.second, row.cluster) < 0, row.id);
    BOOST_TEST(compare(FairPolicy::dominant_resource, row.second, row.first, row.cluster) > 0, row.id);
  }
}

// Both lack the same part of their minimum: the smaller usage per weight comes first, before the earlier start.
BOOST_AUTO_TEST_CASE(equal_needs_order_by_use_of_the_weight) {
  const FairSortKey heavy{{1, 1}, {1024, 0}, {1024, 0}, 1000000.0F, 2, "q3"};
  const FairSortKey light{{1, 0}, {1024, 0}, {2048, 0}, 1.0F, 0, "q1"};
  BOOST_TEST(compare(FairPolicy::fair, heavy, light, {43008, 48}) < 0);
  BOOST_TEST(compare(FairPolicy::fair, light, heavy, {43008, 48}) > 0);
}

// Size-based weight uses the demand of the last update, so an application that arrived since has none and comes last.
BOOST_AUTO_TEST_CASE(a_demand_that_no_update_counted_weighs_nothing) {
  FairSchedulerSettings settings = numbered_settings();
  settings.is_size_based_weight = true;
  FairWorld world{"", settings};
  const NodeId node = world.node(8192, 8);
  const App first = world.submit(1024, 1, "queue1", 4);
  world.update();
  world.beat(node);
  const App second = world.submit(1024, 1, "queue1", 4);
  world.beat(node);
  BOOST_TEST(world.containers(first) == 2U);
  world.update();
  world.beat(node);
  BOOST_TEST(world.containers(second) == 1U);
}

// Applications with weight 0 compare as equal under drf. Applications without asks do not affect the others.
BOOST_AUTO_TEST_CASE(weightless_applications_do_not_disturb_the_order) {
  FairSchedulerSettings settings = numbered_settings();
  settings.is_size_based_weight = true;
  FairWorld world{"<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>", settings};
  const NodeId node = world.node(8192, 8);
  const App large = world.submit(1024, 1, "queue1", 6);
  world.update();
  world.beat(node, 2);
  world.submit(1024, 1, "queue1", 0);
  const App late = world.submit(1024, 1, "queue1", 2);
  world.update();
  world.beat(node);
  BOOST_TEST(world.containers(large) == 2U);
  BOOST_TEST(world.containers(late) == 1U);
}

// C-Y-095, C-Y-096: the order shows the ratios. (10, 5) of (100, 10) is .1 and .5, cores dominant; of a minimum (5, 10)
// it is 2 and .5.
BOOST_AUTO_TEST_CASE(ratios_to_cluster_and_minimum_are_those_of_the_table) {
  const Resource cluster{100, 10};
  const auto order = [&](const FairSortKey& a, const FairSortKey& b) {
    return compare(FairPolicy::dominant_resource, a, b, cluster);
  };
  const FairSortKey measured{{10, 5}, {}, {}, 1.0F, 0, "a"};
  BOOST_TEST(order(measured, {{51, 0}, {}, {}, 1.0F, 0, "b"}) < 0);  // .5 < .51
  BOOST_TEST(order(measured, {{49, 0}, {}, {}, 1.0F, 0, "b"}) > 0);  // .5 > .49
  BOOST_TEST(order(measured, {{50, 2}, {}, {}, 1.0F, 0, "b"}) < 0);  // equal dominant shares, then .1 < .2
  const FairSortKey needy{{10, 5}, {}, {5, 10}, 1.0F, 0, "a"};
  BOOST_TEST(order(needy, {{0, 6}, {}, {0, 11}, 1.0F, 0, "b"}) < 0);  // 5/10 < 6/11, both below their minimum of cores
  BOOST_TEST(order(needy, {{0, 5}, {}, {0, 11}, 1.0F, 0, "b"}) > 0);  // 5/10 > 5/11
  BOOST_TEST(order(needy, {{3, 5}, {}, {1, 10}, 1.0F, 0, "b"}) < 0);  // then memory: 10/5 < 3/1
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fair_order_test
}  // namespace heddle::policies
