// Which applications of a capacity queue run: the share of masters, the limit of parallel applications, and random
// arrivals within both.
#include <boost/test/unit_test.hpp>
#include <map>
#include <utility>

#include "model/random_stream.hpp"
#include "tests/support/capacity_world.hpp"

namespace heddle::policies {
namespace capacity_limits_test {

BOOST_AUTO_TEST_SUITE(capacity_limits)

// CS-4
BOOST_AUTO_TEST_CASE(applications_wait_for_the_share_of_masters_and_say_so) {
  auto rows = two_queues("50", "50");
  rows.emplace_back("root.a.maximum-am-resource-percent", "0.1");
  CapacityWorld world{rows};
  world.add_node(8192);
  BOOST_TEST(world.submit(1, "a"));
  BOOST_TEST(world.submit(2, "a"));
  BOOST_TEST(std::as_const(world.scheduler)
                 .application(world.scheduler.ledger().find_application(CapacityWorld::attempt(1).application))
                 .is_running);
  BOOST_TEST(world.reason(2) == "master_limit_of_queue");
  world.scheduler.on_application_removed(Instant{}, CapacityWorld::attempt(1).application, world.effects);
  BOOST_TEST(world.reason(2) == "nothing_asked");
}

// maximum-applications limits all queues together, whatever the limit of a queue is; global-queue-max-application
// applies to queues without a limit. Queue a has 5, b has a share of 70 percent.
BOOST_AUTO_TEST_CASE(applications_are_refused_beyond_what_the_cluster_and_each_queue_take) {
  struct Row {
    const char* of_all;
    const char* of_each;
    const char* accepted;  // of four to b, then of six to a
  };
  for (const Row& row :
       {Row{"10", "", "4/5"}, Row{"6", "", "4/2"}, Row{"4", "", "2/2"}, Row{"10", "3", "3/5"}, Row{"2", "3", "2/0"}}) {
    auto rows = two_queues("30", "70");
    rows.emplace_back("maximum-applications", row.of_all);
    rows.emplace_back("global-queue-max-application", row.of_each);
    rows.emplace_back("root.a.maximum-applications", "5");
    CapacityWorld world{rows};
    world.add_node(8192);
    std::map<std::string, int> accepted;
    for (std::int64_t i = 1; i <= 10; ++i) {
      const std::string queue = i <= 4 ? "b" : "a";
      accepted[queue] += world.submit(i, queue, "u" + std::to_string(i)) ? 1 : 0;
    }
    BOOST_TEST(std::to_string(accepted["b"]) + "/" + std::to_string(accepted["a"]) == row.accepted,
               row.of_all << " " << row.of_each);
  }
}

// Equal usage: a fair queue serves the earlier start first, whatever the id; a fifo queue serves by id. A new attempt
// has a new start.
BOOST_AUTO_TEST_CASE(equals_of_a_fair_queue_are_served_as_their_attempts_started) {
  for (const bool is_fair : {true, false}) {
    auto rows = two_queues("50", "50");
    rows.emplace_back("root.a.ordering-policy", is_fair ? "fair" : "fifo");
    CapacityWorld world{rows};
    world.add_node(8192);
    for (const std::int64_t number : {2, 1, 3}) BOOST_TEST(world.submit(number, "a"));
    const auto order = [&] {
      std::string text;
      for (const RowIndex each : world.queue("root.a").lists.running)
        text += std::to_string(world.scheduler.ledger().application(each).id.number);
      return text;
    };
    BOOST_TEST(order() == (is_fair ? "213" : "123"));
    world.scheduler.on_attempt_removed(Instant{}, CapacityWorld::attempt(1), world.effects);
    world.scheduler.on_attempt_added(Instant{}, {CapacityWorld::attempt(1).application, 2}, world.effects);
    BOOST_TEST(order() == (is_fair ? "231" : "123"));
    world.scheduler.check_invariants();
  }
}

// max-parallel-apps: applications beyond it are accepted and held, and do not count as waiting for a master.
BOOST_AUTO_TEST_CASE(applications_beyond_those_that_run_at_once_are_held) {
  auto rows = two_queues("50", "50");
  rows.emplace_back("root.a.max-parallel-apps", "2");
  rows.emplace_back("root.max-parallel-apps", "4");
  rows.emplace_back("user.max-parallel-apps", "3");
  rows.emplace_back("user.ann.max-parallel-apps", "1");
  CapacityWorld world{rows};
  world.add_node(8192);
  for (std::int64_t i = 1; i <= 3; ++i) BOOST_TEST(world.submit(i, "a", "u" + std::to_string(i)));
  BOOST_TEST(world.queue("root.a").lists.running.size() == 2U);
  BOOST_TEST(world.reason(3) == "running_applications_limit");
  BOOST_TEST(world.scheduler.explain(CapacityWorld::attempt(3).application).holder == "root.a");
  BOOST_TEST(world.submit(4, "b", "ann"));
  BOOST_TEST(world.submit(5, "b", "ann"));
  BOOST_TEST(world.scheduler.explain(CapacityWorld::attempt(5).application).holder == "ann");
  BOOST_TEST(world.submit(6, "b", "u6"));
  BOOST_TEST(world.submit(7, "b", "u7"));
  BOOST_TEST(world.scheduler.explain(CapacityWorld::attempt(7).application).holder == "root");
  world.scheduler.check_invariants();
  world.scheduler.on_application_removed(Instant{}, CapacityWorld::attempt(4).application, world.effects);
  BOOST_TEST(std::as_const(world.scheduler)
                 .application(world.scheduler.ledger().find_application(CapacityWorld::attempt(5).application))
                 .is_running);
  BOOST_TEST(world.reason(7) == "running_applications_limit");
  world.scheduler.on_application_removed(Instant{}, CapacityWorld::attempt(1).application, world.effects);
  BOOST_TEST(world.queue("root.a").lists.running.size() == 2U);
  BOOST_TEST(world.reason(7) == "running_applications_limit");
  rows[6].second = "9";
  BOOST_TEST(world.scheduler.on_queues_changed(file_of(rows), world.effects).has_value());
  BOOST_TEST(world.reason(7) == "nothing_asked");
  world.scheduler.check_invariants();
}

BOOST_AUTO_TEST_CASE(random_arrivals_never_run_more_at_once_than_may) {
  auto rows = two_queues("50", "50");
  rows.emplace_back("root.a.max-parallel-apps", "2");
  rows.emplace_back("root.max-parallel-apps", "5");
  rows.emplace_back("user.max-parallel-apps", "3");
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    RandomStream random{seed};
    CapacityWorld world{rows};
    world.add_node(65'536);
    std::vector<std::int64_t> live;
    for (std::int64_t step = 1; step <= 60; ++step) {
      if (random.chance(3, 5) || live.empty()) {
        BOOST_REQUIRE(world.submit(step, random.chance(1, 2) ? "a" : "b", "u" + std::to_string(random.below(3))));
        live.push_back(step);
      } else {
        const auto at = static_cast<std::ptrdiff_t>(random.below(live.size()));
        world.scheduler.on_application_removed(
            Instant{}, CapacityWorld::attempt(live[static_cast<std::size_t>(at)]).application, world.effects);
        live.erase(live.begin() + at);
      }
      world.scheduler.check_invariants();
      BOOST_REQUIRE(world.queue("root.a").counts.parallel <= 2);
      BOOST_REQUIRE(world.queue("root").counts.parallel <= 5);
      // The explanation of a held application names a limit that is reached now.
      for (const std::int64_t each : live) {
        const auto why = world.scheduler.explain(CapacityWorld::attempt(each).application);
        if (why.reason == "running_applications_limit") BOOST_REQUIRE(!why.holder.empty());
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace capacity_limits_test
}  // namespace heddle::policies
