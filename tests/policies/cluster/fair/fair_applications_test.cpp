// Rights of an application and its leaf, from the numbered cases of the YARN specification: running limits, shares of
// masters, locality levels by missed offers, headroom, refusals.
#include <boost/test/unit_test.hpp>

#include "tests/support/fair_world.hpp"

namespace heddle::policies {
namespace fair_applications_test {
namespace {

using App = FairWorld::App;

std::string queue(const std::string& name, const std::string& inside) {
  return "<queue name='" + name + "'>" + inside + "</queue>";
}

std::string running(int most) { return "<maxRunningApps>" + std::to_string(most) + "</maxRunningApps>"; }

/// "running/waiting" of a leaf.
std::string counts(const FairWorld& world, const char* leaf) {
  return std::to_string(world.queue(leaf).running) + "/" + std::to_string(world.queue(leaf).waiting.size());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(fair_applications)

// C-Y-112, C-Y-113, C-Y-114, C-Y-115, C-Y-116. The first application ends; then "running/waiting" of the leaves.
BOOST_AUTO_TEST_CASE(an_end_lets_those_run_whose_limits_it_frees) {
  struct Submission {
    const char* leaf;
    const char* user;
  };
  struct Row {
    const char* id;
    std::string file;
    std::vector<Submission> applications;
    std::vector<std::pair<const char*, const char*>> after;
  };
  const std::string two_leaves = queue("queue1", running(2) + queue("leaf1", "") + queue("leaf2", ""));
  const char* leaf1 = "queue1.leaf1";
  const char* leaf2 = "queue1.leaf2";
  const std::vector<Row> rows = {
      {"C-Y-112",
       queue("root", running(2) + queue("queue1", queue("leaf1", running(1)) + queue("leaf2", running(1)))),
       {{leaf1, "u"}, {leaf2, "u"}, {leaf2, "u"}},
       {{leaf1, "0/0"}, {leaf2, "1/1"}}},
      {"C-Y-113", two_leaves, {{leaf1, "u"}, {leaf2, "u"}, {leaf2, "u"}}, {{leaf1, "0/0"}, {leaf2, "2/0"}}},
      {"C-Y-114",
       queue("queue1", queue("leaf1", running(2)) + queue("leaf2", "")) + "<user name='u1'>" + running(1) + "</user>",
       {{leaf1, "u1"}, {leaf1, "u2"}, {leaf1, "u3"}, {leaf2, "u1"}},
       {{leaf1, "2/0"}, {leaf2, "1/0"}}},
      {"C-Y-115",
       two_leaves,
       {{leaf1, "u"}, {leaf2, "u"}, {leaf2, "u"}, {leaf1, "u"}},
       {{leaf1, "0/1"}, {leaf2, "2/0"}}},
      {"C-Y-116",
       two_leaves,
       {{leaf1, "u"}, {leaf2, "u"}, {leaf2, "u"}, {leaf2, "u"}},
       {{leaf1, "0/0"}, {leaf2, "2/1"}}},
  };
  for (const Row& row : rows) {
    FairWorld world{row.file};
    for (const Submission& each : row.applications) {
      world.now += std::chrono::seconds{10};
      world.submit(1024, 1, each.leaf, 1, each.user);
    }
    world.remove(1);
    for (const auto& [leaf, expected] : row.after) BOOST_TEST(counts(world, leaf) == expected, row.id << " " << leaf);
  }
}

// C-Y-117: of two leaves with one waiting application each, the earlier one runs first.
BOOST_AUTO_TEST_CASE(waiting_applications_of_many_leaves_run_by_start_time) {
  for (const bool second_leaf_first : {false, true}) {
    FairWorld world{queue("queue1", running(1) + queue("leaf1", "") + queue("leaf2", ""))};
    const char* leaves[] = {"queue1.leaf1", "queue1.leaf2"};
    const App first = world.submit(1024, 1, leaves[0]);
    world.now += std::chrono::seconds{1};
    const App second = world.submit(1024, 1, leaves[second_leaf_first ? 1 : 0]);
    world.now += std::chrono::seconds{1};
    const App third = world.submit(1024, 1, leaves[second_leaf_first ? 0 : 1]);
    world.remove(first);
    BOOST_TEST(world.application(second).is_runnable);
    BOOST_TEST(!world.application(third).is_runnable);
    world.remove(second);
    BOOST_TEST(world.application(third).is_runnable);
  }
}

// All wait equally long: the queue that was created first comes first, and queues are created in the iteration order of
// a hash set of their names.
BOOST_AUTO_TEST_CASE(equal_waits_end_in_the_order_of_queues) {
  FairWorld world{
      "<queue name='q0'/><queue name='q1'><queue name='c0'/><queue name='c1'/><queue name='c2'/></queue>"
      "<queueMaxAppsDefault>1</queueMaxAppsDefault>"};
  const App running = world.submit(1024, 1, "root.q0");
  const App same_queue = world.submit(1024, 1, "root.q0");
  const App last_child = world.submit(1024, 1, "root.q1.c2");
  const App first_child = world.submit(1024, 1, "root.q1.c0");
  world.remove(running);
  BOOST_TEST(!world.application(same_queue).is_runnable);
  BOOST_TEST(!world.application(first_child).is_runnable);
  BOOST_TEST(world.application(last_child).is_runnable);
}

// A queue that its parent's policy forbids is not created, and nobody can submit to it.
BOOST_AUTO_TEST_CASE(a_fair_parent_holds_no_dominant_resource_queue) {
  FairWorld world{
      "<queue name='p'><queue name='d'><schedulingPolicy>drf</schedulingPolicy></queue><queue name='f'/></queue>"
      "<queue name='r'><schedulingPolicy>drf</schedulingPolicy><queue name='x'/></queue>"};
  BOOST_TEST(world.fair.queues().find("root.p.d") == no_row);
  BOOST_TEST(world.fair.queues().find("root.r.x") == no_row);
  for (const char* name : {"root.p.d", "root.r", "root.r.x"}) {
    world.submit(1024, 1, name, 0);
    BOOST_TEST(!world.refusal.empty(), name);
  }
  world.submit(1024, 1, "root.p.f", 0);
  BOOST_TEST(world.refusal.empty());
}

// C-Y-076.
BOOST_AUTO_TEST_CASE(masters_wait_while_their_queue_has_enough_of_them) {
  FairWorld world{queue("queue1", "<maxAMShare>0.2</maxAMShare>") + queue("default", "")};
  const NodeId node = world.node(20480, 20);
  world.submit(1024, 1, "root.default");
  const auto run = [&] {
    world.update();
    world.beat(node, 2);
  };
  run();
  const auto start = [&](std::int64_t memory) {
    const App app = world.submit_with_master(memory, 1, "queue1");
    run();
    return app;
  };
  const App one = start(1024);
  BOOST_TEST(world.queue("queue1").fair_share.memory_mib == 10240);
  // 0.2 in single precision is a little more than a fifth.
  BOOST_TEST(world.fair.master_limit(world.fair.queues().find("queue1"))->memory_mib == 2049);
  const App two = start(1024);
  const App three = start(1024);
  BOOST_TEST(world.containers(one) == 1U);
  BOOST_TEST(world.containers(two) == 1U);
  BOOST_TEST(world.containers(three) == 0U);
  BOOST_TEST(world.queue("queue1").masters.usage.memory_mib == 2048);
  world.ask(one, {{1, "*", 1, {1024, 1}, true}});
  run();
  BOOST_TEST(world.containers(one) == 2U);  // unmanaged: allowed
  BOOST_TEST(world.queue("queue1").masters.usage.memory_mib == 2048);
  world.remove(one);
  run();
  BOOST_TEST(world.containers(three) == 1U);
  BOOST_TEST(world.queue("queue1").masters.usage.memory_mib == 2048);
  const App four = start(2048);
  BOOST_TEST(world.containers(four) == 0U);
  world.remove(two);
  run();
  BOOST_TEST(world.containers(four) == 0U);
  world.remove(three);
  run();
  BOOST_TEST(world.containers(four) == 1U);
  BOOST_TEST(world.queue("queue1").masters.usage.memory_mib == 2048);
  // The master's container ends; its application still counts.
  world.end(world.container_ids(four).front());
  run();
  BOOST_TEST(world.queue("queue1").masters.usage.memory_mib == 2048);
  const App five = start(1860);  // rounded up to 2048
  BOOST_TEST(world.containers(five) == 0U);
  world.remove(four);
  run();
  BOOST_TEST(world.containers(five) == 1U);
}

// C-Y-077: a node of 8192/10 and four active queues.
BOOST_AUTO_TEST_CASE(shares_of_masters_have_a_default) {
  FairWorld world{queue("queue1", "") + queue("queue2", "<maxAMShare>0.4</maxAMShare>") +
                  queue("queue3", "<maxResources>10240 mb 4 vcores</maxResources>") + queue("queue4", "") +
                  queue("queue5", "")};
  const NodeId node = world.node(8192, 10);
  const auto run = [&] {
    world.update();
    world.beat(node, 2);
  };
  for (const char* each : {"queue3", "queue4", "queue5"}) world.submit(1024, 1, each);
  run();
  run();
  const auto starts = [&](Resource master, const char* name) {
    const App app = world.submit_with_master(master.memory_mib, master.cores, name);
    run();
    return world.containers(app) == 1U;
  };
  BOOST_TEST(starts({1024, 1}, "queue1"));
  BOOST_TEST(world.queue("queue1").fair_share.memory_mib == 2048);
  BOOST_TEST(world.queue("queue1").masters.usage.memory_mib == 1024);
  BOOST_TEST(!starts({1024, 1}, "queue2"));
  BOOST_TEST(world.queue("queue2").fair_share.memory_mib == 1639);
  world.remove(5);
  BOOST_TEST(!starts({1024, 6}, "queue4"));  // 6 of the 6 cores that are free
  BOOST_TEST(!starts({1024, 5}, "queue3"));  // the queue has 4
}

// C-Y-080: a name means the same with and without "root."; a parent counts the applications of its children.
BOOST_AUTO_TEST_CASE(queues_are_found_with_and_without_the_root) {
  FairWorld world;
  world.submit(1024, 1, "queue1.subqueue1");
  world.submit(1024, 1, "root.queue1.subqueue2");
  world.submit(1024, 1, "root.default");
  for (const char* name : {"queue1.subqueue1", "queue1.subqueue2", "default", "queue1"})
    BOOST_TEST(world.fair.queues().find(name) == world.fair.queues().find("root." + std::string{name}), name);
  BOOST_TEST(world.queue("queue1.subqueue1").children.size() == 1U);
  BOOST_TEST(world.queue("queue1.subqueue2").name == "root.queue1.subqueue2");
  BOOST_TEST(world.queue("queue1").running == 2);
  BOOST_TEST(world.queue("root").running == 3);
}

// C-Y-081.
BOOST_AUTO_TEST_CASE(a_queue_without_a_resource_refuses_those_who_ask_for_it) {
  struct Row {
    const char* most;
    Resource lacking;
    Resource allowed;
  };
  for (const Row& row : {Row{"0 mb,2 vcores", {2048, 1}, {0, 1}}, Row{"2048 mb,0 vcores", {1024, 1}, {1024, 0}}}) {
    FairSchedulerSettings settings = numbered_settings();
    settings.minimum_allocation = {0, 0};
    FairWorld world{queue("queueA", "<maxResources>" + std::string{row.most} + "</maxResources>"), settings};
    world.node(2048, 2);
    const App app = world.submit(0, 0, "queueA", 0);
    const Allocation refused = world.ask(app, {{1, "*", 1, row.lacking, true}});
    BOOST_TEST((refused.refusal == AskRefusal::queue_has_none), row.most);
    const Allocation accepted = world.ask(app, {{1, "*", 1, row.allowed, true}});
    BOOST_TEST(!accepted.refusal.has_value(), row.most);
    world.submit_with_master(row.lacking.memory_mib, row.lacking.cores, "queueA");
    BOOST_TEST(!world.refusal.empty());
  }
}

// C-Y-082: 10 nodes, thresholds .5 and .6. Offers are counted from 1; the first five and the first six pass.
BOOST_AUTO_TEST_CASE(missed_offers_relax_places_step_by_step) {
  FairSchedulerSettings settings = numbered_settings();
  settings.locality.node_threshold = 0.5F;
  settings.locality.rack_threshold = 0.6F;
  FairWorld world{"", settings};
  std::vector<NodeId> nodes;
  for (int i = 0; i < 10; ++i) nodes.push_back(world.node(8192, 8, i < 5 ? "r1" : "r2"));
  const auto app_at_first_node = [&](std::int32_t count) {
    const App app = world.submit(0, 0, "queue1", 0);
    const Resource size{1024, 1};
    world.ask(app, {{1, "n1", count, size, true}, {1, "r1", count, size, true}, {1, "*", count, size, true}});
    world.update();
    return app;
  };
  const auto missed = [&](NodeId node) {
    int offers = 0;
    while (world.beat(node).empty() && offers < 100) ++offers;
    return offers;
  };
  const App near = app_at_first_node(3);
  BOOST_TEST(missed(nodes[1]) == 5);  // the rack with the 6th offer
  BOOST_TEST(world.beat(nodes[0]).size() == 1U);
  BOOST_TEST(missed(nodes[1]) == 4);  // the level is the node again; the offer that was used counts as well
  world.remove(near);
  app_at_first_node(1);
  BOOST_TEST(missed(nodes[7]) ==
             5 + 1 + 6);  // five for the node, the change to the rack, six for it; any node with the 7th
}

// C-Y-083: node 5 s, rack 6 s. The node at 0 and 4 s, the rack at 6 s; 6 s after that still the rack, after 7 s
// anywhere.
BOOST_AUTO_TEST_CASE(continuous_offers_relax_places_by_time) {
  FairSchedulerSettings settings = numbered_settings();
  settings.locality.continuous_sleep = std::chrono::milliseconds{5};
  settings.locality.node_delay_ms = 5000;
  settings.locality.rack_delay_ms = 6000;
  FairWorld world{"", settings};
  world.node(1024, 1, "r1");
  const NodeId near = world.node(8192, 8, "r1");
  const NodeId far = world.node(8192, 8, "r2");
  const App app = world.submit(0, 0, "queue1", 0);
  const Resource size{1024, 1};
  world.ask(app, {{1, "n9", 3, size, true}, {1, "r1", 3, size, true}, {1, "*", 3, size, true}});
  world.update();
  const Instant start = world.now;
  const auto taken_at = [&](std::int64_t seconds, NodeId node) {
    world.now = start + std::chrono::seconds{seconds};
    return world.beat(node).size();
  };
  BOOST_TEST(taken_at(0, near) == 0U);
  BOOST_TEST(taken_at(4, near) == 0U);
  BOOST_TEST(taken_at(5, near) == 0U);
  const ResourceExplanation why = world.fair.explain(FairWorld::attempt(app).application);
  BOOST_TEST(why.reason == "locality_delay");
  BOOST_TEST((why.retry_at == start + std::chrono::milliseconds{5001}));
  BOOST_TEST(taken_at(6, near) == 1U);
  BOOST_TEST(taken_at(12, far) == 0U);
  BOOST_TEST(taken_at(13, far) == 1U);
}

BOOST_AUTO_TEST_CASE(a_continuous_round_offers_the_node_with_the_most_free_memory_first) {
  FairSchedulerSettings settings = numbered_settings();
  settings.minimum_allocation = {2048, 1};
  FairWorld world{"", settings};
  const NodeId small = world.node(4096, 8);
  const NodeId large = world.node(8192, 8);
  const NodeId other = world.node(8192, 8);
  world.node(1024, 8);
  world.node(8192, 0);
  BOOST_TEST(world.fair.continuous_round().empty());  // no pending asks
  world.submit(6144, 1, "queue1");
  world.update();
  BOOST_TEST((world.fair.continuous_round() == std::vector<NodeId>{large, other, small}));
  BOOST_TEST(world.beat(large).size() == 1U);
  world.submit(6144, 1, "queue1");
  BOOST_TEST((world.fair.continuous_round() == std::vector<NodeId>{other, small, large}));
}

// C-Y-084.
BOOST_AUTO_TEST_CASE(without_thresholds_any_node_will_do) {
  FairWorld world;
  world.node(8192, 8, "r1");
  const NodeId far = world.node(8192, 8, "r2");
  const App app = world.submit(0, 0, "queue1", 0);
  const Resource size{1024, 1};
  world.ask(app, {{1, "n1", 1, size, true}, {1, "r1", 1, size, true}, {1, "*", 1, size, true}});
  world.update();
  const std::vector<ContainerAssigned> assigned = world.beat(far);
  BOOST_TEST_REQUIRE(assigned.size() == 1U);
  BOOST_TEST((assigned[0].locality == AskLocality::off_switch));
}

// C-Y-085: used 2048/2; share 4096/2, maximum 5120/3, cluster 8192/8.
BOOST_AUTO_TEST_CASE(headroom_follows_the_policy_of_the_queue) {
  const std::pair<const char*, const char*> rows[] = {{"drf", "2048/0"}, {"fair", "2048/1"}, {"fifo", "2048/1"}};
  for (const auto& [policy, headroom] : rows) {
    const std::string root = std::string{policy} == "drf" ? "<schedulingPolicy>drf</schedulingPolicy>" : "";
    FairWorld world{
        queue("root", root +
                          queue("queue1", "<maxResources>5120 mb,3 vcores</maxResources><schedulingPolicy>" +
                                              std::string{policy} + "</schedulingPolicy>") +
                          queue("other", "<minResources>0 mb,6 vcores</minResources>"))};
    const NodeId node = world.node(8192, 8);
    const App app = world.submit(2048, 2, "queue1");
    world.update();
    world.beat(node);
    world.submit(0, 0, "other", 0);
    world.update();
    BOOST_TEST_REQUIRE(text(world.queue("queue1").usage) == "2048/2");
    BOOST_TEST(world.queue("queue1").fair_share.memory_mib == 4096);
    BOOST_TEST(text(world.ask(app, {}).headroom) == headroom, policy);
  }
}

// C-Y-086.
BOOST_AUTO_TEST_CASE(excluded_nodes_are_no_headroom) {
  FairWorld world;
  world.node(8192, 8);
  world.node(4096, 4);
  const App app = world.submit(0, 0, "queue1", 0);
  world.update();
  const auto headroom = [&](std::vector<std::string> exclude, std::vector<std::string> include) {
    return text(world.fair
                    .allocate(world.now, FairWorld::attempt(app), {{}, {}, std::move(exclude), std::move(include)},
                              world.effects)
                    .headroom);
  };
  BOOST_TEST(headroom({}, {}) == "12288/12");
  BOOST_TEST(headroom({"n1"}, {}) == "4096/4");
  BOOST_TEST(headroom({"n2"}, {"n1"}) == "8192/8");
  BOOST_TEST(headroom({}, {"n2"}) == "12288/12");
}

// C-Y-026, C-Y-027: a minimum may be above 0, or 0; what is asked is raised to it and rounded up to the step.
BOOST_AUTO_TEST_CASE(minimum_and_step_shape_what_is_asked) {
  struct Row {
    const char* id;
    Resource minimum;
    Resource step;
    Resource ask;
    const char* demand;
  };
  const Row rows[] = {{"C-Y-026", {256, 1}, {512, 2}, {1, 1}, "512/2"},
                      {"C-Y-026", {256, 1}, {512, 2}, {600, 3}, "1024/4"},
                      {"C-Y-027", {0, 0}, {512, 2}, {0, 0}, "0/0"},
                      {"C-Y-027", {0, 0}, {512, 2}, {100, 1}, "512/2"}};
  for (const Row& row : rows) {
    FairSchedulerSettings settings = numbered_settings();
    settings.minimum_allocation = row.minimum;
    settings.increment = row.step;
    FairWorld world{"", settings};
    world.node(8192, 8);
    const App app = world.submit(row.ask.memory_mib, row.ask.cores, "queue1");
    world.update();
    BOOST_TEST(text(world.application(app).demand) == row.demand, row.id);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fair_applications_test
}  // namespace heddle::policies
