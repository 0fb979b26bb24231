// Whole offer rounds of the numbered cases of Spark's task scheduler: order of offers, exclusion, ends that fail a set.
// Each test is one or two of those cases, written with TaskSchedulerScript.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>

#include "model/random_stream.hpp"
#include "tests/policies/stages/stage_script.hpp"
#include "tests/support/task_scheduler_script.hpp"

namespace heddle::policies {
namespace numbered_rounds_test {
namespace {

using support::TaskSchedulerScript;
using Words = TaskSchedulerScript::Words;

std::vector<Words> anywhere(std::size_t tasks) { return std::vector<Words>(tasks); }

TaskSchedulerSettings excluding(std::int32_t max_failures) {
  TaskSchedulerSettings settings;
  settings.exclusion = ExclusionSettings{};
  settings.max_failures = max_failures;
  return settings;
}

std::size_t launches(const std::string& text) {
  return text.empty() ? 0 : 1 + static_cast<std::size_t>(std::count(text.begin(), text.end(), ','));
}

/// Offers two slots of an executor and fails the tasks that run there. Attempt ids count up from `next`.
void fail_two_on(TaskSchedulerScript& script, const std::string& executor_at, std::int64_t& next) {
  BOOST_TEST_REQUIRE(launches(script.offer({executor_at + ":2"})) == 2U);
  script.fails(next).fails(next + 1);
  next += 2;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(numbered_rounds)

// C-TS-07: the task scheduler shuffles offers with the given random stream, so that single tasks spread over the
// executors. Without a stream it keeps the order of the offers. The same seed gives the same executors.
BOOST_AUTO_TEST_CASE(offers_are_shuffled_with_the_stream_that_is_handed_in) {
  const auto executors_of = [](std::optional<RandomStream> random) {
    TaskSchedulerScript script;
    script.random = random;
    std::string numbers;
    for (std::int32_t stage = 0; stage < 1000; ++stage) {
      script.submit(stage, anywhere(1));
      const std::string launched = script.offer({"e0@h0:1", "e1@h1:1"});
      numbers += launched.find(" e0 ") != std::string::npos ? '0' : '1';
      script.ends(stage);
    }
    return numbers;
  };
  BOOST_TEST(executors_of(std::nullopt) == std::string(1000, '0'));
  const std::string shuffled = executors_of(RandomStream{7});
  const auto on_first = std::count(shuffled.begin(), shuffled.end(), '0');
  BOOST_TEST(on_first > 400);
  BOOST_TEST(on_first < 600);
  BOOST_TEST(shuffled == executors_of(RandomStream{7}));
  BOOST_TEST(shuffled != executors_of(RandomStream{8}));
}

// C-TS-07: each order of the offers has the same probability.
BOOST_AUTO_TEST_CASE(every_order_of_the_offers_comes_up_equally_often) {
  TaskSchedulerScript script;
  script.random.emplace(3);
  std::map<std::string, int> orders;
  std::int64_t next = 0;
  for (std::int32_t stage = 0; stage < 1200; ++stage) {
    script.submit(stage, anywhere(3));
    std::string order;
    (void)script.offer({"e0@h0:1", "e1@h1:1", "e2@h2:1"});
    for (const TaskLaunch& launch : script.effects.launches) order += std::to_string(launch.executor.value);
    ++orders[order];
    for (int task = 0; task < 3; ++task) script.ends(next++);
  }
  BOOST_TEST(orders.size() == 6U);
  for (const auto& [order, times] : orders) BOOST_TEST((times > 140 && times < 260), order << ": " << times);
}

// C-TS-14: an executor that one stage excludes may run tasks of another; failures of a succeeded stage count for the
// application, those of a failed stage do not.
BOOST_AUTO_TEST_CASE(stages_exclude_for_themselves_until_they_succeed) {
  TaskSchedulerScript script{excluding(4)};
  std::int64_t next = 0;
  script.submit(1, anywhere(2));
  fail_two_on(script, "e3@h2", next);  // e3 for stage 1
  script.submit(0, anywhere(2));
  fail_two_on(script, "e1@h1", next);
  fail_two_on(script, "e2@h1", next);  // h1 for stage 0
  const std::string on_e0 = script.offer({"e0@h0:1"});
  const std::string twice_failed = on_e0.substr(0, 5);
  script.fails(next++);  // one task of stage 0 on e0
  script.submit(2, anywhere(2));
  const std::string all = script.offer({"e0@h0:1", "e1@h1:1", "e2@h1:1", "e3@h2:10"});
  BOOST_TEST(launches(all) == 6U);
  BOOST_TEST(all.find(twice_failed + " e3") != std::string::npos, all);
  for (const char* not_there : {"0.0/0 e1", "0.0/0 e2", "0.0/1 e1", "0.0/1 e2", "1.0/0 e3", "1.0/1 e3"})
    BOOST_TEST(all.find(not_there) == std::string::npos, all);
  for (std::int64_t task = next; task < next + 4; ++task) script.ends(task);  // stages 0 and 1
  BOOST_TEST(!script.is_known(0));
  BOOST_TEST(!script.is_known(1));
  for (const char* excluded : {"e1", "e2", "e3"})
    BOOST_TEST(script.scheduler.is_executor_excluded(script.executor(excluded)), excluded);
  BOOST_TEST(script.scheduler.is_host_excluded(script.host("h1")));
  script.fails(next + 4).fails(next + 5);
  for (int i = 0; i < 4 && script.is_known(2); ++i) {
    const std::string again = script.offer({"e" + std::to_string(10 + i) + "@h9:1"});
    if (!again.empty()) script.fails(next + 6 + i);
  }
  BOOST_TEST(!script.scheduler.is_executor_excluded(script.executor("e0")));
  for (int i = 0; i < 4; ++i)
    BOOST_TEST(!script.scheduler.is_executor_excluded(script.executor("e" + std::to_string(10 + i))));
}

// C-TS-15, C-TS-27: executors that are excluded for the application get no task; each round checks for expired
// exclusions.
BOOST_AUTO_TEST_CASE(an_excluded_executor_gets_nothing_until_its_time_is_over) {
  TaskSchedulerScript script{excluding(20)};
  script.submit(0, anywhere(2));
  std::int64_t next = 0;
  for (const char* each : {"e0@h0", "e1@h1", "e2@h1", "e3@h2"}) fail_two_on(script, each, next);
  BOOST_TEST(launches(script.offer({"e4@h3:2"})) == 2U);
  script.ends(next).ends(next + 1);
  script.submit(1, anywhere(20));
  const Words offers = {"e0@h0:1", "e1@h1:1", "e2@h1:1", "e3@h2:10", "e4@h3:1"};
  const std::string before = script.offer(offers);
  BOOST_TEST(launches(before) == 1U);
  BOOST_TEST(before.find(" e4 ") != std::string::npos);
  script.at(3'600'000);
  BOOST_TEST(script.offer({"e0@h0:1", "e1@h1:1", "e2@h1:1", "e3@h2:10"}).empty());
  script.at(3'600'002);
  BOOST_TEST(launches(script.offer({"e0@h0:1", "e1@h1:1", "e2@h1:1", "e3@h2:10"})) == 13U);
}

// C-TSF-22: the loss of an executor that was killed on purpose is no failure of its task; other losses are.
BOOST_AUTO_TEST_CASE(only_losses_that_nobody_asked_for_are_failures) {
  TaskSchedulerSettings settings;
  settings.max_failures = 1;
  TaskSchedulerScript script{settings};
  script.submit(0, anywhere(2));
  BOOST_TEST(launches(script.offer({"e0@h0:1", "e1@h1:1"})) == 2U);
  script.runs(1);
  script.events();
  script.lose("e0", LossKind::killed, false);
  BOOST_TEST(script.is_known(0));
  BOOST_TEST(script.events().find("failed") == std::string::npos);
  script.lose("e1", LossKind::exited, true);
  BOOST_TEST(script.events().find("0.0 failed") != std::string::npos);
}

// C-DAG-11: a task that cannot be serialized is not retried; its stage and job fail.
BOOST_AUTO_TEST_CASE(a_task_that_cannot_be_serialized_fails_its_job_at_once) {
  TaskSchedulerScript script;
  script.submit(0, anywhere(1));
  script.offer({"e0@h0:1"});
  script.status(0, AttemptState::failed, AttemptFailure::not_serializable);
  TaskSchedulerEffects& effects = script.effects;
  const auto failed = std::find_if(effects.events.begin(), effects.events.end(), [](const TaskSchedulerEffect& effect) {
    return std::holds_alternative<TaskSetFailed>(effect);
  });
  BOOST_TEST_REQUIRE((failed != effects.events.end()));
  BOOST_TEST((std::get<TaskSetFailed>(*failed).failure == SetFailure::not_serializable));
  StageScript stages;
  const std::int64_t job = stages.submit(stages.dataset(1), 1);
  stages.set_failed(0);
  BOOST_TEST((stages.failed == std::vector<std::int64_t>{job}));
  BOOST_TEST(stages.stages.running().empty());
}

// C-MOT-10: an output that is removed, or written again by another attempt, leaves nothing of the previous one.
BOOST_AUTO_TEST_CASE(an_output_has_one_place) {
  const ShuffleId shuffle{0};
  MapOutputTable table;
  table.add_shuffle(shuffle, 1, 1);
  const auto at = [](std::int64_t number) {
    return MapStatusLocation{ExecutorId{number}, HostId{static_cast<std::int32_t>(number)}};
  };
  table.add_output(shuffle, 0, at(1));
  table.remove_output(shuffle, 0, at(1));
  BOOST_TEST(table.place(shuffle, 0).is_none());
  table.add_output(shuffle, 0, at(1));
  table.add_output(shuffle, 0, at(2));
  BOOST_TEST((table.place(shuffle, 0) == at(2)));
  table.remove_outputs_on_executor(ExecutorId{1});
  BOOST_TEST((table.place(shuffle, 0) == at(2)));
  table.remove_output(shuffle, 0, at(1));
  BOOST_TEST((table.place(shuffle, 0) == at(2)));
  table.remove_outputs_on_executor(ExecutorId{2});
  BOOST_TEST(table.place(shuffle, 0).is_none());
  BOOST_TEST(table.available(shuffle) == 0);
  table.check_invariants();
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace numbered_rounds_test
}  // namespace heddle::policies
