// Goal: a client learns why its job does not run. Method: a fake client and a fake TaskTracker around one JobTracker,
// virtual time.
#include <boost/test/unit_test.hpp>
#include <string>

#include "tests/actors/job_tracker/tracker_world.hpp"

namespace heddle::actors {
namespace job_waits_test {
namespace {

using tests::map_only_package;

/// The last reason of a wait that the client of the job got.
std::string last_wait(TrackerWorld& world, JobId job) {
  std::string text = "none";
  for (const auto& progress : world.client.all<JobProgress>())
    if (progress.job == job) text = progress.waiting;
  return text;
}

BOOST_AUTO_TEST_CASE(clients_get_progress_and_the_reason_of_a_wait) {
  TrackerWorld world;
  world.submit(map_only_package({{"a"}}));
  world.advance(1s);
  BOOST_TEST(world.client.last<JobProgress>().waiting == "no TaskTracker has registered yet");
  const int before = world.client.count<JobProgress>();
  world.advance(10s);
  BOOST_TEST(world.client.count<JobProgress>() == before);  // nothing changed
}

BOOST_AUTO_TEST_CASE(the_reason_of_a_wait_names_the_rule_and_its_numbers) {
  TrackerWorld world;
  auto a = world.add_tracker("a");
  world.submit(map_only_package({{"a"}, {"a"}}));
  const JobId second = world.submit(map_only_package({{"a"}}));
  world.beat(a);
  world.advance(1s);
  BOOST_TEST(last_wait(world, second) == "its job setup has not finished (rule SC-3)");
  world.succeed(a);  // the setup of the first job; that of the second one starts
  BOOST_TEST(world.succeed(a).launches.size() == 2U);
  world.beat(a);  // the TaskTracker reports both maps
  world.advance(1s);
  BOOST_TEST(last_wait(world, second) == "waits for a map slot: 2 of 2 are in use (rule JQ-5)");
}

/// Heartbeats of all TaskTrackers, on which all ends at once but the reduces of the first job.
void beat_all(TrackerWorld& world, std::vector<FakeTracker>& trackers, int rounds) {
  for (int round = 0; round < rounds; ++round)
    for (auto& tracker : trackers) {
      for (auto& status : tracker.runs) {
        if (status.attempt.is_reduce && status.attempt.job == JobId{1}) continue;
        status.state = TaskAttemptState::succeeded;
        status.outcome = TaskOutcome{};
        status.place = MapOutputLocation{NodeId{0}, Epoch{1}, "a", "shuffle:1", "/files"};
      }
      world.beat(tracker);
    }
}

BOOST_AUTO_TEST_CASE(a_job_waits_for_a_reduce_slot_that_padding_keeps_for_others) {
  JobTrackerSettings settings;
  settings.queue.capacity_pad = 0.4F;
  TrackerWorld world{settings};
  std::vector<FakeTracker> trackers;
  for (const std::string host : {"a", "b", "c", "d"}) trackers.push_back(world.add_tracker(host));
  JobRules rules;
  rules.slow_start = 0;
  world.submit(tests::map_reduce_package({{"a"}}, 3), rules);
  beat_all(world, trackers, 4);
  const JobId small = world.submit(tests::map_reduce_package({{"a"}}, 1), rules);
  beat_all(world, trackers, 4);
  world.advance(1s);
  BOOST_TEST(last_wait(world, small) ==
             "waits for a reduce slot: 3 of 4 are in use, and padding keeps the others for jobs before it (rule "
             "JQ-10)");
}

BOOST_AUTO_TEST_CASE(a_job_tells_that_it_avoids_a_host_and_why) {
  TrackerWorld world;
  std::vector<FakeTracker> trackers;
  for (const std::string host : {"a", "b", "c", "d", "e"}) trackers.push_back(world.add_tracker(host));
  JobRules rules;
  rules.tracker_failures_max = 1;
  world.submit(map_only_package({{"a"}}), rules);
  world.beat(trackers[0]);
  world.succeed(trackers[0]);  // its setup
  TrackerWorld::end_all(trackers[0], TaskAttemptState::failed);
  world.beat(trackers[0]);
  BOOST_TEST(world.client.last<Notice>().text ==
             "the job avoids host a after 1 failed attempt there: 1 of 5 TaskTrackers, fewer than 25 % (rule JP-8)");
  BOOST_TEST(world.events().count("classic_host_avoided") == 1);
}

}  // namespace
}  // namespace job_waits_test
}  // namespace heddle::actors
