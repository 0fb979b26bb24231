// Goal: an application is held while too many run at once, waits while masters hold all they may, and starts in order.
// Method: a scheduler with limits of each kind; the lists of its leaves.
#include "policies/cluster/capacity/capacity_admission.hpp"

#include <boost/test/unit_test.hpp>

#include "model/random_stream.hpp"
#include "tests/support/capacity_world.hpp"

namespace heddle::policies {
namespace capacity_admission_test {
namespace {

CapacityRows with(CapacityRows more) {
  auto rows = two_queues("50", "50");
  rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

std::size_t held(const CapacityWorld& world, const std::string& queue) { return world.queue(queue).lists.held.size(); }
std::size_t running(const CapacityWorld& world, const std::string& queue) {
  return world.queue(queue).lists.running.size();
}

void remove(CapacityWorld& world, std::int64_t number) {
  world.scheduler.on_application_removed(Instant{}, CapacityWorld::attempt(number).application, world.effects);
  world.scheduler.check_invariants();
}

BOOST_AUTO_TEST_CASE(a_limit_of_a_user_holds_it_in_all_queues_and_nobody_else) {
  CapacityWorld world{with({{"user.ann.max-parallel-apps", "1"}})};
  world.add_node(8192);
  BOOST_TEST(world.submit(1, "a", "ann"));
  BOOST_TEST(world.submit(2, "b", "ann"));
  BOOST_TEST(world.submit(3, "b", "bob"));
  BOOST_TEST(held(world, "root.b") == 1U);
  BOOST_TEST(running(world, "root.b") == 1U);
  BOOST_TEST(world.reason(2) == "running_applications_limit");
  remove(world, 1);
  BOOST_TEST(held(world, "root.b") == 0U);
  BOOST_TEST(running(world, "root.b") == 2U);
}

BOOST_AUTO_TEST_CASE(a_limit_of_a_parent_holds_the_leaves_and_the_first_that_came_starts_first) {
  CapacityWorld world{with({{"root.max-parallel-apps", "2"}})};
  world.add_node(8192);
  for (std::int64_t number = 1; number <= 5; ++number) BOOST_TEST(world.submit(number, number % 2 == 0 ? "a" : "b"));
  BOOST_TEST(held(world, "root.a") + held(world, "root.b") == 3U);
  remove(world, 2);
  BOOST_TEST(world.reason(3) != "running_applications_limit");
  BOOST_TEST(world.reason(4) == "running_applications_limit");
  BOOST_TEST(world.reason(5) == "running_applications_limit");
  remove(world, 4);  // one that is held gives no place to another
  BOOST_TEST(world.reason(5) == "running_applications_limit");
}

BOOST_AUTO_TEST_CASE(no_limit_is_exceeded_and_none_is_held_without_one) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    RandomStream random{seed};
    CapacityWorld world{with({{"root.a.max-parallel-apps", "2"}, {"user.ann.max-parallel-apps", "3"}})};
    world.add_node(65536);
    std::vector<std::pair<std::string, std::string>> of{{"", ""}};  // queue and user by number; empty: it has left
    const auto are_parallel = [&](const std::string& queue, const std::string& user) {
      int count = 0;
      for (std::size_t number = 1; number < of.size(); ++number) {
        if (of[number].first.empty() || (!queue.empty() && of[number].first != queue)) continue;
        if (!user.empty() && of[number].second != user) continue;
        count += world.reason(static_cast<std::int64_t>(number)) != "running_applications_limit" ? 1 : 0;
      }
      return count;
    };
    for (int step = 0; step < 60; ++step) {
      if (random.below(3) > 0) {
        of.emplace_back(random.below(2) == 0 ? "a" : "b", random.below(2) == 0 ? "ann" : "bob");
        BOOST_REQUIRE(world.submit(static_cast<std::int64_t>(of.size()) - 1, of.back().first, of.back().second));
      } else if (const auto gone = random.below(of.size()); !of[gone].first.empty()) {
        remove(world, static_cast<std::int64_t>(gone));
        of[gone] = {};
      }
      BOOST_REQUIRE(are_parallel("a", "") <= 2);
      BOOST_REQUIRE(are_parallel("", "ann") <= 3);
      for (std::size_t number = 1; number < of.size(); ++number) {
        if (of[number].first.empty()) continue;
        const bool is_held = world.reason(static_cast<std::int64_t>(number)) == "running_applications_limit";
        const bool has_cause = (of[number].first == "a" && are_parallel("a", "") == 2) ||
                               (of[number].second == "ann" && are_parallel("", "ann") == 3);
        BOOST_REQUIRE((!is_held || has_cause));
      }
    }
  }
}

}  // namespace
}  // namespace capacity_admission_test
}  // namespace heddle::policies
