// Goal: a task that runs too long gets a copy, and each task counts once.
// Method: fake client and executors around one Driver, virtual time.
#include <boost/test/unit_test.hpp>

#include "tests/actors/driver/driver_world.hpp"

namespace heddle::actors {
namespace driver_speculation_test {
namespace {

using namespace std::chrono_literals;

/// A Driver that copies tasks once half of their stage is done.
struct SpeculatingWorld : DriverWorld {
  SpeculatingWorld() { settings.task_scheduler.speculation.emplace().quantile = 0.5; }
};

BOOST_AUTO_TEST_CASE(the_attempt_that_loses_against_its_copy_is_killed) {
  SpeculatingWorld world;
  world.start();
  auto& slow = world.executor(1, 1);
  auto& fast = world.executor(2, 1);
  world.submit({own_tasks("s", 4)});
  const auto straggler = DriverWorld::launched(slow).at(0);
  world.report(slow, 1, straggler, running());
  for (std::size_t done = 0; done < 3; ++done) {
    world.advance(200ms);
    world.report(fast, 2, DriverWorld::launched(fast).at(done), {});
  }
  world.advance(3s);
  const auto copies = DriverWorld::launched(fast);
  BOOST_REQUIRE(copies.size() == 4U);
  BOOST_TEST(copies[3].first_index == straggler.first_index);
  BOOST_TEST(copies[3].attempt == 1);
  world.report(fast, 2, copies[3], {});
  BOOST_REQUIRE(slow.count<KillTask>() >= 1);
  BOOST_TEST(slow.last<KillTask>().attempt == 0);
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
  BOOST_TEST(world.client.last<JobFinished>().totals.tasks == 4);
}

BOOST_AUTO_TEST_CASE(the_loser_of_a_speculation_that_finishes_all_the_same_adds_nothing) {
  SpeculatingWorld world;
  world.start();
  auto& slow = world.executor(1, 1);
  auto& fast = world.executor(2, 1);
  world.submit({own_tasks("s", 4), after("t", 0, 1)});
  TaskOutcome counted;
  counted.counters = {{"g\tlines", 1}};
  counted.bytes_read = 10;
  const auto straggler = DriverWorld::launched(slow).at(0);
  world.report(slow, 1, straggler, running());
  for (std::size_t done = 0; done < 3; ++done) {
    world.advance(200ms);
    world.report(fast, 2, DriverWorld::launched(fast).at(done), counted);
  }
  world.advance(3s);
  world.report(fast, 2, DriverWorld::launched(fast).at(3), counted);
  world.report(slow, 1, straggler, counted);  // it was faster than its kill
  for (auto* one : {&slow, &fast})
    for (const auto& range : DriverWorld::launched(*one))
      if (range.stage.stage != straggler.stage.stage) world.report(*one, one == &slow ? 1 : 2, range, counted);
  const auto end = world.client.last<JobFinished>();
  BOOST_TEST((end.status == JobStatus::succeeded));
  BOOST_TEST(end.totals.tasks == 5);
  BOOST_TEST(end.totals.bytes_read == 50);
  BOOST_TEST_REQUIRE(end.totals.counters.size() == 1U);
  BOOST_TEST(end.totals.counters[0].second == 5);
}

BOOST_AUTO_TEST_CASE(a_map_task_that_runs_again_for_its_lost_output_counts_once) {
  DriverWorld world;
  world.start();
  auto& executor = world.executor(1, 1);
  world.submit({own_tasks("s", 1), after("t", 0, 1)});
  TaskOutcome counted;
  counted.counters = {{"g\tlines", 7}};
  counted.records_read = 3;
  world.report(executor, 1, DriverWorld::launched(executor).at(0), counted);
  const auto lost = fetch_failure(1);
  world.report(executor, 1, DriverWorld::launched(executor).at(1), lost);
  world.advance(1s);
  counted.counters = {{"g\tlines", 8}};  // of chance, or of time
  world.report(executor, 1, DriverWorld::launched(executor).at(2), counted);
  world.report(executor, 1, DriverWorld::launched(executor).at(3), {});
  const auto end = world.client.last<JobFinished>();
  BOOST_TEST((end.status == JobStatus::succeeded));
  BOOST_TEST(end.totals.tasks == 2);
  BOOST_TEST(end.totals.records_read == 3);
  BOOST_TEST_REQUIRE(end.totals.counters.size() == 1U);
  BOOST_TEST(end.totals.counters[0].second == 8);
}

// TSM-15: two tasks run for longer than the limit, and one of them reads as fast as those that ended.
BOOST_AUTO_TEST_CASE(only_the_straggler_that_reads_slowly_is_copied_before_twice_the_limit) {
  for (const bool compares : {true, false}) {
    SpeculatingWorld world;
    auto& rules = *world.settings.task_scheduler.speculation;
    rules.multiplier = 1.5;
    rules.efficiency = compares;
    world.start();
    auto& slow = world.executor(1, 1);
    auto& steady = world.executor(2, 1);
    auto& fast = world.executor(3, 2);
    world.submit({own_tasks("s", 4)});
    const auto straggler = DriverWorld::launched(slow).at(0);
    const auto other = DriverWorld::launched(steady).at(0);
    const auto send_progress = [&](std::int64_t id, const TaskRange& range, std::int64_t records) {
      world.send_heartbeat(id, {{range.stage, range.first_index, range.attempt, records, 1'000'000}});
    };
    world.advance(1s);
    TaskOutcome ended;
    ended.records_read = 1000;
    ended.run_us = 1'000'000;
    for (const auto& range : DriverWorld::launched(fast)) world.report(fast, 3, range, ended);
    send_progress(1, straggler, 100);
    send_progress(2, other, 900);
    const auto copies = [&] { return DriverWorld::tasks_on(fast) - 2; };
    world.advance(900ms);
    BOOST_TEST(copies() == (compares ? 1 : 2));
    if (compares) BOOST_TEST(DriverWorld::launched(fast).back().first_index == straggler.first_index);
    world.advance(1500ms);
    BOOST_TEST(copies() == 2);
  }
}

}  // namespace
}  // namespace driver_speculation_test
}  // namespace heddle::actors
