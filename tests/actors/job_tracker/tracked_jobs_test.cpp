// Goal: the client reads why its job ended, and the counts fit. Method: fake clients and TaskTrackers around one
// JobTracker, virtual time.
#include <boost/test/unit_test.hpp>

#include "actors/job_tracker/job_tracker_settings.hpp"
#include "tests/actors/job_tracker/tracker_world.hpp"

namespace heddle::actors {
namespace tracked_jobs_test {
namespace {

using tests::map_only_package;
using tests::map_reduce_package;

BOOST_AUTO_TEST_CASE(a_tolerated_failure_does_not_hide_why_a_job_fails_later) {
  TrackerWorld world;
  auto a = world.add_tracker("a");
  JobRules rules;
  rules.map_attempts_max = 1;
  rules.map_failures_percent = 50;
  world.submit(map_only_package({{"a"}, {"a"}}), rules);
  world.beat(a);
  world.succeed(a);
  BOOST_TEST_REQUIRE(a.runs.size() == 2U);
  const auto last = a.runs.back();
  a.runs.pop_back();
  TrackerWorld::end_all(a, TaskAttemptState::failed, "exit code 3");
  a.runs.push_back(last);
  world.beat(a);
  const auto cleanup = world.succeed(a);
  BOOST_TEST_REQUIRE(cleanup.launches.size() == 1U);
  BOOST_TEST(cleanup.launches.front().output.is_commit);
  TrackerWorld::end_all(a, TaskAttemptState::failed, "no space");
  world.beat(a);
  BOOST_TEST(world.client.last<JobFinished>().text == "the output could not be committed: no space");
}

BOOST_AUTO_TEST_CASE(a_job_with_too_many_tasks_names_the_limit) {
  JobTrackerSettings settings;
  settings.queue.tasks_of_job_max = 2;
  TrackerWorld world{settings};
  world.submit(map_reduce_package({{"a"}, {"a"}}, 1));
  const auto end = world.client.last<JobFinished>();
  BOOST_TEST((end.status == JobStatus::failed));
  BOOST_TEST(end.text ==
             "the job has 3 maps and reduces, more than the limit of 2; raise heddle.job_tracker.max_tasks_per_job of "
             "the JobTracker, or use fewer");
}

BOOST_AUTO_TEST_CASE(a_job_whose_reduces_would_read_too_much_names_the_rule_and_the_limit) {  // RE-5
  TrackerWorld world;
  auto a = world.add_tracker("a");
  JobRules rules;
  rules.reduce_input_limit = 5;
  world.submit(map_reduce_package({{"a"}}, 1), rules);
  world.beat(a);
  world.succeed(a);
  BOOST_TEST_REQUIRE(a.runs.size() == 1U);
  TrackerWorld::end_all(a, TaskAttemptState::succeeded);
  a.runs.front().outcome->bytes_shuffled_out = 1'000;
  auto response = world.beat(a);
  for (int beat = 0; beat < 3 && response.launches.empty(); ++beat) response = world.beat(a);
  BOOST_TEST_REQUIRE(response.launches.size() == 1U);
  BOOST_TEST((response.launches.front().type == AttemptType::job_cleanup));
  world.succeed(a);
  BOOST_TEST(world.client.last<JobFinished>().text ==
             "half of the estimated input of one reduce is 990 bytes, more than the limit of 5 (rule RE-5); raise "
             "heddle.reduce.input_limit, or use more reduces");
}

BOOST_AUTO_TEST_CASE(a_late_success_with_too_many_counters_does_not_fail_a_job_whose_commit_runs) {
  TrackerWorld world;
  auto a = world.add_tracker("a");
  JobRules rules;
  rules.map_attempts_max = 1;
  rules.map_failures_percent = 50;
  rules.speculative_gap = 0;
  rules.speculative_lag = Duration{0};
  auto package = map_only_package({{"a"}, {"b"}});
  package.graph.stages.front().map_reduce.emplace();
  package.graph.stages.front().map_reduce->counters_max = 1;
  world.submit(package, rules);
  world.beat(a);
  auto b = world.add_tracker("b");
  auto c = world.add_tracker("c");
  world.succeed(a);
  world.beat(b);
  world.beat(c);
  BOOST_TEST_REQUIRE(c.runs.size() == 1U);
  BOOST_TEST_REQUIRE(c.runs.front().attempt.attempt == 1);  // a copy
  auto& first = c.runs.front().attempt.task == 0 ? a : b;
  auto& other = c.runs.front().attempt.task == 0 ? b : a;
  world.succeed(other);
  TrackerWorld::end_all(first, TaskAttemptState::failed, "exit code 3");
  world.beat(first);
  world.advance(4s);  // the cleanup does not wait longer for the copy
  first.runs.clear();
  const auto commit = world.beat(first);
  BOOST_TEST_REQUIRE(commit.launches.size() == 1U);
  BOOST_TEST(commit.launches.front().output.is_commit);
  TrackerWorld::end_all(c, TaskAttemptState::succeeded);
  c.runs.front().outcome->counters = {{"another\tn", 1}};
  world.beat(c);
  TrackerWorld::end_all(first, TaskAttemptState::succeeded);
  first.runs.front().outcome->counters.clear();
  world.beat(first);
  const auto end = world.client.last<JobFinished>();
  BOOST_TEST((end.status == JobStatus::succeeded), end.text);
}

BOOST_AUTO_TEST_CASE(the_cleanup_of_a_cancelled_job_waits_for_its_running_setup) {
  TrackerWorld world;
  auto a = world.add_tracker("a");
  auto b = world.add_tracker("b");
  const JobId job = world.submit(map_only_package({{"a"}}));
  BOOST_TEST_REQUIRE(world.beat(a).launches.size() == 1U);
  world.beat(a);
  world.say(world.client, world.tracker, CancelJob{job, "enough"});
  BOOST_TEST(world.beat(b).launches.empty());  // the setup may still create folders
  BOOST_TEST(world.beat(a).kills.size() == 1U);
  TrackerWorld::end_all(a, TaskAttemptState::killed);
  const auto cleanup = world.beat(a);
  BOOST_TEST_REQUIRE(cleanup.launches.size() == 1U);
  BOOST_TEST((cleanup.launches.front().type == AttemptType::job_cleanup));
}

}  // namespace
}  // namespace tracked_jobs_test
}  // namespace heddle::actors
