// Goal: a ResourceManager with idle nodes wakes up no more often than they send heartbeats. Method: virtual time, each
// kind of scheduler; the timers that are due between two heartbeats.
#include <boost/test/unit_test.hpp>

#include "actors/resource_manager/cluster_start.hpp"
#include "policies/cluster/scheduler/resource_scheduler.hpp"
#include "tests/support/actor_world.hpp"
#include "tests/support/capacity_world.hpp"
#include "tests/support/fair_world.hpp"

namespace heddle::actors {
namespace resource_manager_quiet_test {
namespace {

using namespace std::chrono_literals;

constexpr Duration heartbeat = 1s;

struct IdleCluster : tests::ActorWorld {
  explicit IdleCluster(policies::ResourceScheduler rules) {
    const config::ResourceManagerSettings settings;
    cluster = adopt(spawn_resource_manager(
        system(), settings, tools(),
        {1000, "build", 0, std::make_shared<const policies::ResourceScheduler>(std::move(rules))}));
    settle();
    for (int node = 1; node <= nodes; ++node) {
      const auto host = "n" + std::to_string(node);
      say(peer(host + ":1"), cluster, RegisterNode{host, "/r1", host + ":1", {8192, 8}, "build", false});
    }
  }
  void beat() {
    for (int node = 1; node <= nodes; ++node) {
      const auto& from = peer("n" + std::to_string(node) + ":1");
      const auto known = from.last<NodeRegistered>();
      say(from, cluster, NodeHeartbeat{known.node, known.epoch, {}});
    }
  }
  static constexpr int nodes = 5;
  ResourceManagerActor cluster;
};

BOOST_AUTO_TEST_CASE(idle_nodes_arm_no_timer_between_their_heartbeats) {
  std::vector<policies::ResourceScheduler> all;
  all.emplace_back(policies::FifoScheduler{{{1, 0}, {8192, 4}, 1}});
  all.emplace_back(policies::FairScheduler{policies::numbered_settings(), policies::allocations(""), Instant{}});
  all.emplace_back(policies::CapacityScheduler{{}, policies::file_of(policies::two_queues("50", "50")), Instant{}});
  for (auto& rules : all) {
    IdleCluster world{std::move(rules)};
    for (int turn = 0; turn < 20; ++turn) {
      world.advance(heartbeat);
      world.beat();
      if (turn < 5) continue;  // what the start armed
      BOOST_TEST(world.timers_in(heartbeat) == 0U);
    }
  }
}

}  // namespace
}  // namespace resource_manager_quiet_test
}  // namespace heddle::actors
