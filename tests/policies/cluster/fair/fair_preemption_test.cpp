// Preemption and starvation from the numbered cases of the YARN specification. Cluster: two nodes with 4 GiB and 12
// cores; a greedy application uses all of it in containers of 1 GiB, then another one starves. "4/2": containers of the
// greedy and the starved application after the chosen ones were killed.
#include <boost/test/unit_test.hpp>
#include <set>

#include "tests/support/fair_world.hpp"

namespace heddle::policies {
namespace fair_preemption_test {
namespace {

using App = FairWorld::App;

constexpr std::int64_t gib = 1024;

std::string queue(const std::string& name, const std::string& inside) {
  return "<queue name='" + name + "'>" + inside + "</queue>";
}

enum class By { fair_share, minimum_share, dominant_share };

/// The tree of those cases. Timeouts are 0; starvation counts below the full fair share, or below a minimum of 4 GiB.
std::string tree(By by) {
  const std::string fair =
      "<fairSharePreemptionThreshold>1</fairSharePreemptionThreshold>"
      "<fairSharePreemptionTimeout>0</fairSharePreemptionTimeout>";
  const std::string minimum =
      "<minResources>4096mb,4vcores</minResources><minSharePreemptionTimeout>0</minSharePreemptionTimeout>";
  const std::string own = by == By::minimum_share ? minimum : fair;
  const std::string children = queue("child-1", own) + queue("child-2", own);
  return (by == By::dominant_share ? "<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>"
                                   : std::string{}) +
         queue("root", queue("preemptable", (by == By::minimum_share ? "" : fair) + children) +
                           queue("preemptable-sibling", fair) +
                           queue("nonpreemptable", "<allowPreemptionFrom>false</allowPreemptionFrom>" + children));
}

FairSchedulerSettings preempting() {
  FairSchedulerSettings settings = numbered_settings();
  settings.preemption.is_enabled = true;
  return settings;
}

struct Cluster {
  FairWorld world;
  NodeId first;
  NodeId second;

