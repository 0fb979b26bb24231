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
  BOOST_TEST(world.client.last<JobProgress>().waiting ==
             "no TaskTracker is registered: there are 0 map slots and 0 reduce slots (rule JQ-5)");
  const int before = world.client.count<JobProgress>();
  world.advance(10s);
  BOOST_TEST(world.client.count<JobProgress>() == before);  // nothing changed
}

BOOST_AUTO_TEST_CASE(the_wait_for_a_package_names_the_rule) {
  TrackerWorld world;
  world.add_tracker("a");
  world.background.is_held = true;
  SubmitJob message{7, {}, "/package"};
  world.say(world.client, world.tracker, message);
  world.submit(map_only_package({{"a"}}));  // the progress of one job comes with that of all
  world.advance(1s);
  BOOST_TEST(world.client.all<JobProgress>().front().waiting ==
             "its package is being read: 0 of its tasks are known (rule SC-3)");
}

BOOST_AUTO_TEST_CASE(the_reason_of_a_wait_names_the_rule_and_its_numbers) {
  TrackerWorld world;
  auto a = world.add_tracker("a");
  world.submit(map_only_package({{"a"}, {"a"}}));
  const JobId second = world.submit(map_only_package({{"a"}}));
  world.beat(a);
  world.advance(1s);
  BOOST_TEST(last_wait(world, second) ==
             "its job setup does not run: 0 of 2 map slots and 0 of 1 reduce slots are in use (rule SC-3)");
  world.succeed(a);  // the setup of the first job; that of the second one starts
  BOOST_TEST(world.succeed(a).launches.size() == 2U);
  world.beat(a);  // the TaskTracker reports both maps
  world.advance(1s);
  BOOST_TEST(last_wait(world, second) == "waits for a map slot: 2 of 2 are in use (rule JQ-5)");
}

