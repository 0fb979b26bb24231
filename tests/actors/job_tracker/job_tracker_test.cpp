// Goal: jobs run from setup over maps to cleanup, and end with the right message, whatever attempts and TaskTrackers
// do. Method: fake clients and TaskTrackers around one JobTracker, virtual time.
#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "actors/job_tracker/job_tracker_settings.hpp"
#include "ports/output_commit.hpp"
#include "tests/actors/job_tracker/tracker_world.hpp"

namespace heddle::actors {
namespace job_tracker_test {
namespace {

using tests::map_only_package;
using tests::map_reduce_package;

AttemptType only_type(const HeartbeatResponse& response) {
  BOOST_REQUIRE(response.launches.size() == 1U);
  return response.launches.front().type;
}

BOOST_AUTO_TEST_CASE(a_map_only_job_runs_setup_maps_and_cleanup_and_succeeds) {
  TrackerWorld world;
  auto a = world.add_tracker("a");
  const JobId job = world.submit(map_only_package({{"a"}, {"a"}}));
  BOOST_TEST((job == JobId{1}));
  const auto setup = world.beat(a);
  BOOST_TEST((only_type(setup) == AttemptType::job_setup));
  BOOST_REQUIRE(setup.jobs.size() == 1U);
  BOOST_TEST(setup.jobs.front().token == "token");
  BOOST_TEST((setup.jobs.front().application == ApplicationId{1000, 1}));
  BOOST_REQUIRE(setup.jobs.front().programs.size() == 1U);
  BOOST_TEST(setup.launches.front().output.outputs.front().path == "/out");

  const auto maps = world.succeed(a);
  BOOST_REQUIRE(maps.launches.size() == 2U);
  BOOST_TEST(maps.jobs.empty());  // the TaskTracker has the job
  BOOST_TEST((maps.launches[1].type == AttemptType::map));
  BOOST_TEST(maps.launches[1].range.first_index == 1);
  BOOST_TEST(maps.launches[1].range.splits.front().split.offset == 100);

  const auto cleanup = world.succeed(a);
  BOOST_TEST((only_type(cleanup) == AttemptType::job_cleanup));
  const auto& output = cleanup.launches.front().output;
  BOOST_TEST(output.is_commit);
  const StageKey stage{job, StageId{0}, 0};
  const std::vector<std::string> winners{ports::task_attempt_name(stage, 0, 0), ports::task_attempt_name(stage, 1, 0)};
  BOOST_TEST((output.outputs.front().task_attempts == winners));
  BOOST_TEST(world.client.count<JobFinished>() == 0);

  world.advance(1s);
  const auto last = world.succeed(a);
  BOOST_TEST((last.ended_jobs == std::vector<JobId>{job}));
  const auto end = world.client.last<JobFinished>();
  BOOST_TEST((end.status == JobStatus::succeeded), end.text);
  BOOST_TEST(end.totals.tasks == 2);
  BOOST_TEST(end.totals.bytes_read == 20);  // of the maps only
  BOOST_TEST((end.totals.counters == std::vector<std::pair<std::string, std::int64_t>>{{"g\tn", 2}}));
  BOOST_TEST(world.client.last<JobProgress>().stages.front().finished == 2);
}

BOOST_AUTO_TEST_CASE(the_package_of_a_job_may_be_in_a_file) {
  TrackerWorld world;
  auto a = world.add_tracker("a");
  world.say(world.client, world.tracker, SubmitJob{1, {}, "/package"});
  BOOST_TEST((only_type(world.beat(a)) == AttemptType::job_setup));
  world.say(world.client, world.tracker, SubmitJob{2, {}, "/bad"});
  BOOST_TEST(world.client.last<JobFinished>().text == "'/bad' is damaged");
  world.say(world.tracker, SubmissionReady{{JobId{1}, {}, {}, 0, {}, {}}, false, "too late"});
  BOOST_TEST(world.events().count("stale_package_read") == 1);
}

BOOST_AUTO_TEST_CASE(a_job_with_two_shuffles_is_refused_with_the_form_that_works) {
  TrackerWorld world;
  auto package = map_reduce_package({{"a"}}, 1);
  auto again = package.graph.stages.back();
  package.graph.stages.back().output.reset();
  again.name = "again";
  again.parents = {1};
  package.graph.stages.push_back(again);
  package.splits.push_back({});
  world.submit(package);
  const auto end = world.client.last<JobFinished>();
  BOOST_TEST((end.status == JobStatus::failed));
  BOOST_TEST(end.text.find("--framework driver") != std::string::npos, end.text);
}

/// A place that names its map.
MapOutputLocation place_of(std::int32_t map) {
  return {NodeId{0}, Epoch{1}, "a", "shuffle:" + std::to_string(map), "/files"};
}

/// All running maps of the TaskTracker have succeeded; their outputs are at place_of.
HeartbeatResponse finish_maps(TrackerWorld& world, FakeTracker& at, std::int32_t place_shift = 0) {
  for (auto& status : at.runs) {
    if (status.attempt.is_reduce) continue;
    status.state = TaskAttemptState::succeeded;
    status.outcome = TaskOutcome{};
    status.outcome->bytes_read = 10;
    status.place = place_of(status.attempt.task + place_shift);
  }
  return world.beat(at);
}

std::vector<MapOutputLocation> places(const HeartbeatResponse& response) {
  std::vector<MapOutputLocation> found;
  for (const auto& news : response.completions)
    for (const auto& row : news.rows)
      if (row.ending == AttemptEnding::succeeded) found.push_back(row.place);
  return found;
}

const std::vector<MapOutputLocation> both_places{place_of(0), place_of(1)};

BOOST_AUTO_TEST_CASE(reduces_start_while_maps_run_and_get_their_completion_events) {
  TrackerWorld world;
  auto a = world.add_tracker("a");
  const JobId job = world.submit(map_reduce_package({{"a"}, {"a"}, {"a"}}, 2));
  world.beat(a);
  world.succeed(a);
  auto response = finish_maps(world, a);  // two of three maps: two map slots
  BOOST_TEST_REQUIRE(response.launches.size() == 2U);
  BOOST_TEST((response.launches.at(0).type == AttemptType::map));
  BOOST_TEST((response.launches.at(1).type == AttemptType::reduce));
  BOOST_TEST((response.launches.at(1).range.stage == StageKey{job, StageId{1}, 0}));
  a.wanted = {{job, 0}};
  response = world.beat(a);
  BOOST_TEST((places(response) == both_places));
  a.wanted = {{job, 2}};
  BOOST_TEST(world.beat(a).completions.empty());
  response = finish_maps(world, a);
  BOOST_TEST_REQUIRE(response.completions.size() == 1U);
  BOOST_TEST(response.completions.front().from == 2);
  BOOST_TEST(response.completions.front().rows.front().map == 2);
  a.wanted = {{job, 3}};
  BOOST_TEST((only_type(world.succeed(a)) == AttemptType::reduce));  // one reduce slot
  a.wanted = {};
  const auto cleanup = world.succeed(a);
  BOOST_TEST((only_type(cleanup) == AttemptType::job_cleanup));
  const StageKey stage{job, StageId{1}, 0};
  const std::vector<std::string> winners{ports::task_attempt_name(stage, 0, 0), ports::task_attempt_name(stage, 1, 0)};
  BOOST_TEST((cleanup.launches.front().output.outputs.front().task_attempts == winners));
  world.succeed(a);
  const auto end = world.client.last<JobFinished>();
  BOOST_TEST((end.status == JobStatus::succeeded), end.text);
  BOOST_TEST(end.totals.tasks == 5);
  BOOST_TEST(world.client.last<JobProgress>().stages.size() == 2U);
}

BOOST_AUTO_TEST_CASE(readers_of_completion_events_are_woken_when_the_last_map_has_ended) {
  TrackerWorld world;
  auto a = world.add_tracker("a");
  auto b = world.add_tracker("b");
  const JobId job = world.submit(map_reduce_package({{"a"}, {"a"}}, 1));
  world.beat(a);
  world.succeed(a);
  world.beat(b);
  BOOST_TEST_REQUIRE(a.runs.size() == 1U);
  BOOST_TEST_REQUIRE(b.runs.size() == 1U);
  b.wanted = {{job, 0}};
  BOOST_TEST(places(finish_maps(world, b)).size() == 1U);
  b.wanted = {{job, 1}};
  BOOST_TEST(places(world.beat(b)).empty());
  const int woken = b.peer->count<HeartbeatSoon>();
  BOOST_TEST(world.events().count("classic_maps_ended") == 0);
  finish_maps(world, a);
  BOOST_TEST(world.events().count("classic_maps_ended") == 1);
  BOOST_TEST(b.peer->count<HeartbeatSoon>() == woken + 1);
  BOOST_TEST(places(world.beat(b)).size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_map_whose_output_cannot_be_fetched_three_times_runs_again) {  // JS-5
  TrackerWorld world;
  auto a = world.add_tracker("a");
  const JobId job = world.submit(map_reduce_package({{"a"}, {"a"}}, 1));
  world.beat(a);
  world.succeed(a);
  auto response = finish_maps(world, a);
  BOOST_TEST((only_type(response) == AttemptType::reduce));
  const TaskAttemptId unfetched{job, false, 1, 0};
  a.failed_fetches = {unfetched, {job, false, 7, 0}};
  BOOST_TEST(world.beat(a).launches.empty());
  a.wanted = {{job, 0}};
  a.failed_fetches = {unfetched};
  BOOST_TEST((places(world.beat(a)) == both_places));
  a.wanted = {{job, 2}};
  a.failed_fetches = {unfetched};
  response = world.beat(a);
  BOOST_TEST_REQUIRE(response.completions.size() == 1U);
  const auto& lost = response.completions.front().rows.front();
  BOOST_TEST(lost.map == 1);
  BOOST_TEST((lost.ending == AttemptEnding::killed));
  if (response.launches.empty()) response = world.beat(a);
  BOOST_TEST((only_type(response) == AttemptType::map));
  BOOST_TEST((response.launches.front().attempt == TaskAttemptId{job, false, 1, 1}));
  a.wanted = {{job, 3}};
  a.failed_fetches = {unfetched};  // a late notice about the former attempt
  BOOST_TEST((places(finish_maps(world, a, 6)) == std::vector{place_of(7)}));
  // A reader that starts now does not see the lost output.
  a.wanted = {{job, 0}};
  BOOST_TEST((places(world.beat(a)) == (std::vector{place_of(0), place_of(7)})));
  world.succeed(a);
  world.succeed(a);
  const auto end = world.client.last<JobFinished>();
  BOOST_TEST((end.status == JobStatus::succeeded), end.text);
  BOOST_TEST(end.totals.tasks == 3);
  BOOST_TEST(end.totals.bytes_read == 30);  // of one attempt of each task
}

BOOST_AUTO_TEST_CASE(a_map_that_fails_four_times_fails_its_job_and_its_output_is_removed) {
  TrackerWorld world;
  auto a = world.add_tracker("a");
  world.submit(map_only_package({{"a"}}));
  world.beat(a);
  auto response = world.succeed(a);
  for (int failure = 1; failure <= 4; ++failure) {
    BOOST_TEST((only_type(response) == AttemptType::map));
    BOOST_TEST(response.launches.front().attempt.attempt == failure - 1);
    TrackerWorld::end_all(a, TaskAttemptState::failed_unclean, "exit code 3");
    response = world.beat(a);
    BOOST_TEST((only_type(response) == AttemptType::task_cleanup));
    BOOST_TEST((response.launches.front().state == TaskAttemptState::failed_unclean));
    TrackerWorld::end_all(a, TaskAttemptState::failed);
    response = world.beat(a);
  }
  BOOST_TEST((only_type(response) == AttemptType::job_cleanup));
  BOOST_TEST(!response.launches.front().output.is_commit);
  BOOST_TEST(response.launches.front().output.outputs.size() == 1U);
  world.succeed(a);
  const auto end = world.client.last<JobFinished>();
  BOOST_TEST((end.status == JobStatus::failed));
  BOOST_TEST(end.text == "stage 'map': task 0 failed 4 times; last on a: exit code 3");
  BOOST_TEST(end.exit_code == 3);
  BOOST_TEST(end.totals.failed_attempts == 4);
  BOOST_TEST(end.totals.bytes_read == 0);  // of winners only
}

BOOST_AUTO_TEST_CASE(each_job_has_the_rules_that_its_client_submits) {
  TrackerWorld world;
  auto a = world.add_tracker("a");
  JobRules rules;
  rules.map_attempts_max = 1;
  world.submit(map_only_package({{"a"}}), rules);
  rules.priority = JobPriority::very_high;
  const JobId first = world.submit(map_only_package({{"a"}, {"a"}}), rules);
  for (int beat = 0; beat < 10 && world.client.count<JobFinished>() == 0; ++beat) {
    world.beat(a);
    const bool are_maps = !a.runs.empty() && a.runs.front().attempt.job == first && a.runs.size() == 2U;
    TrackerWorld::end_all(a, are_maps ? TaskAttemptState::failed : TaskAttemptState::succeeded, "exit code 3");
    world.advance(1s);
  }
  const auto end = world.client.last<JobFinished>();
  BOOST_TEST((end.job == first));
  BOOST_TEST(end.text == "stage 'map': task 0 failed 1 time; last on a: exit code 3");
  const auto map = std::find_if(a.launches.begin(), a.launches.end(),
                                [](const AttemptLaunch& launch) { return launch.type == AttemptType::map; });
  BOOST_TEST_REQUIRE((map != a.launches.end()));
  BOOST_TEST((map->attempt.job == first));
}

BOOST_AUTO_TEST_CASE(a_setup_that_fails_fails_its_job_with_the_reason) {
  TrackerWorld world;
  auto a = world.add_tracker("a");
  world.submit(map_only_package({{"a"}}));
  auto response = world.beat(a);
  for (int failure = 1; failure <= 4; ++failure) {
    BOOST_TEST((only_type(response) == AttemptType::job_setup));
    TrackerWorld::end_all(a, TaskAttemptState::failed, "'/out' exists");
    response = world.beat(a);
  }
  BOOST_TEST((only_type(response) == AttemptType::job_cleanup));
  world.succeed(a);
  BOOST_TEST(world.client.last<JobFinished>().text == "the output could not be set up: '/out' exists");
}

BOOST_AUTO_TEST_CASE(a_cancelled_job_kills_its_attempts_and_removes_its_output) {
  TrackerWorld world;
  auto a = world.add_tracker("a");
  const JobId job = world.submit(map_only_package({{"a"}, {"a"}}));
  world.beat(a);
  world.succeed(a);
  world.beat(a);
  a.peer->clear();
  world.say(world.client, world.tracker, CancelJob{job, "by Ctrl-C"});
  BOOST_TEST(a.peer->count<HeartbeatSoon>() == 1);
  const auto kills = world.beat(a);
  BOOST_TEST(kills.kills.size() == 2U);
  TrackerWorld::end_all(a, TaskAttemptState::killed_unclean);
  const auto cleanup = world.beat(a);
  BOOST_TEST((only_type(cleanup) == AttemptType::job_cleanup));
  BOOST_TEST(!cleanup.launches.front().output.is_commit);
  world.succeed(a);
  const auto end = world.client.last<JobFinished>();
  BOOST_TEST((end.status == JobStatus::cancelled));
  BOOST_TEST(end.text == "by Ctrl-C");
  BOOST_TEST(end.totals.failed_attempts == 0);
  world.say(world.client, world.tracker, CancelJob{job, "again"});
  BOOST_TEST(world.client.count<JobFinished>() == 2);  // the kept report
}

BOOST_AUTO_TEST_CASE(a_job_without_a_setup_is_cancelled_at_once) {
  TrackerWorld world;
  const JobId job = world.submit(map_only_package({{"a"}}));
  world.say(world.client, world.tracker, CancelJob{job, "by Ctrl-C"});
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::cancelled));
  auto a = world.add_tracker("a");
  BOOST_TEST(world.beat(a).launches.empty());
}

BOOST_AUTO_TEST_CASE(a_job_whose_commit_has_begun_is_not_cancelled) {
  TrackerWorld world;
  auto a = world.add_tracker("a");
  const JobId job = world.submit(map_only_package({{"a"}}));
  world.beat(a);
  world.succeed(a);
  BOOST_TEST((only_type(world.succeed(a)) == AttemptType::job_cleanup));
  world.say(world.client, world.tracker, CancelJob{job, "too late"});
  world.succeed(a);
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
}

BOOST_AUTO_TEST_CASE(only_one_attempt_of_a_task_may_commit) {
  TrackerWorld world;
  auto a = world.add_tracker("a");
  world.submit(map_only_package({{"a"}}));
  world.beat(a);
  world.succeed(a);
  a.runs.front().state = TaskAttemptState::commit_pending;
  const auto response = world.beat(a);
  BOOST_TEST((response.commits == std::vector<TaskAttemptId>{a.runs.front().attempt}));
}

// -- TaskTrackers --------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_response_that_was_lost_is_sent_again_unchanged) {
  TrackerWorld world;
  auto a = world.add_tracker("a");
  world.submit(map_only_package({{"a"}}));
  const auto before = world.heartbeat_of(a);
  const auto response = world.beat(a);
  world.say(*a.peer, world.tracker, before);
  const auto again = a.peer->last<HeartbeatResponse>();
  BOOST_TEST(again.response_id == response.response_id);
  BOOST_REQUIRE(again.launches.size() == 1U);
  BOOST_TEST((again.launches.front().attempt == response.launches.front().attempt));
  BOOST_TEST(world.events().count("classic_attempt_launched") == 1);
}

BOOST_AUTO_TEST_CASE(an_initial_contact_that_is_sent_again_gets_the_same_launches) {  // JT-1
  TrackerWorld world;
  world.submit(map_only_package({{"a"}}));
  FakeTracker a{"a", "a", &world.peer("a")};
  const auto initial = world.heartbeat_of(a);
  BOOST_TEST((only_type(world.beat(a)) == AttemptType::job_setup));
  world.say(*a.peer, world.tracker, initial);
  const auto again = a.peer->last<HeartbeatResponse>();
  BOOST_TEST(again.response_id == 1);
  BOOST_TEST_REQUIRE(again.launches.size() == 1U);
  BOOST_TEST((again.launches.front().attempt == a.launches.front().attempt));
  BOOST_TEST(world.events().count("tracker_registered") == 1);
  // By a new connection: the end of the first one is no loss of the TaskTracker.
  auto& next = world.peer("next");
  world.say(next, world.tracker, initial);
  BOOST_TEST(next.last<HeartbeatResponse>().response_id == 1);
  world.kill(*a.peer);
  BOOST_TEST(world.events().count("tracker_lost") == 0);
}

BOOST_AUTO_TEST_CASE(an_unknown_tracker_reinitialises_and_an_older_process_is_refused) {
  TrackerWorld world;
  FakeTracker a{"a", "a", &world.peer("a"), 5, 17};
  world.say(*a.peer, world.tracker, world.heartbeat_of(a));
  BOOST_TEST(a.peer->count<ReinitialiseTracker>() == 1);
  a.response_id = -1;
  world.beat(a);
  FakeTracker older{"a", "a", &world.peer("older"), 4};
  world.say(*older.peer, world.tracker, world.heartbeat_of(older));
  BOOST_TEST(older.peer->last<TrackerRefused>().incarnation == 4);
  auto other = world.heartbeat_of(a);
  other.build_id = "other";
  world.say(*a.peer, world.tracker, other);
  BOOST_TEST(a.peer->last<TrackerRefused>().reason == "it runs build other, the JobTracker build build");
}

BOOST_AUTO_TEST_CASE(attempts_of_a_lost_tracker_run_again_elsewhere_and_finished_maps_stay) {
  for (const bool is_silent : {false, true}) {
    TrackerWorld world;
    auto a = world.add_tracker("a");
    world.submit(map_only_package({{"a"}, {"a"}, {"a"}}));
    world.beat(a);
    world.succeed(a);  // two maps run
    a.runs[0].state = TaskAttemptState::succeeded;
    a.runs[0].outcome = TaskOutcome{};
    world.beat(a);
    auto b = world.add_tracker("b");
    b.peer->clear();
    if (is_silent) {
      for (int minute = 1; minute <= 11; ++minute) {
        world.advance(60s);
        world.beat(b);
      }
    } else {
      world.kill(*a.peer);
      BOOST_TEST(b.peer->count<HeartbeatSoon>() == 1);
    }
    BOOST_TEST(world.events().count("tracker_lost") == 1);
    const auto notices = world.client.all<Notice>();
    BOOST_TEST(std::count_if(notices.begin(), notices.end(), [](const Notice& notice) {
                 return notice.text.find("is lost") != std::string::npos;
               }) == 1);
    // The lost attempts are cleaned up, then their maps run again; the finished map does not.
    for (int round = 0; round < 12 && world.client.count<JobFinished>() == 0; ++round) {
      for (auto& status : b.runs) {
        status.state = status.is_cleanup ? TaskAttemptState::killed : TaskAttemptState::succeeded;
        status.outcome = TaskOutcome{};
      }
      world.beat(b);
    }
    BOOST_REQUIRE(world.client.count<JobFinished>() == 1);
    const auto end = world.client.last<JobFinished>();
    BOOST_TEST((end.status == JobStatus::succeeded), end.text);
    BOOST_TEST(end.totals.tasks == 3);
    for (const auto& launch : b.launches)
      if (launch.type == AttemptType::map) BOOST_TEST(launch.attempt.task != a.launches[1].attempt.task);
  }
}

BOOST_AUTO_TEST_CASE(trackers_with_free_slots_hear_of_new_work_once) {
  TrackerWorld world;
  auto a = world.add_tracker("a");
  auto b = world.add_tracker("b");
  a.peer->clear();
  b.peer->clear();
  world.submit(map_only_package({{"a"}, {"a"}, {"b"}, {"b"}}));
  BOOST_TEST(a.peer->count<HeartbeatSoon>() == 1);
  BOOST_TEST(b.peer->count<HeartbeatSoon>() == 1);
  world.beat(b);  // runs the setup
  world.beat(a);
  a.peer->clear();
  b.peer->clear();
  world.succeed(b);
  BOOST_TEST(a.peer->count<HeartbeatSoon>() == 1);
  BOOST_TEST(b.peer->count<HeartbeatSoon>() == 0);
  world.beat(b);
  BOOST_TEST(a.peer->count<HeartbeatSoon>() == 1);
}

BOOST_AUTO_TEST_CASE(without_beats_on_change_nobody_is_woken_up) {
  JobTrackerSettings settings;
  settings.beat_on_change = false;
  TrackerWorld world{settings};
  auto a = world.add_tracker("a");
  world.submit(map_only_package({{"a"}}));
  BOOST_TEST(a.peer->count<HeartbeatSoon>() == 0);
  BOOST_TEST(a.peer->last<HeartbeatResponse>().interval_ms == 300);
}

BOOST_AUTO_TEST_CASE(an_attempt_of_an_unknown_job_is_answered_with_its_end) {
  TrackerWorld world;
  auto a = world.add_tracker("a");
  TaskAttemptStatus status;
  status.attempt = {JobId{9}, false, 0, 0};
  a.runs = {status};
  BOOST_TEST((world.beat(a).ended_jobs == std::vector<JobId>{JobId{9}}));
}

BOOST_AUTO_TEST_CASE(a_stale_tick_does_nothing) {
  TrackerWorld world;
  world.submit(map_only_package({{"a"}}));
  world.say(world.tracker, JobTrackerTick{99});
  BOOST_TEST(world.client.count<JobProgress>() == 0);
  world.advance(1s);
  BOOST_TEST(world.client.count<JobProgress>() == 1);
}

BOOST_AUTO_TEST_CASE(a_launch_that_is_never_reported_fails_in_time) {
  TrackerWorld world;
  auto a = world.add_tracker("a");
  world.submit(map_only_package({{"a"}}));
  world.beat(a);
  a.runs.clear();  // the TaskTracker loses it
  for (int minute = 0; minute <= 15; ++minute) {
    world.advance(60s);
    world.beat(a);
  }
  BOOST_TEST(a.launches.size() == 2U);
  BOOST_TEST((a.launches.back().type == AttemptType::job_setup));
  BOOST_TEST(a.launches.back().attempt.attempt == 1);
}

}  // namespace
}  // namespace job_tracker_test
}  // namespace heddle::actors
