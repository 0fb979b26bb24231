// Goal: every queued attempt is reported once, in batches and in time, or retracted.
// Method: real slot threads; waits only on reports.
#include "work/tasks/slot_task_runner.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <thread>

#include "tests/support/slot_task_fixture.hpp"

namespace slot_task_runner_test {

namespace {

using namespace heddle;
using namespace heddle::work;

// Records read and running time, which rule TSM-15 needs.
BOOST_AUTO_TEST_CASE(a_running_attempt_reports_its_number_of_records_read) {
  SlotTaskFixture f{1};
  BOOST_TEST(f.runner->running().empty());
  const auto work = f.map_stage(1, FunctionBody{"read_and_wait"});
  f.run_map(work);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  while (f.runner->running().empty() && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  const auto running = f.runner->running();
  BOOST_REQUIRE(running.size() == 1U);
  BOOST_TEST((running[0].stage == work.key));
  BOOST_TEST(running[0].index == 0);
  BOOST_TEST(running[0].records == 1);
  BOOST_TEST(running[0].run_us >= 0);
  f.runner->kill(work.key, 0, 0, "enough");
  f.reports.wait_for_ends(1);
  BOOST_TEST(f.runner->running().empty());
}

BOOST_AUTO_TEST_CASE(every_attempt_of_a_large_range_is_reported_once_in_batches) {
  SlotTaskFixture f;
  constexpr std::int32_t count = 200'000;
  const auto begin = std::chrono::steady_clock::now();
  f.run(f.stage(1, {FunctionBody{"do_nothing"}}, count), count);
  f.reports.wait_for_ends(count);
  const auto took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  BOOST_TEST_MESSAGE("no-op tasks per second: " << count / took);
  std::vector<int> seen(count, 0);
  for (const auto& end : f.reports.ends) {
    ++seen[static_cast<std::size_t>(end.index)];
    BOOST_REQUIRE(end.outcome.state == TaskState::finished);
  }
  BOOST_TEST((std::count(seen.begin(), seen.end(), 1) == count));
  BOOST_TEST(f.reports.batches < static_cast<std::size_t>(count / 20));
}

BOOST_AUTO_TEST_CASE(exactly_the_tasks_that_throw_fail_with_their_text) {
  SlotTaskFixture f;
  f.run(f.stage(1, {FunctionBody{"throw_sometimes"}}, 5000), 5000);
  f.reports.wait_for_ends(5000);
  int failed = 0;
  for (const auto& end : f.reports.ends) {
    if (end.outcome.state != TaskState::failed) continue;
    ++failed;
    BOOST_TEST(end.index % 1000 == 7);
    BOOST_TEST((end.outcome.failure == FailureKind::exception));
    BOOST_TEST(end.outcome.text == "as asked");
  }
  BOOST_TEST(failed == 5);
}

BOOST_AUTO_TEST_CASE(a_long_task_delays_no_other_and_is_reported_as_running) {
  SlotTaskFixture f;
  const auto work = f.stage(1, {FunctionBody{"wait_if_first"}}, 1000);
  f.run(work, 1000);
  f.reports.wait_for_ends(999);
  f.reports.wait_for_running(1);
  BOOST_TEST(f.reports.running[0] == 0);
  f.runner->kill(work.key, 0, 0, "enough");
  f.reports.wait_for_ends(1000);
  BOOST_TEST((f.reports.ends.back().outcome.state == TaskState::killed));
  BOOST_TEST(f.reports.ends.back().outcome.text == "enough");
}

BOOST_AUTO_TEST_CASE(queued_attempts_can_be_retracted_from_the_end_and_killed) {
  SlotTaskFixture f{1};
  const auto work = f.stage(1, {FunctionBody{"wait_if_first"}}, 10);
  f.run(work, 10);
  f.reports.wait_for_running(1);
  const auto back = f.runner->retract(4);
  BOOST_REQUIRE(back.size() == 1U);
  BOOST_TEST(back[0].first_index == 6);
  BOOST_TEST(back[0].count == 4);
  f.runner->kill(work.key, 3, 0, "other attempt won");
  f.reports.wait_for_ends(1);
  BOOST_TEST(f.reports.ends[0].index == 3);
  f.runner->kill(work.key, 0, 0, "enough");
  f.reports.wait_for_ends(6);
  std::vector<int> order;
  for (const auto& end : f.reports.ends) order.push_back(end.index);
  BOOST_TEST(order == (std::vector<int>{3, 0, 1, 2, 4, 5}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(slots_run_other_attempts_after_drop_all) {
  SlotTaskFixture f;
  f.run(f.stage(1, {FunctionBody{"wait_until_killed"}}, 10), 10);
  f.reports.wait_for_running(2);
  f.runner->drop_all("nobody waits for them");
  f.run(f.stage(2, {FunctionBody{"do_nothing"}}, 10), 10);
  const auto of_second = [&f] {
    return std::count_if(f.reports.ends.begin(), f.reports.ends.end(),
                         [](const auto& end) { return end.stage.stage.value == 2; });
  };
  f.reports.wait_for_ends(12);  // running attempts report the kill; queued ones report nothing
  BOOST_TEST(of_second() == 10);
  BOOST_TEST(f.reports.ends.size() == 12U);
}

BOOST_AUTO_TEST_CASE(a_running_command_is_killed_with_its_group) {
  SlotTaskFixture f;
  const auto work = f.stage(1, {shell("trap '' TERM; sleep 1000 & wait; sleep 1000")});
  f.run(work, 1);
  f.reports.wait_for_running(1);
  f.runner->kill(work.key, 0, 0, "cancelled");
  f.reports.wait_for_ends(1);
  BOOST_TEST((f.reports.ends[0].outcome.state == TaskState::killed));
}

BOOST_AUTO_TEST_CASE(a_simulated_slow_host_delays_the_end_of_its_tasks) {
  SlotTaskFixture f{1, [](SlotTaskRunnerSettings& settings) { settings.slowness = 5.0; }};
  f.run(f.stage(1, {shell("sleep 0.02")}), 1);
  f.reports.wait_for_ends(1);
  BOOST_TEST(f.reports.ends[0].outcome.run_us >= 100'000);
}

}  // namespace

}  // namespace slot_task_runner_test
