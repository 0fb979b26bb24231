// Goal: attempts queued ahead have the locality of running ones, and cost nothing. Method: tables of small clusters;
// random executors; comments have the ids of the specification's numbered cases.
#include "policies/tasks/queue_ahead.hpp"

#include <boost/test/unit_test.hpp>

#include "model/random_stream.hpp"
#include "tests/support/task_scheduler_script.hpp"

namespace queue_ahead_test {

using namespace heddle;
using namespace heddle::policies;
using heddle::support::TaskSchedulerScript;

BOOST_AUTO_TEST_SUITE(queueing_ahead)

BOOST_AUTO_TEST_CASE(queued_attempts_are_equally_local_and_do_not_run) {
  TaskSchedulerScript script;
  script.offer({"e1@h1:0"});
  script.submit(0, {{"h1/e1"}, {"h1"}, {"h1/e1"}, {"h1"}});
  BOOST_TEST(script.offer({"e1@h1:1"}) == "0.0/0 e1 process");
  script.effects.clear();
  script.scheduler.apply(script.now, task_input::TasksWantedAhead{script.executor("e1"), 10}, script.effects);
  BOOST_REQUIRE(script.effects.launches.size() == 1);
  BOOST_TEST(script.effects.launches.front().index == 2);
  BOOST_TEST(script.effects.launches.front().queued);
  BOOST_TEST(script.progress(0).running == 1);
  BOOST_TEST(script.progress(0).queued == 1);
  script.scheduler.check_invariants();
  script.runs(1);
  BOOST_TEST(script.progress(0).running == 2);
  BOOST_TEST(!script.scheduler.apply(script.now, task_input::AttemptRetracted{LaunchId{1}}));
}

BOOST_AUTO_TEST_CASE(a_retracted_attempt_leaves_its_task_pending_and_unharmed) {
  TaskSchedulerScript script;
  script.submit(0, {{}, {}, {}});
  script.offer({"e1@h1:1"});
  script.scheduler.apply(script.now, task_input::TasksWantedAhead{script.executor("e1"), 2}, script.effects);
  BOOST_TEST(script.scheduler.queued_on(script.executor("e1")).size() == 2U);
  BOOST_TEST(script.scheduler.apply(script.now, task_input::AttemptRetracted{LaunchId{1}}));
  BOOST_TEST(!script.scheduler.apply(script.now, task_input::AttemptRetracted{LaunchId{1}}));
  BOOST_TEST(script.offer({"e2@h2:2"}) == "0.0/1 e2 process");
  BOOST_TEST(script.progress(0).failures == 0);
}

BOOST_AUTO_TEST_CASE(an_attempt_of_a_set_that_was_given_up_is_not_taken_back_but_ends) {
  TaskSchedulerScript script;
  script.submit(0, {{}, {}});
  script.offer({"e1@h1:1"});
  script.scheduler.apply(script.now, task_input::TasksWantedAhead{script.executor("e1"), 1}, script.effects);
  const auto queued = script.scheduler.queued_on(script.executor("e1"));
  BOOST_REQUIRE(queued.size() == 1U);
  script.scheduler.apply(script.now, task_input::StageKilled{StageId{0}}, script.effects);
  BOOST_TEST(!script.scheduler.apply(script.now, task_input::AttemptRetracted{queued.front()}));
  for (const auto attempt : {LaunchId{0}, queued.front()})
    task_input::apply_attempt_status(script.scheduler, script.now, attempt, {AttemptState::killed, {}, {}, {}},
                                     script.effects);
  BOOST_TEST(script.scheduler.task_sets().empty());
}

BOOST_AUTO_TEST_CASE(loss_of_the_executor_costs_a_queued_attempt_no_failure) {
  TaskSchedulerSettings settings;
  settings.max_failures = 1;
  TaskSchedulerScript script{settings};
  script.submit(0, {{}, {}});
  script.offer({"e1@h1:1"});
  script.scheduler.apply(script.now, task_input::TasksWantedAhead{script.executor("e1"), 1}, script.effects);
  script.effects.clear();
  script.lose("e1", LossKind::exited, true);
  BOOST_TEST(script.events() == "0 executor_lost, 1 executor_lost");
  BOOST_TEST(script.offer({"e2@h2:2"}) == "0.0/1 e2 process, 0.0/0 e2 process");
}

BOOST_AUTO_TEST_CASE(so_many_tasks_are_queued_behind_the_running_ones) {
  struct Row {
    const char* what;
    QueueAheadInput executor;  // tasks_max, cores, assigned, wide_tasks, task_us
    std::int32_t expected;
  };
  const Row rows[] = {
      {"a slot is free", {100, 4, 3, 0, 10}, 0},
      {"a wide task leaves slot threads idle", {100, 4, 4, 1, 10}, 0},
      {"the setting counts tasks", {100, 4, 4, 0, 10}, 100},
      {"less than half of them are queued", {100, 4, 53, 0, 10}, 51},
      {"half of them are queued", {100, 4, 54, 0, 10}, 0},
      {"not measured yet", {-1, 4, 4, 0, -1}, 0},
      {"10 ms of tasks of 100 us", {-1, 4, 4, 0, 100}, 400},
      {"one long task fills 10 ms", {-1, 1, 1, 0, 20'000}, 0},
      {"tasks of no time", {-1, 1, 1, 0, 0}, 4096},
  };
  for (const auto& row : rows)
    BOOST_TEST(tasks_to_queue(row.executor) == row.expected, row.what << ": " << tasks_to_queue(row.executor));
}

BOOST_AUTO_TEST_CASE(an_executor_gets_its_fill_only_when_half_of_it_is_left) {
  RandomStream random{17};
  for (int i = 0; i < 5'000; ++i) {
    QueueAheadInput executor;
    executor.cores = static_cast<std::int32_t>(1 + random.below(8));
    executor.assigned = static_cast<std::int32_t>(random.below(300));
    executor.wide_tasks = random.chance(1, 10) ? 1 : 0;
    executor.tasks_max = random.chance(1, 2) ? static_cast<std::int32_t>(random.below(200)) : -1;
    executor.task_us = random.chance(1, 10) ? -1 : static_cast<double>(random.below(2'000));
    const std::int32_t count = tasks_to_queue(executor);
    BOOST_REQUIRE(count >= 0);
    const std::int32_t queued = executor.assigned - executor.cores;
    if (queued < 0 || executor.wide_tasks > 0) BOOST_REQUIRE(count == 0);
    if (executor.tasks_max < 0 && executor.task_us < 0) BOOST_REQUIRE(count == 0);
    if (count == 0) continue;
    const std::int32_t fill = queued + count;
    BOOST_REQUIRE(queued * 2 < fill);
    if (executor.tasks_max >= 0) BOOST_REQUIRE(fill == executor.tasks_max);
    else BOOST_REQUIRE((fill <= 4096 && fill * executor.task_us <= 10'000 * executor.cores));
  }
}

BOOST_AUTO_TEST_CASE(a_new_run_time_counts_a_fifth) {
  BOOST_TEST(average_task_us(-1, 50) == 50);
  BOOST_TEST(average_task_us(100, 50) == 90);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace queue_ahead_test
