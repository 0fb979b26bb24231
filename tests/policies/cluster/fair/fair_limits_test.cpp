// Limits of queues from the numbered cases of the YARN specification: sizes of containers, queues of users, shares of
// masters, running applications. Each test is one of those cases.
#include <boost/test/unit_test.hpp>

#include "tests/support/fair_world.hpp"

namespace heddle::policies {
namespace fair_limits_test {
namespace {

std::string queue(const std::string& name, const std::string& inside) {
  return "<queue name='" + name + "'>" + inside + "</queue>";
}

MemoryAndCores granted_size(FairWorld& world, NodeId node) {
  const std::vector<ContainerAssigned> assigned = world.beat(node);
  return assigned.empty() ? MemoryAndCores{} : assigned[0].resource;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(fair_limits)

// C-Y-029: an ask above the queue's maximum container is reduced to it.
BOOST_AUTO_TEST_CASE(containers_are_cut_to_the_maximum_of_their_queue) {
  FairSchedulerSettings settings = numbered_settings();
  settings.increment = {512, 1};
  settings.maximum_allocation = {10240, 8};
  const std::string file =
      queue("queueA", "<maxContainerAllocation>512 mb 1 vcores</maxContainerAllocation>") + queue("queueB", "") +
      queue("queueC", "<maxContainerAllocation>2048 mb 3 vcores</maxContainerAllocation>" + queue("queueD", "")) +
      queue("queueE", "<maxContainerAllocation>102400 mb 100 vcores</maxContainerAllocation>");
  const std::pair<const char*, const char*> rows[] = {
      {"queueA", "512/1"}, {"queueB", "10240/8"}, {"queueC.queueD", "2048/3"}, {"queueE", "10240/8"}};
  for (const auto& [name, size] : rows) {
    FairWorld world{file, settings};
    const NodeId node = world.node(102400, 100);
    world.submit(20480, 50, name);
    world.update();
    BOOST_TEST(text(granted_size(world, node)) == size, name);
  }
}

// C-Y-030.
BOOST_AUTO_TEST_CASE(demand_counts_containers_as_they_are_cut) {
  FairSchedulerSettings settings = numbered_settings();
  FairWorld world{
      queue("queueA", "<maxContainerAllocation>4096 mb 4 vcores</maxContainerAllocation>") + queue("queueB", ""),
      settings};
  world.node(102400, 100);
  world.submit(5120, 1, "queueA");
  world.submit(settings.maximum_allocation.memory_mib + 1024, 1, "queueB");
  world.update();
  BOOST_TEST(world.queue("queueA").demand.memory_mib == 4096);
  BOOST_TEST(world.queue("queueB").demand.memory_mib == settings.maximum_allocation.memory_mib);
}

// C-Y-033: a limit for undeclared queues; lowering it kills nothing.
BOOST_AUTO_TEST_CASE(queues_of_users_take_their_parents_limit_for_children) {
  const auto file = [](const char* most) {
    return "<queue name='queueA' type='parent'><maxChildResources>" + std::string{most} +
           "</maxChildResources></queue>";
  };
  FairWorld world{file("2048 mb,2 vcores")};
  const NodeId node = world.node(8192, 8);
  const auto b = world.submit(1024, 1, "root.queueA.queueB", 8);
  const auto c = world.submit(1024, 1, "root.queueA.queueC", 8);
  world.update();
  const auto counts = [&] { return std::to_string(world.containers(b)) + "+" + std::to_string(world.containers(c)); };
  world.beat(node, 4);
  BOOST_TEST(counts() == "2+2");
  world.beat(node);
  BOOST_TEST(counts() == "2+2");
  world.reload(file("3072 mb,3 vcores"));
  world.update();
  world.beat(node, 4);
  BOOST_TEST(counts() == "3+3");
  world.reload(file("1024 mb,1 vcores"));
  world.update();
  world.beat(node, 2);
  BOOST_TEST(counts() == "3+3");
}

// C-Y-038: by its maximum, by the free resources, by its share.
BOOST_AUTO_TEST_CASE(masters_share_what_their_queue_may_use) {
  const std::string share = "<maxAMShare>0.5</maxAMShare>";
  FairWorld world{
      "<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>" +
      queue("queueFSZeroWithMax", "<weight>0</weight><maxResources>4096 mb, 4 vcores</maxResources>" + share) +
      queue("queueFSZeroWithAVL", "<weight>0.0</weight>" + share) +
      queue("queueFSNonZero", "<weight>1</weight>" + share)};
  const NodeId node = world.node(20480, 20);
  const auto limit = [&](const char* name) { return text(*world.fair.master_limit(world.fair.queues().find(name))); };
  const auto first = world.submit_with_master(1024, 1, "queueFSZeroWithMax");
  world.update();
  BOOST_TEST(limit("queueFSZeroWithMax") == "2048/2");
  world.beat(node);
  BOOST_TEST(world.containers(first) == 1U);
  world.submit_with_master(1024, 1, "queueFSZeroWithAVL");
  world.update();
  // Half of the 19456 MiB and 19 cores that are free.
  BOOST_TEST(limit("queueFSZeroWithAVL") == "9728/10");
  world.submit_with_master(1024, 1, "queueFSNonZero");
  world.update();
  BOOST_TEST(text(world.queue("queueFSNonZero").fair_share) == "20480/20");
  BOOST_TEST(limit("queueFSNonZero") == "10240/10");
}

// C-Y-039, as amounts instead of ratios: share of the cluster, and usage of the share.
BOOST_AUTO_TEST_CASE(a_queue_shows_its_share_and_its_use) {
  FairWorld world{queue("queueA", "<weight>.25</weight>") + queue("queueB", "<weight>.75</weight>")};
  const NodeId node = world.node(8192, 8);
  const auto a = world.submit(1024, 1, "queueA");
  const auto b = world.submit(6144, 1, "queueB");
  world.update();
  for (const char* each : {"queueA", "queueB"}) BOOST_TEST(world.queue(each).usage.memory_mib == 0);
  world.beat(node, 2);
  BOOST_TEST(world.queue("queueA").fair_share.memory_mib == 2048);  // .25
  BOOST_TEST(world.queue("queueB").fair_share.memory_mib == 6144);  // .75
  BOOST_TEST(world.queue("queueA").usage.memory_mib == 1024);       // half of it
  BOOST_TEST(world.queue("queueB").usage.memory_mib == 6144);       // all of it
  BOOST_TEST(world.containers(a) + world.containers(b) == 2U);
}

// C-Y-040.
BOOST_AUTO_TEST_CASE(a_container_is_rounded_up_to_the_step) {
  FairWorld world;
  const NodeId first = world.node(1024, 4);
  const NodeId second = world.node(512, 2);
  const auto app = world.submit(512, 2, "queue1", 2);
  world.update();
  world.beat(first);
  BOOST_TEST(text(world.queue("queue1").usage) == "1024/2");
  world.beat(second);
  BOOST_TEST(text(world.queue("queue1").usage) == "1024/2");
  BOOST_TEST(world.containers(app) == 1U);
  BOOST_TEST(text(world.node_books(first).unallocated + world.node_books(second).unallocated) == "512/4");
}

// C-Y-046.
BOOST_AUTO_TEST_CASE(the_root_queue_can_be_configured) {
  const FairWorld world{
      "<defaultQueueSchedulingPolicy>fair</defaultQueueSchedulingPolicy>"
      "<defaultMinSharePreemptionTimeout>200</defaultMinSharePreemptionTimeout>"
      "<defaultFairSharePreemptionTimeout>300</defaultFairSharePreemptionTimeout>"
      "<defaultFairSharePreemptionThreshold>.6</defaultFairSharePreemptionThreshold>" +
      queue("root",
            "<schedulingPolicy>drf</schedulingPolicy><fairSharePreemptionTimeout>100</fairSharePreemptionTimeout>"
            "<minSharePreemptionTimeout>120</minSharePreemptionTimeout><fairSharePreemptionThreshold>.5</"
            "fairSharePreemptionThreshold>" +
                queue("child1", "<minResources>1024mb, 1vcores</minResources>") +
                queue("child2", "<minResources>1024mb, 4vcores</minResources>"))};
  const FairQueue& root = world.queue("root");
  BOOST_TEST((root.policy == FairPolicy::dominant_resource));
  BOOST_TEST(root.preemption.fair_share_timeout_ms == 100000);
  BOOST_TEST(root.preemption.minimum_share_timeout_ms == 120000);
  BOOST_TEST(root.preemption.fair_share_threshold == 0.5F);
  BOOST_TEST(root.children.size() == 2U);
}

// C-Y-047, with the default queue declared: a look-up creates no queue.
BOOST_AUTO_TEST_CASE(nested_queues_of_a_file_are_there) {
  const FairWorld world{queue("default", "") + queue("queueA", "<minResources>2048mb,0vcores</minResources>") +
                        queue("queueB", "<minResources>2048mb,0vcores</minResources>" +
                                            queue("queueC", "<minResources>2048mb,0vcores</minResources>") +
                                            queue("queueD", "<minResources>2048mb,0vcores</minResources>"))};
  std::size_t leaves = 0;
  for (std::size_t i = 0; i < world.fair.queues().size(); ++i)
    leaves += world.fair.queues().at(static_cast<RowIndex>(i)).is_leaf ? 1 : 0;
  BOOST_TEST(leaves == 4U);
  for (const char* name : {"queueA", "root.queueA", "queueB.queueC", "root.queueB.queueD", "default"})
    BOOST_TEST((world.fair.queues().find(name) != no_row), name);
  for (const char* name : {"queueC", "queueB.queueE"}) BOOST_TEST((world.fair.queues().find(name) == no_row), name);
  BOOST_TEST(world.fair.queues().size() == 6U);
}

// C-Y-074.
BOOST_AUTO_TEST_CASE(users_and_queues_limit_running_applications) {
  FairWorld world{queue("queue1", "<maxRunningApps>2</maxRunningApps>") +
                  "<user name='user1'><maxRunningApps>1</maxRunningApps></user>"};
  world.node(8192, 8);
  const auto a1 = world.submit(1024, 1, "queue1", 1, "user1");
  const auto a2 = world.submit(1024, 1, "queue1", 1, "user1");
  const auto a3 = world.submit(1024, 1, "queue1", 1, "user2");
  const auto a4 = world.submit(1024, 1, "queue1", 1, "user2");
  const auto runs = [&](FairWorld::App app) { return world.application(app).is_runnable; };
  BOOST_TEST((runs(a1) && !runs(a2) && runs(a3) && !runs(a4)));
  world.remove(a1);
  BOOST_TEST(runs(a2));
  BOOST_TEST(!runs(a4));
  const auto a5 = world.submit(1024, 1, "queue1", 1, "user2");
  BOOST_TEST(!runs(a5));
}

// C-Y-075.
BOOST_AUTO_TEST_CASE(limits_of_parents_and_leaves_both_hold) {
  FairWorld world{queue("queue1", "<maxRunningApps>3</maxRunningApps>" + queue("sub1", "") + queue("sub2", "") +
                                      queue("sub3", "<maxRunningApps>1</maxRunningApps>"))};
  world.node(8192, 8);
  const auto next = [&](const char* leaf) {
    world.now += std::chrono::seconds{10};
    return world.submit(1024, 1, leaf);
  };
  const auto a1 = next("queue1.sub1");
  const auto a2 = next("queue1.sub3");
  const auto a3 = next("queue1.sub2");
  const auto a4 = next("queue1.sub2");
  const auto a5 = next("queue1.sub3");
  const auto runs = [&](FairWorld::App app) { return world.application(app).is_runnable; };
  BOOST_TEST((runs(a1) && runs(a2) && runs(a3) && !runs(a4) && !runs(a5)));
  world.remove(a2);
  BOOST_TEST(runs(a4));
  BOOST_TEST(!runs(a5));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fair_limits_test
}  // namespace heddle::policies
