// Goal: the Driver follows its deciders: preferred locations, pools, order of offers, warnings of starvation.
// Method: fake client, executors and allocator around one Driver, virtual time.
#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "tests/actors/driver/driver_world.hpp"

namespace heddle::actors {
namespace driver_policies_test {
namespace {

using namespace std::chrono_literals;

// -- places of what is read ----------------------------------------------------------

// MOT-4: a host with a fifth of a task's input or more is preferred.
BOOST_AUTO_TEST_CASE(a_reduce_task_waits_for_the_host_that_holds_its_input) {
  for (const bool prefers : {true, false}) {
    DriverWorld world;
    world.settings.map_outputs.reduce_locality = prefers;
    world.start();
    auto& holder = world.executor(1, 1);
    world.submit({own_tasks("map", 1), after("reduce", 0, 1)});
    TaskOutcome outcome;
    outcome.partition_bytes = {1000};
    auto& other = world.executor(2, 1);
    world.report(holder, 1, DriverWorld::launched(holder).at(0), outcome);
    world.advance(100ms);
    BOOST_TEST(DriverWorld::tasks_on(holder) + DriverWorld::tasks_on(other) == 2);
    if (prefers) BOOST_TEST(DriverWorld::tasks_on(holder) == 2);
  }
}

// -- pools ---------------------------------------------------------------------------

// C-POOL-06 and C-POOL-07: no pool named, and one that the file does not name.
BOOST_AUTO_TEST_CASE(jobs_of_two_pools_share_the_slots_that_come_free_by_weight) {
  DriverWorld world;
  world.settings.task_scheduler.mode = policies::SchedulingMode::fair;
  world.settings.task_scheduler.pools = {{"heavy", policies::SchedulingMode::fifo, 3, 0},
                                         {"light", policies::SchedulingMode::fifo, 1, 0}};
  world.start();
  world.submit({own_tasks("a", 40)}, "light");
  world.submit({own_tasks("b", 40)}, "heavy");
  // Slots that come one by one: within one round the order of the pools stays what it was at its start.
  std::map<std::int64_t, std::int32_t> of_job;
  for (std::int64_t id = 1; id <= 8; ++id)
    for (const auto& range : DriverWorld::launched(world.executor(id, 1))) of_job[range.stage.job.value] += range.count;
  BOOST_TEST(of_job.size() == 2U);
  BOOST_TEST(of_job.begin()->second == 2);
  BOOST_TEST(of_job.rbegin()->second == 6);
}

BOOST_AUTO_TEST_CASE(in_order_of_arrival_the_first_job_takes_all_slots) {
  DriverWorld world;
  world.start();
  world.submit({own_tasks("a", 40)}, "light");
  world.submit({own_tasks("b", 40)}, "heavy");
  auto& executor = world.executor(1, 8);
  BOOST_REQUIRE(DriverWorld::launched(executor).size() == 1U);
  BOOST_TEST(DriverWorld::tasks_on(executor) == 8);
}

// -- order of offers -------------------------------------------------------------------

// C-TS-07: single tasks spread over executors that are equally good, by the Driver's random stream, whose state the log
// has; the world's replay of the log draws the same order.
BOOST_AUTO_TEST_CASE(single_tasks_spread_over_idle_executors) {
  DriverWorld world;
  world.settings.shuffles_offers = true;
  world.start();
  auto& first = world.executor(1, 1);
  auto& second = world.executor(2, 1);
  for (int job = 0; job < 40; ++job) {
    const auto on_first = DriverWorld::launched(first).size();
    const auto on_second = DriverWorld::launched(second).size();
    world.submit({own_tasks("one", 1)});
    if (DriverWorld::launched(first).size() > on_first) world.report(first, 1, DriverWorld::launched(first).back(), {});
    if (DriverWorld::launched(second).size() > on_second)
      world.report(second, 2, DriverWorld::launched(second).back(), {});
  }
  BOOST_TEST(DriverWorld::tasks_on(first) + DriverWorld::tasks_on(second) == 40);
  BOOST_TEST(DriverWorld::tasks_on(first) >= 8);
  BOOST_TEST(DriverWorld::tasks_on(second) >= 8);
  const auto rounds = std::count_if(world.events().lines.begin(), world.events().lines.end(), [](const auto& line) {
    return line.find("\"task_scheduler_offers\"") != std::string::npos && line.find("\"random\":") != std::string::npos;
  });
  BOOST_TEST(rounds >= 40);
}

// -- starvation ----------------------------------------------------------------------

// TS-14.
BOOST_AUTO_TEST_CASE(a_first_job_without_any_slot_is_warned_of_until_there_is_one) {
  DriverWorld world;
  world.start();
  world.submit({own_tasks("s", 1)});
  world.advance(14s);
  BOOST_TEST(world.client.count<Notice>() == 0);
  world.advance(17s);
  BOOST_TEST(world.client.count<Notice>() == 2);
  (void)world.executor(1, 1);
  world.advance(60s);
  BOOST_TEST(world.client.count<Notice>() == 2);
}

// heddle.fix.starvation_until_launch (TS-14): the executor that comes is too small for any task.
BOOST_AUTO_TEST_CASE(an_offer_that_nothing_can_take_ends_the_warning_unless_mended) {
  for (const bool mended : {false, true}) {
    DriverWorld world;
    world.settings.fix_starvation_until_launch = mended;
    world.settings.task_scheduler.task_cores = 2;
    world.start();
    world.submit({own_tasks("s", 1)});
    (void)world.executor(1, 1);
    world.advance(46s);
    BOOST_TEST(world.client.count<Notice>() == (mended ? 3 : 0));
    (void)world.executor(2, 2);
    world.advance(60s);
    BOOST_TEST(world.client.count<Notice>() == (mended ? 3 : 0));
  }
}

}  // namespace
}  // namespace driver_policies_test
}  // namespace heddle::actors
