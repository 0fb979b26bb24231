// Goal: all schedulers count other resource types: they grant them while some are free, and never more. Method: small
// clusters, the same for each scheduler; then random histories with the invariants of the books.
#include <boost/test/unit_test.hpp>
#include <map>
#include <vector>

#include "model/random_stream.hpp"
#include "policies/cluster/scheduler/resource_scheduler.hpp"
#include "tests/support/capacity_world.hpp"
#include "tests/support/fair_world.hpp"

namespace heddle::policies {
namespace other_resource_types_test {
namespace {

/// FIFO, fair and capacity rules with one queue without limits, several containers per heartbeat.
std::vector<ResourceScheduler> schedulers() {
  FairSchedulerSettings fair = numbered_settings();
  fair.assignment.assigns_multiple = true;
  fair.assignment.is_bounded_by_room = false;
  fair.update_interval = std::chrono::milliseconds{1};
  auto rows = two_queues("100", "0");
  rows.emplace_back("per-node-heartbeat.maximum-offswitch-assignments", "100");
  return {ResourceScheduler{FifoScheduler{{{1, 0}, {8192, 4}, 1}}},
          ResourceScheduler{FairScheduler{fair, {}, Instant{}}},
          ResourceScheduler{CapacityScheduler{{}, file_of(rows)}}};
}

struct Cluster {
  ResourceScheduler scheduler;
  ResourceEffects effects;
  Instant now{};

