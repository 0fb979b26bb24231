// Goal: a host that many jobs avoid turns gray, which its clients hear and the event log has. Method: fake TaskTrackers
// around one JobTracker, virtual time.
#include <boost/test/unit_test.hpp>

#include "actors/job_tracker/job_tracker_settings.hpp"
#include "tests/actors/job_tracker/tracker_world.hpp"

namespace heddle::actors {
namespace gray_hosts_test {
namespace {

using tests::map_only_package;

JobTrackerSettings one_fault() {
  JobTrackerSettings settings;
  settings.queue.host_faults_max = 1;
  return settings;
}

/// A job avoids the host of `bad` and succeeds on the other one.
void run_job(TrackerWorld& world, FakeTracker& bad, FakeTracker& good) {
  JobRules rules;
  rules.tracker_failures_max = 1;
  world.submit(map_only_package({{}}), rules);
  world.beat(bad);
  world.succeed(bad);  // the setup; the map follows
  TrackerWorld::end_all(bad, TaskAttemptState::failed, "exit code 3");
  world.beat(bad);
  world.succeed(bad);  // the cleanup of the attempt
  world.beat(good);
  world.succeed(good);  // the map
  world.succeed(good);  // the cleanup of the job
  BOOST_TEST_REQUIRE(world.client.count<JobFinished>() == 1);
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
  BOOST_TEST(world.events().count("classic_host_gray") == 1);
}

// C-E1-12, through the actor: a host that jobs avoid turns gray, and its TaskTracker gets tasks as before.
BOOST_AUTO_TEST_CASE(a_host_that_more_jobs_avoid_than_others_turns_gray_and_works_on) {
  TrackerWorld world{one_fault()};
  auto bad = world.add_tracker("bad");
  auto good = world.add_tracker("good");
  world.add_tracker("other");
  run_job(world, bad, good);
  world.submit(map_only_package({{}}));
  BOOST_TEST(world.beat(bad).launches.size() == 1U);
  FakeTracker again{"bad", "bad", bad.peer, 2};  // the TaskTracker was started again
  world.beat(again);
  BOOST_TEST(world.events().count("classic_host_gray") == 2);
  BOOST_TEST(world.client.last<Notice>().text == "host bad is not gray any more");
}

// C-E1-13: of two TaskTrackers. The gray one leaves, and the other one runs the next job.
BOOST_AUTO_TEST_CASE(a_gray_host_that_leaves_is_not_gray_when_it_returns) {
  TrackerWorld world{one_fault()};
  auto bad = world.add_tracker("bad");
  auto good = world.add_tracker("good");
  run_job(world, bad, good);
  for (int minute = 0; minute < 11; ++minute) {
    world.advance(std::chrono::minutes{1});
    world.beat(good);
  }
  BOOST_TEST(world.events().count("tracker_lost") == 1);
  world.submit(map_only_package({{}}));
  BOOST_TEST(world.beat(good).launches.size() == 1U);
  FakeTracker again{"bad", "bad", bad.peer, 2};
  world.beat(again);
  BOOST_TEST(world.events().count("classic_host_gray") == 2);
  BOOST_TEST(world.client.last<Notice>().text == "host bad is not gray any more");
}

}  // namespace
}  // namespace gray_hosts_test
}  // namespace heddle::actors
