// Why an application of a capacity queue waits: each reason once, with the holder of the missing resource and the time
// of the next change.
#include <boost/test/unit_test.hpp>
#include <map>
#include <utility>

#include "model/random_stream.hpp"
#include "tests/support/capacity_world.hpp"

namespace heddle::policies {
namespace capacity_explain_test {

BOOST_AUTO_TEST_SUITE(capacity_explain)

// CS-1, CS-5
BOOST_AUTO_TEST_CASE(explains_who_holds_what_is_missing) {
  auto rows = two_queues("50", "50");
  rows.emplace_back("root.a.maximum-capacity", "50");
  rows.emplace_back("root.b.user-limit-factor", "0.5");
  CapacityWorld world{rows};
  BOOST_TEST(world.submit(1, "root.a"));
  BOOST_TEST(world.reason(1) == "no_nodes");
  const NodeId node = world.add_node(8192);
  BOOST_TEST(world.reason(1) == "nothing_asked");
  world.ask(1, 20);
  BOOST_TEST(world.beat(node) == 4U);
  BOOST_TEST(world.reason(1) == "queue_at_maximum");
  BOOST_TEST(world.scheduler.explain(CapacityWorld::attempt(1).application).holder == "root.a");
  BOOST_TEST(world.submit(2, "b", "ann"));
  world.ask(2, 20);
  while (world.beat(node) > 0) continue;
  BOOST_TEST(world.reason(2) == "user_at_limit");
  BOOST_TEST(world.scheduler.explain(CapacityWorld::attempt(2).application).holder == "ann");
  BOOST_TEST(world.reason(99) == "unknown_application");
}

BOOST_AUTO_TEST_CASE(explains_every_other_wait) {
  auto rows = two_queues("50", "50");
  rows.emplace_back("root.a.user-limit-factor", "2");
  rows.emplace_back("root.b.maximum-am-resource-percent", "0.9");
  CapacityWorld world{rows};
  const NodeId node = world.add_node(8192);
  const auto why = [&](std::int64_t number) {
    return world.scheduler.explain(CapacityWorld::attempt(number).application);
  };
  BOOST_TEST(world.submit(1, "a", "ann"));
  BOOST_TEST(world.submit(2, "a", "bob"));
  world.ask(1, 20);
  world.ask(2, 20);
  BOOST_TEST(why(1).reason == "no_room");
  BOOST_TEST(why(1).offers_to_wait == 1);
  BOOST_TEST(why(2).reason == "earlier_application");
  BOOST_TEST(why(2).holder == to_string(CapacityWorld::attempt(1).application));
  BOOST_TEST(why(2).offers_to_wait == 1);
  world.beat(node);
  world.scheduler.on_application_removed(Instant{}, CapacityWorld::attempt(1).application, world.effects);
  world.scheduler.on_application_removed(Instant{}, CapacityWorld::attempt(2).application, world.effects);
  BOOST_TEST(world.submit(3, "a"));
  AllocateRequest named;
  for (const char* place : {"*", "/r1", "h9"})
    named.asks.push_back({1, place, 1, {1024, 1}, std::string{place} == "h9"});
  static_cast<void>(world.scheduler.allocate(Instant{}, CapacityWorld::attempt(3), named, world.effects));
  BOOST_TEST(why(3).reason == "only_named_places");
  world.scheduler.on_application_removed(Instant{}, CapacityWorld::attempt(3).application, world.effects);
  auto tight = two_queues("50", "50");
  tight.emplace_back("root.a.maximum-capacity", "60");
  tight.emplace_back("root.a.user-limit-factor", "2");
  CapacityWorld small{tight};
  small.add_node(8192);
  BOOST_TEST(small.submit(1, "a"));
  small.ask(1, 1, 8192);
  BOOST_TEST(small.reason(1) == "queue_headroom");
  BOOST_TEST(small.scheduler.explain(CapacityWorld::attempt(1).application).holder == "root.a");
}

// CS-4
BOOST_AUTO_TEST_CASE(explains_that_a_users_masters_use_what_they_may) {
  auto rows = two_queues("50", "50");
  rows.emplace_back("root.a.maximum-am-resource-percent", "0.5");
  rows.emplace_back("root.a.minimum-user-limit-percent", "25");
  CapacityWorld world{rows};
  world.add_node(16384);
  std::vector<std::string> holders;
  for (std::int64_t number = 1; number <= 6; ++number) {
    BOOST_TEST(world.submit(number, "a", number < 6 ? "ann" : "bob"));
    const ResourceExplanation why = world.scheduler.explain(CapacityWorld::attempt(number).application);
    if (why.reason == "master_limit_of_user") holders.push_back(why.holder);
  }
  BOOST_TEST_REQUIRE(!holders.empty());
  for (const std::string& holder : holders) BOOST_TEST(holder == "ann");
}

// CS-6
BOOST_AUTO_TEST_CASE(explains_for_how_many_offers_an_application_waits_for_its_data) {
  CapacityWorld world{two_queues("50", "50")};
  const NodeId here = world.add_node(8192);
  for (int i = 0; i < 9; ++i) world.add_node(8192);
  BOOST_TEST(world.submit(1, "a"));
  world.ask(1, 5, 1024, {"h2", "h3", "/r1"});
  const ResourceExplanation why = world.scheduler.explain(CapacityWorld::attempt(1).application);
  BOOST_TEST(why.reason == "locality_delay");
  BOOST_TEST_REQUIRE(why.offers_to_wait > 1);
  for (std::int64_t i = 1; i < why.offers_to_wait; ++i) BOOST_TEST(world.beat(here) == 0U);
  BOOST_TEST(world.beat(here) > 0U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace capacity_explain_test
}  // namespace heddle::policies
