// Preemption between capacity queues: the wait before a kill, and the containers that random clusters lose.
#include <boost/test/unit_test.hpp>
#include <map>
#include <utility>

#include "model/random_stream.hpp"
#include "tests/support/capacity_world.hpp"

namespace heddle::policies {
namespace capacity_reclaim_test {

BOOST_AUTO_TEST_SUITE(capacity_reclaim)

// CS-8
BOOST_AUTO_TEST_CASE(a_starved_queue_gets_its_guarantee_back_after_the_wait) {
  auto rows = two_queues("50", "50");
  rows.emplace_back("root.a.user-limit-factor", "2");
  CapacitySchedulerSettings settings;
  settings.preemption.is_enabled = true;
  settings.preemption.part_per_round = 1.0F;
  settings.preemption.natural_termination_factor = 1.0F;
  CapacityWorld world{rows, settings};
  const NodeId node = world.add_node(8192);
  BOOST_TEST(world.submit(1, "a"));
  world.ask(1, 8);
  while (world.beat(node) > 0) continue;
  BOOST_TEST(world.queue("root.a").used.memory_mib == 8192);
  BOOST_TEST(world.submit(2, "b"));
  world.ask(2, 8);
  std::size_t chosen = 0;
  std::size_t ended = 0;
  for (Instant now{}; now < Instant{std::chrono::seconds{30}}; now += std::chrono::seconds{1}) {
    world.effects.clear();
    world.scheduler.on_time(now, world.effects);
    for (const ResourceEffect& effect : world.effects) {
      chosen += std::holds_alternative<ContainerChosen>(effect) ? 1U : 0U;
      if (const auto* gone = std::get_if<ContainerEnded>(&effect)) {
        ++ended;
        BOOST_TEST(gone->exit_status == exit_status::preempted);
        BOOST_TEST((now >= Instant{std::chrono::seconds{18}}));
      }
    }
    world.scheduler.check_invariants();
  }
  BOOST_TEST(chosen == 4U);
  BOOST_TEST(ended == 4U);
  while (world.beat(node) > 0) continue;
  BOOST_TEST(world.queue("root.b").used.memory_mib == 4096);
}

// In any history, a queue within its guarantee loses nothing, and a container is killed only if it was chosen for the
// whole wait.
BOOST_AUTO_TEST_CASE(random_queues_lose_only_what_they_hold_beyond_their_guarantee) {
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    RandomStream random{seed};
    auto rows = two_queues("50", "50");
    rows.emplace_back("root.a.user-limit-factor", "2");
    rows.emplace_back("root.b.user-limit-factor", "2");
    CapacitySchedulerSettings settings;
    settings.preemption.is_enabled = true;
    settings.preemption.part_per_round = 1.0F;
    CapacityWorld world{rows, settings};
    const NodeId node = world.add_node(16'384);
    std::map<ContainerId, Instant> chosen;
    for (std::int64_t step = 1; step <= 60; ++step) {
      const Instant now{std::chrono::seconds{step}};
      if (step % 7 == 1 && world.submit(step, random.chance(1, 2) ? "a" : "b"))
        world.ask(step, static_cast<std::int32_t>(1 + random.below(10)));
      world.beat(node);
      const std::int64_t used_by_a = world.queue("root.a").used.memory_mib;
      const std::int64_t used_by_b = world.queue("root.b").used.memory_mib;
      const std::size_t before = world.effects.size();
      world.scheduler.on_time(now, world.effects);
      world.scheduler.check_invariants();
      for (std::size_t i = before; i < world.effects.size(); ++i) {
        if (const auto* choice = std::get_if<ContainerChosen>(&world.effects[i]))
          chosen[choice->container] = choice->kill_at;
        if (const auto* gone = std::get_if<ContainerEnded>(&world.effects[i]))
          BOOST_REQUIRE((chosen.at(gone->container) <= now));
      }
      if (used_by_a <= 8192) BOOST_REQUIRE(world.queue("root.a").used.memory_mib == used_by_a);
      if (used_by_b <= 8192) BOOST_REQUIRE(world.queue("root.b").used.memory_mib == used_by_b);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace capacity_reclaim_test
}  // namespace heddle::policies
