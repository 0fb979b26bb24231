// Goal: the client reads why its job ended, and the counts fit. Method: fake clients and TaskTrackers around one
// JobTracker, virtual time.
#include <boost/test/unit_test.hpp>

#include "actors/job_tracker/job_tracker_settings.hpp"
#include "tests/actors/job_tracker/tracker_world.hpp"

namespace heddle::actors {
namespace tracked_jobs_test {
namespace {

using tests::map_only_package;

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

}  // namespace
}  // namespace tracked_jobs_test
}  // namespace heddle::actors
