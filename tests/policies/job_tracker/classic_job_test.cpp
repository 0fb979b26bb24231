// Goal: a job ends once, and for the right reason, whatever late reports about its tasks arrive. Method: one job on
// three trackers; the test names the reports of each heartbeat.
#include "policies/job_tracker/classic_job.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>
#include <variant>
#include <vector>

#include "policies/job_tracker/job_queue_scheduler.hpp"

namespace heddle::policies {
namespace classic_job_test {
namespace {

using Launches = std::vector<ClassicLaunch>;

struct World {
  JobQueueScheduler scheduler;
  Instant now{};

  explicit World(const ClassicJobDescription& job) : scheduler{{.keeps_unread_outputs = true}} {
    for (const std::string name : {"t1", "t2", "t3"}) scheduler.on_tracker(now, name, "host_of_" + name, "/r", 2, 1);
    scheduler.on_job(now, job);
  }
  Launches beat(const std::string& tracker, std::vector<AttemptReport> reports = {}) {
    auto orders = scheduler.on_heartbeat(now, {tracker, std::move(reports), true});
    scheduler.check_invariants();
    return orders.launches;
  }
  [[nodiscard]] const ClassicJob& job() const { return scheduler.jobs().at(JobId{0}); }
  /// Effects of one kind since the last call, which drops all others.
  template <class Effect>
  std::vector<Effect> take() {
    std::vector<Effect> found;
    for (const auto& each : scheduler.take_effects())
      if (const auto* effect = std::get_if<Effect>(&each)) found.push_back(*effect);
    return found;
  }
};

AttemptReport report(const TaskAttemptId& attempt, TaskAttemptState state) { return {attempt, state}; }
AttemptReport success(const TaskAttemptId& attempt) { return {attempt, TaskAttemptState::succeeded, 1, 10}; }
TaskAttemptId map(std::int32_t task, std::int32_t attempt = 0) { return {JobId{0}, false, task, attempt}; }
TaskAttemptId reduce(std::int32_t task, std::int32_t attempt = 0) { return {JobId{0}, true, task, attempt}; }

bool has(const Launches& launches, const TaskAttemptId& attempt) {
  return std::any_of(launches.begin(), launches.end(), [&](const auto& each) { return each.attempt == attempt; });
}
bool has(const Launches& launches, AttemptType type) {
  return std::any_of(launches.begin(), launches.end(), [&](const auto& each) { return each.type == type; });
}

/// A task fails with its first failed attempt, half of them may fail, and each running one gets a copy.
ClassicJobDescription tolerant_job(std::int32_t maps, std::int32_t reduces) {
  ClassicJobDescription job;
  job.job = JobId{0};
  job.splits.resize(static_cast<std::size_t>(maps));
  job.reduces = reduces;
  job.map_attempts_max = job.reduce_attempts_max = 1;
  job.map_failures_percent = job.reduce_failures_percent = 50;
  job.speculative_gap = 0;
  job.speculative_lag = Duration{0};
  job.tracker_failures_max = 100;
  return job;
}

/// The job is set up; t1 and t2 run its two maps, and t3 a copy of map 0.
void run_maps(World& world) {
  const auto setup = world.beat("t1");
  BOOST_TEST_REQUIRE(has(setup, AttemptType::job_setup));
  BOOST_TEST_REQUIRE(has(world.beat("t1", {success(setup.front().attempt)}), map(0)));
  BOOST_TEST_REQUIRE(has(world.beat("t2"), map(1)));
  BOOST_TEST_REQUIRE(has(world.beat("t3"), map(0, 1)));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(classic_job)

BOOST_AUTO_TEST_CASE(a_map_that_succeeds_after_it_has_failed_for_good_counts_once) {  // JS-2, JS-3
  World world{tolerant_job(2, 0)};
  run_maps(world);
  world.beat("t1", {report(map(0), TaskAttemptState::failed)});
  BOOST_TEST(world.job().counts(false).failed == 1);
  const auto launches = world.beat("t3", {success(map(0, 1))});
  BOOST_TEST(world.job().counts(false).finished == 1);
  BOOST_TEST(world.job().counts(false).failed == 0);
  BOOST_TEST(!has(launches, AttemptType::job_cleanup));  // map 1 runs
  BOOST_TEST(has(world.beat("t2", {success(map(1))}), AttemptType::job_cleanup));
}

BOOST_AUTO_TEST_CASE(a_map_has_failed_again_when_its_late_success_is_lost) {
  World world{tolerant_job(2, 1)};
  run_maps(world);
  world.beat("t1", {report(map(0), TaskAttemptState::failed)});
  world.beat("t3", {success(map(0, 1))});
  world.take<TaskGivenUp>();
  world.scheduler.on_tracker_lost(world.now, "t3");
  BOOST_TEST(world.job().counts(false).finished == 0);
  BOOST_TEST(world.job().counts(false).failed == 1);
  BOOST_TEST(world.take<TaskGivenUp>().size() == 1U);  // reduces wait for it no longer
  BOOST_TEST((world.job().state() == JobRunState::running));
}

BOOST_AUTO_TEST_CASE(attempts_of_a_removed_job_use_no_slot) {
  World world{tolerant_job(2, 0)};
  run_maps(world);
  world.scheduler.on_fail_job(world.now, JobId{0}, true);
  world.scheduler.remove_job(JobId{0});
  for (const auto& [index, tracker] : world.scheduler.cluster().trackers()) BOOST_TEST(tracker.runs.empty());
}

/// Map 0 ran on t1, the reduce on t2, where the cleanup that commits runs.
void run_to_commit(World& world) {
  const auto setup = world.beat("t1");
  BOOST_TEST_REQUIRE(has(world.beat("t1", {success(setup.front().attempt)}), map(0)));
  static_cast<void>(world.scheduler.on_heartbeat(world.now, {"t1", {success(map(0))}, false}));
  BOOST_TEST_REQUIRE(has(world.beat("t2"), reduce(0)));
  const auto cleanup = world.beat("t2", {success(reduce(0))});
  BOOST_TEST_REQUIRE(has(cleanup, AttemptType::job_cleanup));
  BOOST_TEST(cleanup.front().is_commit);
}

ClassicJobDescription one_map_and_one_reduce() {
  auto job = tolerant_job(1, 1);
  job.map_failures_percent = job.reduce_failures_percent = 0;
  job.map_speculative = job.reduce_speculative = false;
  return job;
}

BOOST_AUTO_TEST_CASE(maps_whose_output_no_reduce_reads_any_more_do_not_run_again) {  // JS-5, JS-6
  for (const bool is_tracker_lost : {false, true}) {
    World world{one_map_and_one_reduce()};
    run_to_commit(world);
    if (is_tracker_lost) world.scheduler.on_tracker_lost(world.now, "t1");
    else world.scheduler.on_map_output_lost(world.now, map(0));
    BOOST_TEST(world.job().counts(false).finished == 1);
    BOOST_TEST(world.take<TaskGivenUp>().empty());
    BOOST_TEST(world.beat("t3").empty());
  }
}

BOOST_AUTO_TEST_CASE(a_running_copy_of_a_finished_map_ends_with_its_tracker) {
  World world{tolerant_job(1, 1)};
  const auto setup = world.beat("t1");
  BOOST_TEST_REQUIRE(has(world.beat("t1", {success(setup.front().attempt)}), map(0)));
  BOOST_TEST_REQUIRE(has(world.beat("t2"), map(0, 1)));
  BOOST_TEST_REQUIRE(has(world.beat("t2", {success(map(0, 1))}), reduce(0)));
  world.beat("t2", {success(reduce(0))});
  BOOST_TEST(world.job().counts(false).running == 1);
  world.take<AttemptEnded>();
  world.scheduler.on_tracker_lost(world.now, "t1");
  BOOST_TEST(world.job().counts(false).running == 0);
  const auto ended = world.take<AttemptEnded>();
  BOOST_TEST_REQUIRE(ended.size() == 1U);
  BOOST_TEST((ended.front().attempt == map(0)));
  BOOST_TEST(world.job().counts(false).finished == 1);
}

BOOST_AUTO_TEST_CASE(a_task_that_fails_during_the_commit_does_not_fail_its_job) {
  World world{one_map_and_one_reduce()};
  run_to_commit(world);
  world.take<TaskGivenUp>();
  world.beat("t1", {report(map(0), TaskAttemptState::failed)});
  const auto given_up = world.take<TaskGivenUp>();
  BOOST_TEST_REQUIRE(given_up.size() == 1U);
  BOOST_TEST(!given_up.front().fails_job);
  world.beat("t2", {report({JobId{0}, false, 1, 0}, TaskAttemptState::succeeded)});
  BOOST_TEST((world.job().state() == JobRunState::succeeded));
}

BOOST_AUTO_TEST_CASE(a_job_whose_commit_runs_does_not_fail_because_of_the_input_of_its_reduces) {  // RE-5
  auto description = one_map_and_one_reduce();
  description.slow_start = 0;
  description.reduce_input_limit = 5;
  World world{description};
  const auto setup = world.beat("t1");
  const auto tasks = world.beat("t1", {report(setup.front().attempt, TaskAttemptState::succeeded)});
  BOOST_TEST_REQUIRE(has(tasks, map(0)));
  BOOST_TEST_REQUIRE(has(tasks, reduce(0)));
  const auto commit = world.beat("t1", {success(map(0)), success(reduce(0))});
  BOOST_TEST_REQUIRE(has(commit, AttemptType::job_cleanup));
  description.job = JobId{1};
  world.scheduler.on_job(world.now, description);
  const auto other = world.beat("t2");
  BOOST_TEST_REQUIRE(has(other, AttemptType::job_setup));
  const auto more = world.beat("t2", {report(other.front().attempt, TaskAttemptState::succeeded)});
  BOOST_TEST(has(more, AttemptType::reduce));  // of the other job
  world.beat("t1", {report(commit.front().attempt, TaskAttemptState::succeeded)});
  BOOST_TEST((world.job().state() == JobRunState::succeeded));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace classic_job_test
}  // namespace heddle::policies