  explicit Cluster(const std::string& file, FairSchedulerSettings settings = preempting())
      : world{file, std::move(settings)} {
    first = world.node(4 * gib, 12, "r1");
    second = world.node(4 * gib, 12, "r2");
  }
  void fill() {
    world.update();
    for (int i = 0; i < 8; ++i) {
      world.beat(first);
      world.beat(second);
    }
  }
  App greedy(const char* leaf) {
    const App app = world.submit(gib, 1, leaf, 8);
    fill();
    return app;
  }
  /// Finds starvation, chooses containers and passes their wait. Returns the nodes of the killed containers.
  std::vector<NodeId> preempt() {
    world.now += std::chrono::seconds{1};
    world.update();
    world.effects.clear();
    (void)world.fair.preempt(world.now, world.effects);
    std::vector<NodeId> nodes;
    for (const ResourceEffect& effect : world.effects)
      if (const auto* chosen = std::get_if<ContainerChosen>(&effect)) nodes.push_back(chosen->node);
    world.now += std::chrono::seconds{16};
    world.fair.kill_chosen(world.now, world.effects);
    fill();
    return nodes;
  }
  [[nodiscard]] std::string counts(App greedy, App starving) const {
    return std::to_string(world.containers(greedy)) + "/" + std::to_string(world.containers(starving));
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(fair_preemption)

// C-Y-098, C-Y-099, C-Y-100, C-Y-101, C-Y-103.
BOOST_AUTO_TEST_CASE(containers_go_from_who_has_more_to_who_starves) {
  struct Row {
    const char* id;
    const char* greedy;
    const char* starving;
    Resource size;
    By by;
    const char* counts;
    std::size_t victims;
  };
  const char* child1 = "root.preemptable.child-1";
  const char* child2 = "root.preemptable.child-2";
  const Row rows[] = {
      {"C-Y-098", child1, child2, {2 * gib, 2}, By::fair_share, "4/2", 4},
      {"C-Y-098", child1, child2, {2 * gib, 2}, By::minimum_share, "4/2", 4},
      {"C-Y-098", child1, child2, {2 * gib, 2}, By::dominant_share, "4/2", 4},
      {"C-Y-099", child1, child1, {2 * gib, 2}, By::fair_share, "4/2", 4},
      {"C-Y-099", child1, child1, {2 * gib, 2}, By::minimum_share, "8/0", 0},
      {"C-Y-100", child1, "root.nonpreemptable.child-1", {2 * gib, 2}, By::fair_share, "4/2", 4},
      {"C-Y-101", "root.nonpreemptable.child-1", child1, {2 * gib, 2}, By::fair_share, "8/0", 0},
      {"C-Y-103", child1, child2, {3 * gib, 3}, By::fair_share, "5/1", 3},
  };
  for (const Row& row : rows) {
    Cluster cluster{tree(row.by)};
    const App greedy = cluster.greedy(row.greedy);
    BOOST_TEST(cluster.world.containers(greedy) == 8U, row.id);
    const App starving = cluster.world.submit(row.size.memory_mib, row.size.cores, row.starving, 4);
    const std::vector<NodeId> victims = cluster.preempt();
    BOOST_TEST(victims.size() == row.victims, row.id);
    BOOST_TEST(cluster.counts(greedy, starving) == row.counts, row.id << " by " << static_cast<int>(row.by));
  }
}

// C-Y-102: four greedy applications, two masters on each node.
BOOST_AUTO_TEST_CASE(masters_are_the_last_to_go) {
  Cluster cluster{tree(By::fair_share)};
  FairWorld& world = cluster.world;
  std::vector<App> greedy;
  for (int i = 0; i < 4; ++i) greedy.push_back(world.submit_with_master(gib, 1, "root.preemptable.child-1"));
  world.update();
  world.beat(cluster.first, 2);
  world.beat(cluster.second, 2);
  for (const App each : greedy) world.ask(each, {{1, "*", 1, {gib, 1}, true}});
  cluster.fill();
  for (const App each : greedy) BOOST_TEST_REQUIRE(world.containers(each) == 2U);
  const App starving = world.submit(2 * gib, 2, "root.preemptable.child-2", 4);
  BOOST_TEST(cluster.preempt().size() == 4U);
  for (const App each : greedy) {
    BOOST_TEST_REQUIRE(world.containers(each) == 1U);
    BOOST_TEST(world.fair.ledger().container(world.books(each).live.slots()[0]).is_master);
  }
  BOOST_TEST_REQUIRE(world.containers(starving) == 2U);
  std::set<RowIndex> nodes;
  for (const RowIndex each : world.books(starving).live.slots()) nodes.insert(world.fair.ledger().container(each).node);
  BOOST_TEST(nodes.size() == 2U);
}

// C-Y-104: the master uses all of the requested node; it is killed only if the queue allows it.
BOOST_AUTO_TEST_CASE(masters_of_a_queue_can_be_spared) {
  for (const bool may_go : {true, false}) {
    FairSchedulerSettings settings = preempting();
    settings.preemption.master_of_queue["root.preemptable.child-1"] = may_go;
    Cluster cluster{tree(By::fair_share), settings};
    const App greedy = cluster.world.submit_with_master(4 * gib, 1, "root.preemptable.child-1");
    cluster.world.update();
    cluster.world.beat(cluster.first);
    cluster.world.ask(greedy, {{1, "*", 4, {gib, 1}, true}});
    cluster.fill();
    const App starving = cluster.world.submit(0, 0, "root.preemptable.child-2", 0);
    cluster.world.ask(
        starving,
        {{1, "n1", 1, {4 * gib, 1}, false}, {1, "r1", 1, {4 * gib, 1}, false}, {1, "*", 1, {4 * gib, 1}, false}});
    BOOST_TEST(cluster.preempt().size() == (may_go ? 1U : 0U));
    BOOST_TEST(cluster.world.containers(greedy) == (may_go ? 4U : 5U));
  }
}

// 4 GiB are missing. In numeric order priority 1 would leave too little for priority 2, but the hash map returns 2
// first.
BOOST_AUTO_TEST_CASE(starvation_is_spent_on_priorities_in_the_order_of_their_map) {
  struct Row {
    std::int32_t small;
    std::int32_t large;
    std::size_t victims;
  };
  for (const Row& row :
       {Row{1, 2, 4}, Row{2, 1, 1}, Row{1, 3, 1}, Row{3, 4, 4}, Row{4, 5, 4}, Row{5, 6, 4}, Row{6, 7, 1}}) {
    Cluster cluster{tree(By::fair_share)};
    cluster.greedy("root.preemptable.child-1");
    const App starving = cluster.world.submit(0, 0, "root.preemptable.child-2", 0);
    cluster.world.ask(starving, {{row.small, "*", 1, {gib, 1}, true}, {row.large, "*", 1, {4 * gib, 1}, true}});
    BOOST_TEST(cluster.preempt().size() == row.victims, row.small << " and " << row.large);
  }
}

// C-Y-105.
BOOST_AUTO_TEST_CASE(a_child_starves_although_its_parent_has_its_share) {
  Cluster cluster{tree(By::fair_share)};
  const App greedy = cluster.greedy("root.preemptable.child-1");
  const App sibling = cluster.world.submit(2 * gib, 2, "root.preemptable-sibling", 4);
  cluster.preempt();
  BOOST_TEST(cluster.counts(greedy, sibling) == "4/2");
  const App child = cluster.world.submit(2 * gib, 2, "root.preemptable.child-2", 4);
  cluster.preempt();
  BOOST_TEST(cluster.counts(greedy, child) == "2/1");
}

// C-Y-106, C-Y-107: a node with masters is requested; the applications' queue has weight 0, so that shares protect none
// of them.
BOOST_AUTO_TEST_CASE(a_relaxed_ask_looks_for_fewer_masters_elsewhere) {
  const std::string file =
      queue("greedy", "<weight>0</weight><maxAMShare>-1</maxAMShare>") +
      queue("starving",
            "<fairSharePreemptionThreshold>1</fairSharePreemptionThreshold><fairSharePreemptionTimeout>0</"
            "fairSharePreemptionTimeout>");
  struct Row {
    const char* id;
    std::vector<int> masters;  // of the first and the second node
    Resource size;
    std::int32_t count;
    std::size_t victims;
    bool on_first;
  };
  const std::vector<Row> rows = {{"C-Y-106", {4, 0}, {gib, 1}, 4, 4, false},
                                 {"C-Y-107", {3, 4}, {2 * gib, 1}, 1, 2, true}};
  for (const Row& row : rows) {
    Cluster cluster{file};
    FairWorld& world = cluster.world;
    const NodeId nodes[] = {cluster.first, cluster.second};
    App greedy = 0;
    for (std::size_t node = 0; node < 2; ++node)
      for (int i = 0; i < row.masters[node]; ++i) {
        greedy = world.submit_with_master(gib, 1, "greedy");
        world.update();
        world.beat(nodes[node]);
      }
    world.ask(greedy, {{1, "*", 8, {gib, 1}, true}});
    cluster.fill();
    const App starving = world.submit(0, 0, "starving", 0);
    world.ask(
        starving,
        {{1, "n1", row.count, row.size, true}, {1, "r1", 1, {10 * gib, 1}, true}, {1, "*", 1, {10 * gib, 1}, true}});
    const std::vector<NodeId> victims = cluster.preempt();
    BOOST_TEST(victims.size() == row.victims, row.id);
    for (const NodeId each : victims) BOOST_TEST((each == (row.on_first ? cluster.first : cluster.second)), row.id);
  }
}

// C-Y-108, C-Y-109, C-Y-110: which applications count as starved, and when again.
BOOST_AUTO_TEST_CASE(starved_applications_are_found_once_and_again_after_a_delay) {
  const std::string never = "<fairSharePreemptionThreshold>0</fairSharePreemptionThreshold>";
  const std::string fair =
      "<fairSharePreemptionThreshold>1</fairSharePreemptionThreshold><fairSharePreemptionTimeout>0</"
      "fairSharePreemptionTimeout>";
  const std::string file =
      "<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>" + queue("default", "") +
      queue("no-preemption", never) +
      queue("minshare",
            never +
                "<minSharePreemptionTimeout>0</minSharePreemptionTimeout><minResources>2048mb,2vcores</minResources>") +
      queue("fairshare", fair + queue("child", "<fairSharePreemptionThreshold>1</fairSharePreemptionThreshold>")) +
      queue("drf", fair + "<schedulingPolicy>drf</schedulingPolicy>" +
                       queue("child", "<schedulingPolicy>drf</schedulingPolicy>"));
  struct Row {
    const char* id;
    bool is_enabled;
    float utilization;
    std::size_t starved;
  };
  const Row rows[] = {{"C-Y-108", true, 0.0F, 3}, {"C-Y-109", true, 1.1F, 0}, {"C-Y-110", false, 0.0F, 0}};
  for (const Row& row : rows) {
    FairSchedulerSettings settings = numbered_settings();
    settings.preemption.is_enabled = row.is_enabled;
    settings.preemption.utilization_threshold = row.utilization;
    FairWorld world{file, settings};
    const NodeId nodes[] = {world.node(4 * gib, 4), world.node(4 * gib, 4)};
    const App greedy = world.submit(gib, 1, "root.default", 8);
    world.update();
    for (const NodeId node : nodes) world.beat(node, 4);
    BOOST_TEST_REQUIRE(world.containers(greedy) == 8U);
    for (const char* each : {"no-preemption", "minshare", "fairshare.child", "drf.child"}) world.submit(gib, 1, each);
    const auto starved = [&](Duration after) {
      world.now += after;
      world.update();
      return world.fair.preempt(world.now, world.effects).size();
    };
    BOOST_TEST(starved(std::chrono::milliseconds{10}) == row.starved, row.id);
    BOOST_TEST(starved(std::chrono::seconds{1}) == 0U, row.id);
    BOOST_TEST(starved(std::chrono::seconds{25}) == row.starved, row.id);
  }
}

// C-Y-111: a need that is requested at nodes, racks and any node is satisfied once. After the first name, the levels
// above and below it are skipped, and the other node is not. A second need of a whole node, four containers, makes the
// starvation larger (priority 3 comes after 1 and 2 in the map); the first row leaves no node for it.
BOOST_AUTO_TEST_CASE(a_need_is_met_at_one_level) {
  const std::string file =
      queue("greedy", "<weight>0</weight>") +
      queue("starving",
            "<fairSharePreemptionThreshold>1</fairSharePreemptionThreshold><fairSharePreemptionTimeout>0</"
            "fairSharePreemptionTimeout>");
  struct Row {
    std::vector<ResourceRequest> asks;
    std::size_t victims;
  };
  const Resource size{gib, 1};
  const std::vector<Row> rows = {
      {{{1, "n1", 1, size, true},
        {1, "n2", 1, size, true},
        {1, "r1", 1, size, true},
        {1, "r2", 1, size, true},
        {1, "*", 2, size, true}},
       2},
      {{{1, "n1", 1, size, true}, {1, "r1", 1, size, true}, {1, "*", 1, size, true}}, 1 + 4},
      {{{1, "r1", 1, size, true}, {1, "*", 1, size, true}}, 1 + 4},
      {{{1, "*", 2, size, true}}, 2 + 4},
      {{{1, "*", 1, size, true}, {2, "*", 1, size, true}}, 2 + 4},
      {{{1, "n7", 1, size, true}, {1, "*", 2, size, true}}, 2 + 4},  // no such host
  };
  for (const Row& row : rows) {
    Cluster cluster{file};
    cluster.greedy("greedy");
    const App starving = cluster.world.submit(0, 0, "starving", 0);
    cluster.world.ask(starving, row.asks);
    cluster.world.ask(starving, {{3, "*", 1, {4 * gib, 1}, true}});
    BOOST_TEST(cluster.preempt().size() == row.victims);
  }
}

// heddle.fix.cap_minimum_starvation (PR-3): the queue lacks 4 GiB of its minimum, and its two applications request 3
// GiB each.
BOOST_AUTO_TEST_CASE(an_application_takes_what_is_left_of_its_queues_starvation_only_if_mended) {
  for (const bool mended : {false, true}) {
    FairSchedulerSettings settings = preempting();
    settings.preemption.caps_minimum_starvation = mended;
    Cluster cluster{tree(By::minimum_share), settings};
    (void)cluster.greedy("root.preemptable.child-1");
    const App first = cluster.world.submit(gib, 1, "root.preemptable.child-2", 3);
    cluster.world.now += std::chrono::seconds{1};
    const App second = cluster.world.submit(gib, 1, "root.preemptable.child-2", 3);
    cluster.world.now += std::chrono::seconds{1};
    cluster.world.update();
    BOOST_TEST(cluster.world.application(first).min_share_starvation.memory_mib == 3 * gib);
    BOOST_TEST(cluster.world.application(second).min_share_starvation.memory_mib == (mended ? 1 : 2) * gib);
  }
}

// As in Hadoop, where sizes include all resources: killed containers free whatever the starved application needs, gpus
// too.
BOOST_AUTO_TEST_CASE(a_starved_ask_for_a_gpu_stops_containers_until_one_is_free) {
  FairWorld world{tree(By::fair_share), preempting()};
  world.fair.on_node_added(world.now, {NodeId{1}, "a", "r1", {4 * gib, 12, {{"gpu", 2}}}}, world.effects);
  world.fair.on_node_added(world.now, {NodeId{2}, "b", "r2", {4 * gib, 12}}, world.effects);
  const App greedy = world.submit(gib, 1, "root.preemptable.child-1", 6);
  world.update();
  world.beat(NodeId{2}, 4);
  world.beat(NodeId{1}, 2);
  world.ask(greedy, {{2, "*", 2, {gib, 1, {{"gpu", 1}}}, true}});
  world.update();
  world.beat(NodeId{1}, 2);
  BOOST_REQUIRE(world.containers(greedy) == 8U);
  const App starving = world.submit(gib, 1, "root.preemptable.child-2", 0);
  world.ask(starving, {{1, "*", 1, {gib, 1, {{"gpu", 1}}}, true}});
  world.now += std::chrono::seconds{1};
  world.update();
  world.effects.clear();
  (void)world.fair.preempt(world.now, world.effects);
  std::vector<ContainerId> stopped;
  for (const ResourceEffect& effect : world.effects)
    if (const auto* chosen = std::get_if<ContainerChosen>(&effect)) {
      BOOST_TEST(chosen->node.value == 1);
      stopped.push_back(chosen->container);
    }
  BOOST_TEST(stopped.size() == 3U);  // by age: two without a gpu, then one with a gpu
  world.now += std::chrono::seconds{16};
  world.fair.kill_chosen(world.now, world.effects);
  world.update();
  BOOST_TEST(world.beat(NodeId{2}).empty());
  BOOST_TEST(world.beat(NodeId{1}).size() == 1U);
  BOOST_TEST(world.containers(starving) == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fair_preemption_test
}  // namespace heddle::policies
