// Goal: the numbered cases of Hadoop's tests of the JobTracker hold for the live role, not only for its decider.
// Method: fake TaskTrackers around one JobTracker, virtual time.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/actors/job_tracker/tracker_world.hpp"

namespace heddle::actors {
namespace numbered_cases_test {
namespace {

using tests::map_only_package;
using tests::map_reduce_package;
using Hosts = std::vector<std::vector<std::string>>;

/// Launches of a response, as m or r with the number of the job and of the task.
std::string names(const HeartbeatResponse& response) {
  std::string text;
  for (const auto& launch : response.launches)
    text += (launch.attempt.is_reduce ? "r" : "m") + to_string(launch.attempt.job) + "." +
            std::to_string(launch.attempt.task) + " ";
  return text;
}

/// Ends the setup of each job.
void set_up(TrackerWorld& world, FakeTracker& at, int jobs) {
  for (int job = 0; job < jobs; ++job) {
    world.beat(at);
    world.succeed(at);
  }
}

/// The response to a heartbeat with this free space, which reports the runs of the TaskTracker.
HeartbeatResponse response_to(TrackerWorld& world, FakeTracker& at, std::int64_t free_space) {
  auto heartbeat = world.heartbeat_of(at);
  heartbeat.free_space = free_space;
  world.say(*at.peer, world.tracker, heartbeat);
  auto response = at.peer->last<HeartbeatResponse>();
  at.response_id = response.response_id;
  at.runs.clear();
  return response;
}

JobRules eager() {
  JobRules rules;
  rules.slow_start = 0;
  return rules;
}

BOOST_AUTO_TEST_CASE(without_jobs_a_heartbeat_gets_nothing) {  // C-E1-01
  TrackerWorld world;
  auto a = world.add_tracker("a");
  BOOST_TEST(world.beat(a).launches.empty());
}

BOOST_AUTO_TEST_CASE(a_job_that_is_not_set_up_gets_no_map) {  // C-E1-02
  TrackerWorld world;
  auto a = world.add_tracker("a");
  auto b = world.add_tracker("b");
  world.submit(map_only_package({{"a"}, {"b"}}));
  BOOST_TEST((world.beat(a).launches.front().type == AttemptType::job_setup));
  BOOST_TEST(world.beat(b).launches.empty());
}

// C-E1-03: two jobs of ten maps and ten reduces; here with one reduce slot per TaskTracker.
BOOST_AUTO_TEST_CASE(the_first_job_fills_the_slots_maps_before_a_reduce) {
  TrackerWorld world;
  auto a = world.add_tracker("a");
  auto b = world.add_tracker("b");
  for (int job = 0; job < 2; ++job) world.submit(map_reduce_package(Hosts(10, {"a", "b"}), 10), eager());
  world.beat(b);  // the setup of the first job
  world.beat(a);  // that of the second one
  TrackerWorld::end_all(b, TaskAttemptState::succeeded);
  TrackerWorld::end_all(a, TaskAttemptState::succeeded);
  BOOST_TEST(names(world.beat(b)) == "m1.0 m1.1 r1.0 ");
  BOOST_TEST(names(world.beat(a)) == "m1.2 m1.3 r1.1 ");
  BOOST_TEST(names(world.beat(a)) == "");
  BOOST_TEST(names(world.beat(b)) == "");
}

// C-E1-04, with the rules of LimitTasksPerJobTaskScheduler: one task per heartbeat.
BOOST_AUTO_TEST_CASE(a_limit_of_running_tasks_lets_the_next_job_start) {
  JobTrackerSettings settings;
  settings.queue.running_tasks_of_job_max = 3;
  TrackerWorld world{settings};
  auto a = world.add_tracker("a");
  auto b = world.add_tracker("b");
  for (int job = 0; job < 2; ++job) world.submit(map_reduce_package(Hosts(10, {"a", "b"}), 10), eager());
  world.beat(b);
  world.beat(a);
  TrackerWorld::end_all(b, TaskAttemptState::succeeded);
  TrackerWorld::end_all(a, TaskAttemptState::succeeded);
  std::string launched;
  for (auto* tracker : {&b, &a, &a, &b, &a, &b}) launched += names(world.beat(*tracker));
  BOOST_TEST(launched == "m1.0 m1.1 m1.2 m2.0 r2.0 r2.1 ");
}

// C-E1-05: the TaskTrackers take turns, and each gets its share of the first job before the second one starts.
BOOST_AUTO_TEST_CASE(a_limit_of_running_tasks_holds_for_all_trackers_together) {
  JobTrackerSettings settings;
  settings.queue.running_tasks_of_job_max = 4;
  TrackerWorld world{settings};
  auto a = world.add_tracker("a", 2);
  auto b = world.add_tracker("b", 2);
  for (int job = 0; job < 2; ++job) world.submit(map_reduce_package(Hosts(10, {"a", "b"}), 10), eager());
  world.beat(a);  // the setup of the first job
  world.beat(b);  // that of the second one
  TrackerWorld::end_all(a, TaskAttemptState::succeeded);
  TrackerWorld::end_all(b, TaskAttemptState::succeeded);
  std::string launched;
  for (auto* tracker : {&a, &a, &b, &a, &b, &a, &b, &b}) launched += names(world.beat(*tracker));
  BOOST_TEST(launched == "m1.0 m1.1 m1.2 r1.0 m2.0 r2.0 r2.1 r2.2 ");
}

// C-E1-06, JP-1: outputs of 1,000 bytes are expected to need 1,990 after the setup, which wrote nothing.
BOOST_AUTO_TEST_CASE(a_map_starts_only_where_its_expected_output_fits) {
  TrackerWorld world;
  auto a = world.add_tracker("a");
  world.submit(map_only_package(Hosts(3, {"a"})));
  set_up(world, a, 1);
  for (auto& status : a.runs) {
    status.state = TaskAttemptState::succeeded;
    status.outcome = TaskOutcome{};
    status.outcome->bytes_written = 1000;
  }
  for (const std::int64_t free : {1989, 1990}) {
    const auto response = response_to(world, a, free);
    const bool has_map = std::any_of(response.launches.begin(), response.launches.end(),
                                     [](const AttemptLaunch& launch) { return launch.type == AttemptType::map; });
    BOOST_TEST(has_map == (free == 1990), free);
    world.advance(1s);
    const std::string waiting = free == 1989
                                    ? "waits for a map slot: 0 of 2 are in use, and the disks of the others have "
                                      "no room for the 1990 bytes that a map is expected to write (rule JP-1)"
                                    : "";
    BOOST_TEST(world.client.last<JobProgress>().waiting == waiting);
  }
}

// C-E1-07: ten maps of 500 bytes and the setup wrote 1,000 bytes each.
BOOST_AUTO_TEST_CASE(the_expected_output_of_a_map_depends_on_the_input_of_those_that_ended) {
  TrackerWorld world;
  auto a = world.add_tracker("a");
  auto package = map_only_package(Hosts(100, {"a"}));
  for (auto& range : package.splits.front().splits) range.split.length = 500;
  JobRules rules;
  rules.slow_start = 0.1F;
  world.submit(package, rules);
  world.beat(a);
  const auto end_all = [&a] {
    TrackerWorld::end_all(a, TaskAttemptState::succeeded);
    for (auto& status : a.runs) status.outcome->bytes_written = 1000;
  };
  for (int round = 0; round < 5; ++round) {  // the setup, then two maps at a time
    end_all();
    world.beat(a);
  }
  end_all();
  for (const std::int64_t free : {2198, 2199}) {
    const auto response = response_to(world, a, free);
    BOOST_TEST(response.launches.empty() == (free == 2198), free);
  }
}

BOOST_AUTO_TEST_CASE(a_tracker_without_disk_space_gets_nothing) {  // JP-1
  TrackerWorld world;
  auto a = world.add_tracker("a");
  world.submit(map_only_package({{"a"}}));
  auto beat = world.heartbeat_of(a);
  beat.accepts_tasks = false;
  world.say(*a.peer, world.tracker, beat);
  BOOST_TEST(a.peer->last<HeartbeatResponse>().launches.empty());
}

BOOST_AUTO_TEST_CASE(a_reduce_starts_when_its_part_of_the_maps_is_done) {  // C-E1-08, C-E1-20
  for (const auto& [slow_start, needed] : {std::pair{0.05F, 1}, {0.5F, 5}, {1.0F, 10}}) {
    TrackerWorld world;
    auto a = world.add_tracker("a");
    JobRules rules;
    rules.slow_start = slow_start;
    world.submit(map_reduce_package(Hosts(10, {"a"}), 1), rules);
    set_up(world, a, 1);
    int done = 0;
    bool has_reduce = false;
    while (!has_reduce && done <= 10) {
      auto& first = *std::find_if(a.runs.begin(), a.runs.end(), [](const auto& run) { return !run.attempt.is_reduce; });
      first.state = TaskAttemptState::succeeded;
      first.outcome = TaskOutcome{};
      first.place = MapOutputLocation{NodeId{0}, Epoch{1}, "a", "shuffle:1", "/files"};
      ++done;
      for (const auto& launch : world.beat(a).launches) has_reduce = has_reduce || launch.attempt.is_reduce;
    }
    BOOST_TEST(done == needed, slow_start);
  }
}

BOOST_AUTO_TEST_CASE(a_map_runs_near_its_data_if_it_can) {  // C-E1-09
  TrackerWorld world;
  auto a = world.add_tracker("a");
  auto b = world.add_tracker("b");
  world.submit(map_only_package({{"b"}, {"b"}, {"a"}, {"a"}}));
  set_up(world, a, 1);
  BOOST_TEST(names(world.beat(a)) == "");  // it has both maps of a
  BOOST_TEST(names(world.beat(b)) == "m1.0 m1.1 ");
}

/// All attempts of the TaskTracker end: maps fail, or reduces do, and all others succeed.
void fail_kind(FakeTracker& at, bool is_reduce) {
  TrackerWorld::end_all(at, TaskAttemptState::succeeded);
  for (std::size_t i = 0; i < at.runs.size(); ++i) {
    auto& status = at.runs[i];
    const bool is_task = status.attempt.task < (status.attempt.is_reduce ? 1 : 2) && !status.is_cleanup;
    if (!is_task || status.attempt.is_reduce != is_reduce) {
      if (!status.attempt.is_reduce && is_task)
        status.place = MapOutputLocation{NodeId{0}, Epoch{1}, "a", "shuffle:1", "/files"};
      continue;
    }
    status.state = TaskAttemptState::failed;
    status.outcome->state = TaskState::failed;
    status.outcome->failure = FailureKind::command_exit;
  }
}

// C-E1-10: all maps of one job fail, and the reduce of the other one.
BOOST_AUTO_TEST_CASE(a_job_whose_tasks_always_fail_never_counts_less_than_nothing) {
  for (const bool fails_reduces : {false, true}) {
    TrackerWorld world;
    auto a = world.add_tracker("a");
    JobRules rules = eager();
    rules.tracker_failures_max = 100;
    world.submit(map_reduce_package(Hosts(2, {"a"}), 1), rules);
    for (int beat = 0; beat < 60 && world.client.count<JobFinished>() == 0; ++beat) {
      fail_kind(a, fails_reduces);
      world.beat(a);
      world.advance(1s);
    }
    BOOST_TEST_REQUIRE(world.client.count<JobFinished>() == 1);
    BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::failed));
    const auto reports = world.client.all<JobProgress>();
    BOOST_TEST(reports.size() > 3U);
    for (const auto& report : reports)
      for (const auto& stage : report.stages) BOOST_TEST((stage.running >= 0 && stage.finished >= 0), stage.name);
  }
}

// C-E1-11: with second attempts and without; and near the data or not.
BOOST_AUTO_TEST_CASE(the_running_attempts_that_a_client_sees_are_those_that_run) {
  for (const bool is_speculative : {false, true})
    for (const std::string data : {"a", "elsewhere"}) {
      TrackerWorld world;
      auto a = world.add_tracker("a");
      auto b = world.add_tracker("b");
      JobRules rules;
      rules.map_speculative = is_speculative;
      world.submit(map_only_package(Hosts(4, {data})), rules);
      set_up(world, a, 1);
      const auto check = [&](std::size_t running) {
        world.advance(1s);
        BOOST_TEST(a.runs.size() + b.runs.size() == running);
        BOOST_TEST(world.client.last<JobProgress>().stages.front().running == static_cast<std::int32_t>(running));
      };
      for (int beat = 0; beat < 2; ++beat) {
        world.beat(a);
        world.beat(b);
      }
      check(4);
      world.advance(61s);
      TrackerWorld::end_all(b, TaskAttemptState::succeeded);
      world.beat(b);
      world.beat(b);
      check(is_speculative ? 3 : 2);
    }
}

// C-E1-14: at most two, seven or any number of tasks, with five maps and a reduce.
BOOST_AUTO_TEST_CASE(a_job_with_too_many_tasks_fails_at_once) {
  for (const std::int32_t most : {2, 7, -1}) {
    JobTrackerSettings settings;
    settings.queue.tasks_of_job_max = most;
    TrackerWorld world{settings};
    auto a = world.add_tracker("a");
    world.submit(map_reduce_package(Hosts(5, {"a"}), 1));
    world.beat(a);
    BOOST_TEST(world.client.count<JobFinished>() == (most == 2 ? 1 : 0), most);
    BOOST_TEST(a.launches.size() == (most == 2 ? 0U : 1U), most);
  }
}

// C-E1-15: setup and cleanup that are killed or lost run again; those that fail, fail the job.
BOOST_AUTO_TEST_CASE(setup_and_cleanup_decide_the_end_of_a_job) {
  enum class Trouble : std::uint8_t { none, killed_setup, killed_cleanup, failed_cleanup };
  for (const auto trouble : {Trouble::none, Trouble::killed_setup, Trouble::killed_cleanup, Trouble::failed_cleanup}) {
    TrackerWorld world;
    auto a = world.add_tracker("a");
    world.submit(map_only_package({{"a"}}));
    bool is_killed = false;
    for (int beat = 0; beat < 12 && world.client.count<JobFinished>() == 0; ++beat) {
      world.beat(a);
      if (a.launches.empty()) continue;
      const auto type = a.launches.back().type;
      const bool is_time = (trouble == Trouble::killed_setup && type == AttemptType::job_setup) ||
                           (trouble == Trouble::killed_cleanup && type == AttemptType::job_cleanup);
      if (is_time && !std::exchange(is_killed, true)) TrackerWorld::end_all(a, TaskAttemptState::killed);
      else if (trouble == Trouble::failed_cleanup && type == AttemptType::job_cleanup)
        TrackerWorld::end_all(a, TaskAttemptState::failed, "no space");
      else TrackerWorld::end_all(a, TaskAttemptState::succeeded);
    }
    BOOST_TEST(is_killed == (trouble == Trouble::killed_setup || trouble == Trouble::killed_cleanup));
    const bool has_failed = trouble == Trouble::failed_cleanup;
    BOOST_TEST((world.client.last<JobFinished>().status == (has_failed ? JobStatus::failed : JobStatus::succeeded)),
               static_cast<int>(trouble));
  }
}

// C-E1-16: with four TaskTrackers two slots are kept free, so the last one gets one map at a time. C-E1-17: with three
// none is.
BOOST_AUTO_TEST_CASE(the_last_slots_fill_one_by_one_if_many_tasks_may_follow) {
  for (const std::size_t count : {4U, 3U}) {
    TrackerWorld world;
    std::vector<FakeTracker> trackers;
    for (std::size_t i = 0; i < count; ++i) trackers.push_back(world.add_tracker("h" + std::to_string(i)));
    world.submit(map_reduce_package(Hosts(500, {"h0", "h1", "h2", "h3"}), 1));
    world.beat(trackers.front());
    TrackerWorld::end_all(trackers.front(), TaskAttemptState::succeeded);
    std::size_t launched = 0;
    for (auto& tracker : trackers) {
      launched = world.beat(tracker).launches.size();
      world.beat(tracker);
    }
    BOOST_TEST(launched == (count == 4U ? 1U : 2U));
  }
}

// C-E1-18: a light load spreads over the TaskTrackers.
BOOST_AUTO_TEST_CASE(a_tracker_gets_its_part_of_the_load) {
  TrackerWorld world;
  std::vector<FakeTracker> trackers;
  for (const std::string host : {"a", "b", "c", "d"}) trackers.push_back(world.add_tracker(host));
  world.submit(map_only_package(Hosts(4, {"a"})));
  world.beat(trackers[0]);
  BOOST_TEST(names(world.succeed(trackers[0])) == "m1.0 ");  // 4 maps of 8 slots: 1 of its 2
}

// C-E1-19, SP-1: 0.2 behind the average, and old enough.
BOOST_AUTO_TEST_CASE(a_slow_map_gets_a_second_attempt) {
  for (const bool is_old : {false, true}) {
    TrackerWorld world;
    auto a = world.add_tracker("a");
    world.submit(map_only_package({{"a"}, {"a"}}));
    set_up(world, a, 1);
    auto b = world.add_tracker("b");
    world.advance(is_old ? 61s : 10s);
    BOOST_TEST_REQUIRE(a.runs.size() == 2U);
    a.runs[0].state = TaskAttemptState::succeeded;
    a.runs[0].outcome = TaskOutcome{};
    a.runs[1].progress = 0.1F;
    world.beat(a);
    BOOST_TEST(names(world.beat(b)) == (is_old ? "m1.1 " : ""));
    if (!is_old) continue;
    BOOST_TEST(b.launches.back().attempt.attempt == 1);
    BOOST_TEST(world.client.last<Notice>().text ==
               "map 1 gets a second attempt, on b: its progress is 10 %, the average 55 % (rule SP-1)");
  }
}

// C-E1-21, JT-5.
BOOST_AUTO_TEST_CASE(heartbeats_come_rarer_in_large_clusters) {
  TrackerWorld world;
  std::int64_t interval = 0;
  for (int number = 1; number <= 50; ++number) {
    auto tracker = world.add_tracker("h" + std::to_string(number));
    interval = tracker.peer->last<HeartbeatResponse>().interval_ms;
    if (number == 10) BOOST_TEST(interval == 300);
  }
  BOOST_TEST(interval == 500);
}

// C-E1-22, JP-8: with four TaskTrackers one is a quarter, so it stays in use.
BOOST_AUTO_TEST_CASE(a_host_is_avoided_while_that_is_fewer_than_a_quarter) {
  for (const std::size_t count : {4U, 5U}) {
    TrackerWorld world;
    std::vector<FakeTracker> trackers;
    for (std::size_t i = 0; i < count; ++i) trackers.push_back(world.add_tracker("h" + std::to_string(i)));
    JobRules rules;
    rules.tracker_failures_max = 1;
    rules.map_attempts_max = 4;
    world.submit(map_only_package(Hosts(40, {"h1"})), rules);
    world.beat(trackers[0]);
    world.succeed(trackers[0]);
    world.beat(trackers[1]);
    TrackerWorld::end_all(trackers[1], TaskAttemptState::failed);
    BOOST_TEST(world.beat(trackers[1]).launches.empty() == (count == 5U), count);
  }
}

}  // namespace
}  // namespace numbered_cases_test
}  // namespace heddle::actors