BOOST_AUTO_TEST_CASE(the_wait_for_a_job_setup_names_its_attempt) {
  TrackerWorld world;
  auto a = world.add_tracker("a");
  const JobId job = world.submit(map_only_package({{"a"}}));
  world.beat(a);
  world.advance(1s);
  BOOST_TEST(last_wait(world, job) ==
             "its job setup has not finished: attempt 1 runs on a, and 4 may fail (rule SC-3)");
  TrackerWorld::end_all(a, TaskAttemptState::failed);
  world.beat(a);
  world.advance(1s);
  BOOST_TEST(last_wait(world, job) ==
             "its job setup has not finished: attempt 2 runs on a, and 4 may fail (rule SC-3)");
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

/// Two TaskTrackers with two map slots each.
struct TwoTrackers {
  TrackerWorld world{};
  FakeTracker a = world.add_tracker("a");
  FakeTracker b = world.add_tracker("b");
  std::vector<std::string> notices() {
    std::vector<std::string> texts;
    for (const auto& notice : world.client.all<Notice>()) texts.push_back(notice.text);
    return texts;
  }
};

BOOST_AUTO_TEST_CASE(a_job_learns_once_that_the_load_factor_leaves_slots_free) {
  TwoTrackers cluster;
  auto& world = cluster.world;
  world.submit(map_only_package({{"a"}, {"a"}}));
  world.beat(cluster.a);
  BOOST_TEST(world.succeed(cluster.a).launches.size() == 1U);
  BOOST_TEST(world.beat(cluster.b).launches.size() == 1U);
  const std::vector<std::string> expected{
      "a runs at most 1 of 2 maps at a time, to spread the load: 2 remaining maps / 4 map slots of the cluster x 2 "
      "(rule "
      "JQ-5)"};
  BOOST_TEST(cluster.notices() == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_job_learns_once_how_close_to_their_data_its_maps_ran) {
  TwoTrackers cluster;
  auto& world = cluster.world;
  world.submit(map_only_package({{"a"}, {"a"}, {"a"}, {"a"}}));
  world.beat(cluster.a);
  world.succeed(cluster.a);
  world.beat(cluster.b);
  world.succeed(cluster.a);
  BOOST_TEST(world.client.count<Notice>() == 0);
  world.succeed(cluster.b);
  const std::vector<std::string> expected{
      "maps started at once on the closest free slot: 2 on a host of their data, 2 in a rack of it (rule JP-3), 0 in "
      "other racks (rule JP-4)"};
  BOOST_TEST(cluster.notices() == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_start_of_reduces_names_the_maps_that_are_done_and_needed) {
  TwoTrackers cluster;
  auto& world = cluster.world;
  JobRules rules;
  rules.slow_start = 0.5F;
  world.submit(tests::map_reduce_package({{"a"}, {"a"}, {"a"}, {"a"}}, 1), rules);
  world.beat(cluster.a);
  world.succeed(cluster.a);
  world.beat(cluster.a);
  BOOST_TEST(world.client.count<Notice>() == 0);
  world.succeed(cluster.a);
  BOOST_TEST(world.client.last<Notice>().text == "reduces start: 2 of 4 maps are done, and 2 are needed (rule JS-1)");
}

BOOST_AUTO_TEST_CASE(a_job_with_a_higher_priority_learns_its_place_before_the_others) {
  TwoTrackers cluster;
  auto& world = cluster.world;
  world.submit(map_only_package({{"a"}}));
  JobRules rules;
  rules.priority = JobPriority::high;
  world.submit(map_only_package({{"a"}}), rules);
  world.beat(cluster.a);
  world.succeed(cluster.a);
  BOOST_TEST(world.client.all<Notice>().front().text ==
             "is number 2 of 2 in the job queue, by priority (here NORMAL), then by time of submission: a free slot "
             "goes to the first job that has a task for it (rule JQ-1)");
  world.succeed(cluster.a);
  BOOST_TEST(world.client.last<Notice>().text ==
             "is number 1 of 2 in the job queue, by priority (here HIGH), then by time of submission: a free slot goes "
             "to the first job that has a task for it (rule JQ-1)");
}

BOOST_AUTO_TEST_CASE(a_lost_tracker_is_reported_with_its_running_attempts) {
  TwoTrackers cluster;
  auto& world = cluster.world;
  world.submit(map_only_package({{"a"}}));
  world.beat(cluster.a);
  world.succeed(cluster.a);
  world.kill(*cluster.a.peer);
  BOOST_TEST(world.client.last<Notice>().text.find("TaskTracker a is lost: ") == 0U);
  BOOST_TEST(world.client.last<Notice>().text.ends_with("; its 1 running attempt runs again (rule JT-4)"));
}

/// Ends all attempts of the TaskTracker with success; the outputs of maps can be copied.
void finish(TrackerWorld& world, FakeTracker& tracker) {
  TrackerWorld::end_all(tracker, TaskAttemptState::succeeded);
  for (auto& status : tracker.runs) status.place = MapOutputLocation{NodeId{0}, Epoch{1}, "a", "shuffle:1", "/files"};
  world.beat(tracker);
}

/// A job of two maps: one has finished on `a`; the other one and the reduce run on `b`.
void finish_one_map_on_a(TwoTrackers& cluster) {
  auto& world = cluster.world;
  JobRules rules;
  rules.slow_start = 0;
  world.submit(tests::map_reduce_package({{"b"}, {"a"}}, 1), rules);
  world.beat(cluster.b);
  finish(world, cluster.b);  // the setup
  world.beat(cluster.a);
  finish(world, cluster.a);
  BOOST_TEST_REQUIRE(cluster.a.runs.size() == 0U);
  BOOST_TEST_REQUIRE(cluster.b.runs.size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_lost_tracker_is_reported_with_its_finished_maps_that_run_again) {
  TwoTrackers cluster;
  finish_one_map_on_a(cluster);
  cluster.world.kill(*cluster.a.peer);
  const auto text = cluster.world.client.last<Notice>().text;
  BOOST_TEST(text.ends_with("; its 1 finished map runs again (rule JS-6)"), text);
  BOOST_TEST(text.find("attempt") == std::string::npos, text);
}

BOOST_AUTO_TEST_CASE(a_lost_tracker_is_reported_with_all_that_runs_again) {
  TwoTrackers cluster;
  auto& world = cluster.world;
  JobRules rules;
  rules.slow_start = 1;
  world.submit(tests::map_reduce_package({{"a"}, {"a"}}, 1), rules);
  world.beat(cluster.a);
  finish(world, cluster.a);  // the setup
  finish(world, cluster.a);  // the first map
  world.kill(*cluster.a.peer);
  const auto text = world.client.last<Notice>().text;
  BOOST_TEST(text.ends_with("; its 1 running attempt runs again (rule JT-4), and 1 finished map runs again (rule "
                            "JS-6)"),
             text);
}

BOOST_AUTO_TEST_CASE(a_lost_tracker_without_work_is_reported_with_its_reason_only) {
  TwoTrackers cluster;
  auto& world = cluster.world;
  world.submit(map_only_package({{"a"}}));
  world.kill(*cluster.b.peer);
  BOOST_TEST(world.client.last<Notice>().text.find("TaskTracker b is lost: ") == 0U);
  BOOST_TEST(world.client.last<Notice>().text.find("again") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_job_learns_that_a_map_runs_again_because_reduces_could_not_copy_its_output) {
  TwoTrackers cluster;
  finish_one_map_on_a(cluster);
  auto& world = cluster.world;
  const auto map = cluster.a.launches.back().attempt;
  const auto before = world.client.count<Notice>();
  for (int notice = 0; notice < 3; ++notice) {
    BOOST_TEST(world.client.count<Notice>() == before);
    cluster.b.failed_fetches = {map};
    world.beat(cluster.b);
  }
  BOOST_TEST(world.client.count<Notice>() == before + 1);
  BOOST_TEST(world.client.last<Notice>().text ==
             "map " + std::to_string(map.task) + " runs again: its output was lost (rule JS-5)");
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
