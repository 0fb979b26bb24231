// Shares of queues from the numbered cases of the YARN specification: active queues, weights, minimums, maximums.
// Tables of small trees; the tree of Hadoop's test class has parentA with weight 8.
#include <boost/test/unit_test.hpp>

#include "tests/support/fair_world.hpp"

namespace heddle::policies {
namespace fair_queue_shares_test {
namespace {

const std::string founding_tree =
    "<queue name='root'>"
    "<queue name='parentA'><weight>8</weight><queue name='childA1'/><queue name='childA2'/><queue "
    "name='childA3'/><queue name='childA4'/>"
    "</queue>"
    "<queue name='parentB'><weight>1</weight><queue name='childB1'/><queue name='childB2'/></queue>"
    "<queue name='default'><weight>1</weight></queue>"
    "</queue>";

FairWorld founding_world(const std::string& more = "") {
  FairWorld world{more + founding_tree};
  world.node(16384, 10);
  return world;
}

std::string queue(const std::string& name, const std::string& inside) {
  return "<queue name='" + name + "'>" + inside + "</queue>";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(fair_queue_shares)

// C-Y-020.
BOOST_AUTO_TEST_CASE(without_applications_only_the_steady_shares_are_there) {
  FairWorld world = founding_world();
  world.update();
  for (const char* name : {"parentA", "parentA.childA1", "parentA.childA4", "parentB", "parentB.childB1", "default"})
    BOOST_TEST(world.queue(name).fair_share.memory_mib == 0, name);
  BOOST_TEST(world.queue("parentA").steady_share.memory_mib == 13108);
  BOOST_TEST(world.queue("parentB").steady_share.memory_mib == 1638);
  for (const char* name : {"childA1", "childA2", "childA3", "childA4"})
    BOOST_TEST(world.queue(std::string{"parentA."} + name).steady_share.memory_mib == 3277);
  for (const char* name : {"childB1", "childB2"})
    BOOST_TEST(world.queue(std::string{"parentB."} + name).steady_share.memory_mib == 819);
}

// C-Y-021, C-Y-022, C-Y-023: which leaves have an application, and the shares of some leaves.
BOOST_AUTO_TEST_CASE(active_queues_share_what_the_others_leave) {
  struct Row {
    const char* id;
    std::vector<std::string> applications;
    std::vector<std::pair<std::string, std::int64_t>> shares;
  };
  const std::vector<Row> rows = {
      {"C-Y-021", {"parentA.childA1"}, {{"parentA.childA1", 16384}, {"parentA.childA2", 0}}},
      {"C-Y-022",
       {"parentA.childA1", "parentA.childA2", "parentA.childA3"},
       {{"parentA.childA1", 5462}, {"parentA.childA2", 5462}, {"parentA.childA3", 5462}, {"parentA.childA4", 0}}},
      {"C-Y-023",
       {"parentA.childA1", "parentA.childA2", "parentB.childB1", "default"},
       {{"parentA.childA1", 6554},
        {"parentA.childA2", 6554},
        {"parentB.childB1", 1638},
        {"default", 1638},
        {"parentB.childB2", 0}}},
  };
  for (const Row& row : rows) {
    FairWorld world = founding_world();
    for (const std::string& each : row.applications) world.submit(2048, 1, each);
    world.update();
    for (const auto& [name, share] : row.shares)
      BOOST_TEST(world.queue(name).fair_share.memory_mib == share, row.id << " " << name);
  }
}

// C-Y-024.
BOOST_AUTO_TEST_CASE(a_share_falls_to_zero_when_the_last_application_ends) {
  FairWorld world = founding_world();
  const auto first = world.submit(2048, 1, "parentA.childA1");
  world.submit(2048, 1, "parentA.childA2");
  world.update();
  BOOST_TEST(world.queue("parentA.childA1").fair_share.memory_mib == 8192);
  BOOST_TEST(world.queue("parentA.childA2").fair_share.memory_mib == 8192);
  world.remove(first);
  world.update();
  BOOST_TEST(world.queue("parentA.childA1").fair_share.memory_mib == 0);
  BOOST_TEST(world.queue("parentA.childA2").fair_share.memory_mib == 16384);
}

// C-Y-025.
BOOST_AUTO_TEST_CASE(drf_shares_cores_as_well) {
  FairWorld world = founding_world("<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>");
  for (const char* each : {"parentA.childA1", "parentA.childA2", "parentB.childB1", "default"})
    world.submit(2048, 1, each);
  world.update();
  BOOST_TEST(text(world.queue("parentA.childA1").fair_share) == "6554/4");
  BOOST_TEST(text(world.queue("parentA.childA2").fair_share) == "6554/4");
  BOOST_TEST(text(world.queue("parentB.childB1").fair_share) == "1638/1");
  BOOST_TEST(world.queue("parentA.childA3").steady_share.cores == 2);
  BOOST_TEST(world.queue("parentB.childB2").steady_share.cores == 1);
}

// C-Y-028.
BOOST_AUTO_TEST_CASE(three_queues_share_a_node) {
  FairWorld world;
  world.node(10240, 10);
  for (const char* each : {"queue1", "queue2", "root.default"}) world.submit(10240, 1, each);
  world.update();
  for (const char* each : {"queue1", "queue2", "default"}) {
    BOOST_TEST(world.queue(each).fair_share.memory_mib == 3414);
    BOOST_TEST(world.queue(each).steady_share.memory_mib == 3414);
  }
}

// C-Y-031, C-Y-034, C-Y-035, C-Y-036, C-Y-037: two queues by weight and limits, one application in each.
BOOST_AUTO_TEST_CASE(weights_minimums_and_maximums_decide_the_share) {
  struct Row {
    const char* id;
    Resource node;
    std::string a;
    std::string b;
    std::int64_t share_a;
    std::int64_t share_b;
  };
  const std::string most = "<maxResources>1073741824 mb 1073741824 vcores</maxResources>";
  const std::string none = "<weight>0.0</weight>";
  const std::vector<Row> rows = {
      {"C-Y-031", {8192, 8}, most + "<weight>.25</weight>", most + "<weight>.75</weight>", 2048, 6144},
      {"C-Y-034", {8192, 8}, none, none, 0, 0},
      {"C-Y-035",
       {8192, 8},
       "<minResources>1 mb 1 vcores</minResources>" + none,
       "<minResources>1 mb 1 vcores</minResources>" + none,
       1,
       1},
      {"C-Y-036",
       {8192, 8},
       "<minResources>1024 mb 1 vcores</minResources><weight>0.5</weight>",
       "<minResources>1024 mb 1 vcores</minResources><weight>0.5</weight>",
       4096,
       4096},
      {"C-Y-037",
       {3072, 3},
       "<minResources>1024 mb 1 vcores</minResources>",
       "<minResources>2048 mb 2 vcores</minResources>",
       1024,
       2048},
  };
  for (const Row& row : rows) {
    FairWorld world{queue("queueA", row.a) + queue("queueB", row.b)};
    world.node(row.node.memory_mib, row.node.cores);
    world.submit(2048, 1, "queueA", 2);
    world.submit(2048, 1, "queueB", 2);
    world.update();
    BOOST_TEST(world.queue("queueA").fair_share.memory_mib == row.share_a, row.id);
    BOOST_TEST(world.queue("queueB").fair_share.memory_mib == row.share_b, row.id);
  }
}

// C-Y-032.
BOOST_AUTO_TEST_CASE(low_maximums_bound_share_and_use) {
  FairWorld world{queue("queueA", "<maxResources>1024 mb 1 vcores</maxResources><weight>.75</weight>") +
                  queue("queueB", "<maxResources>3072 mb 3 vcores</maxResources><weight>.25</weight>")};
  const NodeId node = world.node(8192, 8);
  const auto a = world.submit(1024, 1, "queueA", 2);
  const auto b = world.submit(1024, 1, "queueB", 4);
  world.update();
  BOOST_TEST(world.queue("queueA").fair_share.memory_mib == 1024);
  BOOST_TEST(world.queue("queueB").fair_share.memory_mib == 3072);
  world.beat(node, 6);
  BOOST_TEST(world.containers(a) == 1U);
  BOOST_TEST(world.containers(b) == 3U);
}

// C-Y-041: queues that a nested user queue rule made.
BOOST_AUTO_TEST_CASE(queues_of_users_share_their_parent) {
  FairWorld world{"<queue name='parentq' type='parent'/>"};
  world.node(16384, 16);
  world.submit(1024, 1, "root.parentq.user1", 1, "user1");
  world.submit(1024, 1, "root.parentq.user2", 1, "user2");
  world.submit(1024, 1, "root.default", 1, "user3");
  world.update();
  for (const char* each : {"parentq.user1", "parentq.user2"}) {
    BOOST_TEST(world.queue(each).fair_share.memory_mib == 4096);
    BOOST_TEST(world.queue(each).steady_share.memory_mib == 4096);
    BOOST_TEST(world.queue(each).limits.weight == 1.0F);
  }
}

// C-Y-042. The default queue is declared, since the recorded scheduler creates no queue that is missing in the file.
BOOST_AUTO_TEST_CASE(steady_shares_follow_files_and_nodes) {
  const std::string policy = "<defaultQueueSchedulingPolicy>fair</defaultQueueSchedulingPolicy>";
  const auto tree = [&](const std::string& inside) {
    return policy + queue("root", "<schedulingPolicy>drf</schedulingPolicy><queue name='default'/>" + inside);
  };
  const auto child = [](const char* name, const char* weight) {
    return queue(name, std::string{"<weight>"} + weight + "</weight>");
  };
  FairWorld world{tree(child("child1", "1") + child("child2", "1"))};
  const auto steady = [&](const char* name) { return world.queue(name).steady_share.memory_mib; };
  BOOST_TEST(steady("child1") + steady("child2") == 0);
  const NodeId node = world.node(6144, 6);
  BOOST_TEST(steady("child1") == 2048);
  BOOST_TEST(steady("child2") == 2048);
  world.reload(tree(child("child1", "1") + child("child2", "2") + child("child3", "2")));
  BOOST_TEST(steady("child1") == 1024);
  BOOST_TEST(steady("child2") == 2048);
  BOOST_TEST(steady("child3") == 2048);
  world.fair.on_node_removed(world.now, node, world.effects);
  BOOST_TEST(steady("child1") + steady("child2") + steady("child3") == 0);
}

// C-Y-043, with the default queue declared.
BOOST_AUTO_TEST_CASE(a_queue_made_while_running_takes_its_steady_share) {
  FairWorld world{"<queue name='default'/>"};
  world.node(6144, 6);
  BOOST_TEST(world.queue("default").steady_share.memory_mib == 6144);
  world.submit(1024, 1, "root.user1");
  BOOST_TEST(world.queue("default").steady_share.memory_mib == 3072);
  BOOST_TEST(world.queue("user1").steady_share.memory_mib == 3072);
}

// C-Y-044: requests at hosts and racks do not count twice.
BOOST_AUTO_TEST_CASE(only_what_is_asked_anywhere_counts_as_demand) {
  constexpr std::int64_t m = 1024;
  FairWorld world;
  world.node(10 * m, 10);
  world.submit(2 * m, 1, "queue1");
  const auto second = world.submit(0, 0, "queue2", 0);
  world.ask(second, {{1, "foo", 1, {2 * m, 1}, false}, {1, "*", 1, {2 * m, 1}, false}});
  const auto third = world.submit(0, 0, "queue2", 0);
  world.ask(third, {{1, "bar", 2, {m, 1}, true}, {1, "*", 2, {m, 1}, false}});
  world.update();
  BOOST_TEST(world.queue("queue1").demand.memory_mib == 2 * m);
  BOOST_TEST(world.queue("queue2").demand.memory_mib == 4 * m);
}

// C-Y-045, C-Y-087: demand stops at the maximum, in a leaf of two applications and in the parent.
BOOST_AUTO_TEST_CASE(demand_stops_at_the_maximum) {
  const std::string most = "<maxResources>8192 mb, 8 vcores</maxResources>";
  FairWorld world{queue("root", queue("parent", most + queue("a", most) + queue("b", most)))};
  world.node(10240, 10);
  for (const char* each : {"parent.a", "parent.a", "parent.b", "parent.b"}) world.submit(8192, 8, each);
  world.update();
  BOOST_TEST(world.application(1).demand.memory_mib == 8192);
  BOOST_TEST(text(world.queue("parent.a").demand) == "8192/8");
  BOOST_TEST(text(world.queue("parent.b").demand) == "8192/8");
  BOOST_TEST(text(world.queue("parent").demand) == "8192/8");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fair_queue_shares_test
}  // namespace heddle::policies