  explicit Cluster(ResourceScheduler rules) : scheduler{std::move(rules)} {}
  static AttemptId attempt(std::int64_t number) { return {ApplicationId{1, number}, 1}; }
  void add_node(std::int64_t number, ResourceAmounts others) {
    const std::string host = "h" + std::to_string(number);
    scheduler.apply(now, resource_input::NodeAdded{{NodeId{number}, host, "/r1", {65536, 64, std::move(others)}, 0}},
                    effects);
  }
  void submit(std::int64_t number) {
    const bool is_capacity = std::holds_alternative<CapacityScheduler>(scheduler.rules());
    BOOST_REQUIRE(scheduler
                      .apply(now,
                             resource_input::ApplicationAdded{
                                 {attempt(number).application, is_capacity ? "root.a" : "root.q", "u", 0, {}}})
                      .is_accepted);
    scheduler.apply(now, resource_input::AttemptAdded{attempt(number)}, effects);
  }
  void ask(std::int64_t number, std::int32_t count, ResourceAmounts others) {
    AllocateRequest batch;
    batch.asks.push_back({1, "*", count, {1024, 1, std::move(others)}, true});
    static_cast<void>(scheduler.apply(now, resource_input::AsksMade{attempt(number), batch}, effects));
    now += std::chrono::milliseconds{10};
    scheduler.apply(now, resource_input::TimePassed{}, effects);
  }
  std::vector<ContainerAssigned> beat(std::int64_t node) {
    const std::size_t before = effects.size();
    scheduler.apply(now, resource_input::NodeOffered{NodeId{node}}, effects);
    scheduler.check_invariants();
    std::vector<ContainerAssigned> granted;
    for (std::size_t i = before; i < effects.size(); ++i)
      if (const auto* each = std::get_if<ContainerAssigned>(&effects[i])) granted.push_back(*each);
    return granted;
  }
  std::string why(std::int64_t number) const { return scheduler.explain(attempt(number).application).sentence; }
};

BOOST_AUTO_TEST_CASE(containers_are_granted_while_a_node_has_what_they_need) {
  for (ResourceScheduler& rules : schedulers()) {
    Cluster cluster{rules};
    cluster.add_node(1, {{"yarn.io/gpu", 2}});
    cluster.add_node(2, {});
    cluster.submit(1);
    cluster.ask(1, 4, {{"yarn.io/gpu", 1}});
    BOOST_TEST(cluster.beat(2).size() == 0U);
    const auto granted = cluster.beat(1);
    BOOST_REQUIRE(granted.size() == 2U);
    BOOST_TEST(cluster.beat(1).size() == 0U);
    cluster.scheduler.apply(cluster.now, resource_input::ContainerCompleted{granted.at(0).container, 0},
                            cluster.effects);
    cluster.scheduler.check_invariants();
    BOOST_TEST(cluster.beat(1).size() == 1U);
    // An application that needs no other resource type can still use the node.
    cluster.submit(2);
    cluster.ask(2, 1, {});
    BOOST_TEST(cluster.beat(2).size() == 1U);
  }
}

BOOST_AUTO_TEST_CASE(what_no_node_has_is_named) {
  for (ResourceScheduler& rules : schedulers()) {
    Cluster cluster{rules};
    cluster.add_node(1, {{"yarn.io/gpu", 2}});
    cluster.submit(1);
    cluster.ask(1, 1, {{"yarn.io/fpga", 1}, {"yarn.io/gpu", 1}});
    BOOST_TEST(cluster.beat(1).size() == 0U);
    BOOST_TEST(cluster.why(1).find("yarn.io/fpga=1") != std::string::npos);
    cluster.ask(1, 1, {{"yarn.io/gpu", 3}});
    BOOST_TEST(cluster.beat(1).size() == 0U);
    BOOST_TEST(cluster.why(1) == "No node has yarn.io/gpu=3, which the next container needs.");
    cluster.add_node(2, {{"yarn.io/gpu", 3}});
    BOOST_TEST(cluster.beat(2).size() == 1U);
  }
}

BOOST_AUTO_TEST_CASE(who_holds_what_is_missing_is_named_the_one_with_most_first) {
  for (ResourceScheduler& rules : schedulers()) {
    Cluster cluster{rules};
    cluster.add_node(1, {{"gpu", 4}});
    cluster.submit(1);
    cluster.submit(2);
    cluster.ask(1, 1, {{"gpu", 1}});
    BOOST_TEST(cluster.beat(1).size() == 1U);
    cluster.ask(2, 1, {{"gpu", 2}});
    const auto large = cluster.beat(1);
    BOOST_REQUIRE(large.size() == 1U);
    cluster.ask(1, 1, {{"gpu", 2}});
    BOOST_TEST(cluster.beat(1).empty());
    const auto why = cluster.scheduler.explain(Cluster::attempt(1).application);
    BOOST_TEST(why.reason == "resource_held");
    BOOST_TEST(why.holder == to_string(Cluster::attempt(2).application));
    BOOST_TEST(why.sentence.find("held by " + why.holder + " (2), ") != std::string::npos);
    cluster.scheduler.apply(cluster.now, resource_input::ContainerCompleted{large.at(0).container, 0}, cluster.effects);
    BOOST_TEST(cluster.beat(1).size() == 1U);
  }
}

BOOST_AUTO_TEST_CASE(random_clusters_never_hold_more_than_their_nodes_have) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed)
    for (ResourceScheduler& rules : schedulers()) {
      RandomStream random{seed};
      Cluster cluster{rules};
      for (std::int64_t node = 1; node <= 3; ++node)
        cluster.add_node(node, {{"gpu", static_cast<std::int64_t>(random.below(4))},
                                {"fpga", static_cast<std::int64_t>(random.below(3))}});
      for (std::int64_t number = 1; number <= 3; ++number) cluster.submit(number);
      std::vector<ContainerId> held;
      for (int step = 0; step < 150; ++step) {
        const auto node = static_cast<std::int64_t>(1 + random.below(3));
        const auto number = static_cast<std::int64_t>(1 + random.below(3));
        switch (random.below(4)) {
          case 0:
            cluster.ask(number, static_cast<std::int32_t>(random.below(4)),
                        {{"gpu", static_cast<std::int64_t>(random.below(3))},
                         {"fpga", static_cast<std::int64_t>(random.below(2))}});
            break;
          case 1:
            if (held.empty()) break;
            cluster.scheduler.apply(cluster.now, resource_input::ContainerCompleted{held.back(), 0}, cluster.effects);
            held.pop_back();
            break;
          case 2:
            if (random.below(10) > 0) break;
            cluster.scheduler.apply(cluster.now, resource_input::NodeRemoved{NodeId{node}}, cluster.effects);
            cluster.add_node(node, {{"gpu", 1}});
            break;
          default:
            for (const ContainerAssigned& each : cluster.beat(node)) held.push_back(each.container);
        }
        cluster.scheduler.check_invariants();
      }
    }
}

// C-Y-088: available 4096 MiB, 10 cores, 25 of test1; maximum 8192, 4, 10; masters may use half of the smaller amounts.
BOOST_AUTO_TEST_CASE(masters_share_what_their_queue_may_use_of_a_third_kind) {
  for (const std::int64_t wanted : {3, 6}) {
    FairWorld world{
        "<queue name='q'><weight>0</weight><maxResources>memory-mb=8192, vcores=4, "
        "test1=10</maxResources><maxAMShare>0.5</maxAMShare>"
        "</queue>"};
    world.fair.on_node_added(world.now, {NodeId{1}, "n1", "/r1", {4096, 10, {{"test1", 25}}}}, world.effects);
    const AttemptId attempt = FairWorld::attempt(1);
    BOOST_REQUIRE(
        world.fair
            .on_application_added(world.now, {attempt.application, "q", "u", 0, Resource{1024, 1, {{"test1", wanted}}}})
            .is_accepted);
    world.fair.on_attempt_added(world.now, attempt, world.effects);
    world.update();
    const RowIndex leaf = world.fair.queues().find("q");
    BOOST_TEST(text(*world.fair.master_limit(leaf)) == "2048/2");
    BOOST_TEST(*world.fair.master_limit(leaf, 0) == 5);
    BOOST_TEST(world.beat(NodeId{1}).size() == (wanted == 3 ? 1U : 0U));
    if (wanted == 6) BOOST_TEST(world.fair.explain(attempt.application).reason == "master_share_limit");
  }
}

// Three ways to write a maximum: the old style has no other resource types, so the queue may have none; a share of the
// cluster is also a share of its other types at the moment; a minimum raises the maximum.
BOOST_AUTO_TEST_CASE(the_maximum_of_a_fair_queue_bounds_a_third_kind_as_it_is_written) {
  struct Row {
    std::string limits;
    std::size_t granted;
  };
  const std::vector<Row> rows{
      {"", 10},
      {"<maxResources>memory-mb=65536, vcores=64</maxResources>", 10},
      {"<maxResources>memory-mb=65536, vcores=64, test1=3</maxResources>", 3},
      {"<maxResources>65536 mb, 64 vcores</maxResources>", 0},
      {"<maxResources>50% memory, 50% cpu</maxResources>", 0},
      {"<maxResources>70%</maxResources>", 7},
      {"<maxResources>memory-mb=70%, test1=25%</maxResources>", 2},
      {"<minResources>test1=4</minResources><maxResources>65536 mb, 64 vcores</maxResources>", 4}};
  for (const auto& [limits, granted] : rows) {
    BOOST_TEST_CONTEXT(limits) {
      FairSchedulerSettings settings = numbered_settings();
      settings.assignment.assigns_multiple = true;
      settings.assignment.is_bounded_by_room = false;
      FairWorld world{"<queue name='q'>" + limits + "</queue>", settings};
      world.fair.on_node_added(world.now, {NodeId{1}, "n1", "/r1", {65536, 64, {{"test1", 10}}}}, world.effects);
      const AttemptId attempt = FairWorld::attempt(1);
      BOOST_REQUIRE(world.fair.on_application_added(world.now, {attempt.application, "q", "u", 0, {}}).is_accepted);
      world.fair.on_attempt_added(world.now, attempt, world.effects);
      AllocateRequest batch;
      batch.asks.push_back({1, "*", 20, {1024, 1, {{"test1", 1}}}, true});
      static_cast<void>(world.fair.allocate(world.now, attempt, batch, world.effects));
      world.update();
      std::size_t got = 0;
      for (int beats = 0; beats < 3; ++beats) got += world.beat(NodeId{1}).size();
      BOOST_TEST(got == granted);
    }
  }
}

}  // namespace
}  // namespace other_resource_types_test
}  // namespace heddle::policies
