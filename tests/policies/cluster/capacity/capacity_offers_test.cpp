// Results of one offer under capacity rules: opportunities, assignments per heartbeat, and free resources on random
// clusters.
#include <boost/test/unit_test.hpp>
#include <map>
#include <utility>

#include "model/random_stream.hpp"
#include "tests/support/capacity_world.hpp"

namespace heddle::policies {
namespace capacity_offers_test {

BOOST_AUTO_TEST_SUITE(capacity_offers)

BOOST_AUTO_TEST_CASE(a_change_counts_no_missed_opportunity) {
  CapacityWorld world{two_queues("50", "50")};
  const NodeId here = world.add_node(8192);
  for (int i = 0; i < 9; ++i) world.add_node(8192);
  BOOST_TEST(world.submit(1, "a"));
  world.ask(1, 5, 1024, {"h2", "h3", "/r1"});
  const auto before = world.scheduler.explain(CapacityWorld::attempt(1).application).offers_to_wait;
  for (int i = 0; i < 20; ++i) world.scheduler.node_heartbeat(Instant{}, here, world.effects, OfferCause::change);
  BOOST_TEST(world.scheduler.explain(CapacityWorld::attempt(1).application).offers_to_wait == before);
}

BOOST_AUTO_TEST_CASE(a_heartbeat_assigns_no_more_than_it_may) {
  for (const std::int32_t most : {1, 3, -1}) {
    auto rows = two_queues("50", "50");
    rows.emplace_back("root.a.user-limit-factor", "2");
    rows.emplace_back("per-node-heartbeat.maximum-container-assignments", std::to_string(most));
    CapacityWorld world{rows};
    const NodeId node = world.add_node(8192);
    BOOST_TEST(world.submit(1, "a"));
    world.ask(1, 8);
    BOOST_TEST(world.beat(node) == (most < 0 ? 8U : static_cast<std::size_t>(most)));
  }
}

BOOST_AUTO_TEST_CASE(random_offers_never_give_more_than_a_node_has_or_was_asked) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    RandomStream random{seed};
    auto rows = two_queues("30", "70");
    rows.emplace_back("root.a.user-limit-factor", "3");
    rows.emplace_back("root.b.user-limit-factor", "3");
    CapacityWorld world{rows};
    std::vector<NodeId> nodes;
    for (int i = 0; i < 4; ++i) nodes.push_back(world.add_node(static_cast<std::int64_t>(1 + random.below(8)) * 1024));
    std::map<std::int64_t, std::int64_t> asked;
    for (std::int64_t app = 1; app <= 6; ++app) {
      BOOST_REQUIRE(world.submit(app, random.chance(1, 2) ? "a" : "b", "u" + std::to_string(random.below(2))));
      asked[app] = static_cast<std::int64_t>(random.below(6));
      if (asked[app] > 0) world.ask(app, static_cast<std::int32_t>(asked[app]), random.chance(1, 3) ? 2048 : 1024);
    }
    std::map<std::int64_t, std::int64_t> given;
    std::map<NodeId, std::int64_t> held;
    for (int round = 0; round < 40; ++round) world.beat(nodes[random.below(nodes.size())]);
    for (const ResourceEffect& effect : world.effects)
      if (const auto* assigned = std::get_if<ContainerAssigned>(&effect)) {
        ++given[assigned->attempt.application.number];
        held[assigned->node] += assigned->resource.memory_mib;
      }
    for (const auto& [app, count] : given) BOOST_REQUIRE(count <= asked[app]);
    for (const auto& [node, memory] : held)
      BOOST_REQUIRE(memory <=
                    world.scheduler.ledger().node(world.scheduler.ledger().find_node(node)).capacity.memory_mib);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace capacity_offers_test
}  // namespace heddle::policies
