// Goal: a job whose file system stays unreachable ends early, with the reason. Method: a fake client and TaskTracker
// around one JobTracker, virtual time.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <string>

#include "actors/job_tracker/job_tracker_settings.hpp"
#include "tests/actors/job_tracker/tracker_world.hpp"

namespace heddle::actors {
namespace job_flow_test {
namespace {

const std::string safe_mode = "cannot write 'hdfs://n/out': Name node is in safe mode";
constexpr std::int32_t cleanup_task = 1;  // of a job with one map

/// A job with one map, whose setup runs. Attempts fail after a wait, because their file system is unreachable.
struct UnreachableWorld : TrackerWorld {
  FakeTracker a = add_tracker("a");

  explicit UnreachableWorld(const JobPackage& package = tests::map_only_package({{"a"}}), const JobRules& rules = {}) {
    submit(package, rules);
    beat(a);
  }
  HeartbeatResponse fail_after(std::chrono::minutes wait) {
    pass(wait);
    return fail(wait);
  }
  void pass(std::chrono::minutes time) {
    for (auto passed = 0min; passed < time; ++passed) {
      advance(1min);
      beat(a);
    }
  }
  HeartbeatResponse fail(Duration run_time) {
    end_all(a, TaskAttemptState::failed, safe_mode);
    for (auto& status : a.runs) {
      status.outcome->failure = FailureKind::unreachable;
      status.outcome->run_us = run_time.count();
    }
    return beat(a);
  }
  /// Attempts are killed until the job cleanup runs.
  void kill_until_cleanup() {
    for (int beats = 0; beats < 5 && !runs_cleanup(); ++beats) {
      end_all(a, TaskAttemptState::killed);
      beat(a);
    }
    BOOST_TEST_REQUIRE(runs_cleanup());
  }
  [[nodiscard]] bool runs_cleanup() const { return a.runs.size() == 1U && a.runs.front().attempt.task == cleanup_task; }
  [[nodiscard]] std::int64_t launched(AttemptType type) const {
    return std::count_if(a.launches.begin(), a.launches.end(), [type](const auto& each) { return each.type == type; });
  }
  void check_end(const std::string& text) {
    BOOST_TEST_REQUIRE(client.count<JobFinished>() == 1);
    const auto end = client.last<JobFinished>();
    BOOST_TEST((end.status == JobStatus::failed));
    BOOST_TEST((end.failure == FailureKind::unreachable));
    BOOST_TEST(end.text == text);
  }
};

BOOST_AUTO_TEST_CASE(a_file_system_that_stays_unreachable_for_minutes_ends_the_job_with_the_second_attempt) {
  UnreachableWorld world;
  world.succeed(world.a);
  world.fail_after(10min);
  BOOST_TEST(world.launched(AttemptType::map) == 2);
  world.fail_after(5min);
  world.kill_until_cleanup();
  BOOST_TEST(!world.a.launches.back().output.is_commit);
  world.succeed(world.a);
  world.check_end("stage 'map': the file system of task 0 stays unreachable; last on a: " + safe_mode);
}

BOOST_AUTO_TEST_CASE(the_cleanup_of_a_job_that_waited_for_its_file_system_has_one_attempt) {
  UnreachableWorld world;
  world.succeed(world.a);
  world.fail_after(10min);
  world.fail_after(5min);
  world.kill_until_cleanup();
  world.fail_after(1min);
  world.check_end("stage 'map': the file system of task 0 stays unreachable; last on a: " + safe_mode);
  BOOST_TEST(world.launched(AttemptType::job_cleanup) == 1);
}

BOOST_AUTO_TEST_CASE(a_setup_and_a_commit_whose_file_system_stays_unreachable_have_two_attempts) {
  UnreachableWorld in_setup;
  in_setup.fail_after(10min);
  in_setup.fail_after(10min);
  in_setup.kill_until_cleanup();
  in_setup.succeed(in_setup.a);
  in_setup.check_end("the output could not be set up: " + safe_mode);
  UnreachableWorld in_commit;
  in_commit.succeed(in_commit.a);
  in_commit.succeed(in_commit.a);
  BOOST_TEST(in_commit.a.launches.back().output.is_commit);
  in_commit.fail_after(10min);
  in_commit.fail_after(10min);
  in_commit.check_end("the output could not be committed: " + safe_mode);
  BOOST_TEST(in_commit.launched(AttemptType::job_cleanup) == 2);
}

BOOST_AUTO_TEST_CASE(the_time_that_an_attempt_waits_for_a_slot_is_no_wait_for_its_file_system) {
  UnreachableWorld world;
  world.succeed(world.a);
  for (int failures = 0; failures < 3; ++failures) {
    BOOST_TEST(world.launched(AttemptType::map) == failures + 1);
    world.pass(6min);
    world.fail(1s);
  }
  BOOST_TEST(world.launched(AttemptType::map) == 4);
  BOOST_TEST(world.launched(AttemptType::job_cleanup) == 0);
}

BOOST_AUTO_TEST_CASE(a_failure_after_a_success_whose_output_was_lost_costs_one_attempt) {
  UnreachableWorld world{tests::map_reduce_package({{"a"}}, 1)};
  world.succeed(world.a);
  world.fail_after(6min);
  world.succeed(world.a);  // the second attempt of the map; the reduce follows
  world.pass(6min);
  for (int notice = 0; notice < 3; ++notice) {
    world.a.failed_fetches = {{JobId{1}, false, 0, 1}};
    world.beat(world.a);
  }
  world.beat(world.a);
  BOOST_TEST_REQUIRE(world.launched(AttemptType::map) == 3);
  world.fail(1s);
  BOOST_TEST(world.beat(world.a).kills.empty());
  BOOST_TEST(world.launched(AttemptType::map) == 4);
}

BOOST_AUTO_TEST_CASE(a_job_that_tolerates_failed_maps_gives_one_up_after_all_its_attempts) {
  JobRules rules;
  rules.map_failures_percent = 100;
  UnreachableWorld world{tests::map_only_package({{"a"}}), rules};
  world.succeed(world.a);
  for (int failures = 0; failures < 4; ++failures) world.fail_after(10min);
  world.kill_until_cleanup();
  BOOST_TEST(world.launched(AttemptType::map) == 4);
  BOOST_TEST(world.a.launches.back().output.is_commit);
}

BOOST_AUTO_TEST_CASE(failures_within_five_minutes_cost_one_attempt_each) {
  UnreachableWorld world;
  world.succeed(world.a);
  for (int failures = 0; failures < 4; ++failures) world.fail_after(1min);
  BOOST_TEST(world.launched(AttemptType::map) == 4);
  world.kill_until_cleanup();
  world.succeed(world.a);
  world.check_end("stage 'map': task 0 failed 4 times; last on a: " + safe_mode);
}

}  // namespace
}  // namespace job_flow_test
}  // namespace heddle::actors
