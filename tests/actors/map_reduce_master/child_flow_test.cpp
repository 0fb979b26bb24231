// Goal: a MapReduceMaster takes reports of children that no attempt of its job can send, and goes on. Method: fake
// parties in virtual time.
#include <limits>

#include "tests/actors/map_reduce_master/master_world.hpp"

namespace heddle::actors {
namespace child_flow_test {
namespace {

constexpr std::int32_t reduce_priority = 10;

/// All maps of a job have ended; its reduces run in the containers from 21 on.
void run_reduces(MasterWorld& world, std::int32_t maps, std::int32_t reduces) {
  world.begin_with_reduces(maps, reduces);
  std::vector<std::int64_t> containers;
  for (std::int32_t map = 0; map < maps; ++map) containers.push_back(11 + map);
  world.give(containers);
  for (std::int32_t map = 0; map < maps; ++map) {
    world.run(11 + map);
    world.finish_map(11 + map, MasterWorld::attempt(map));
  }
  world.say(world.cluster, world.master, AllocationAvailable{});
  std::vector<GrantedContainer> grants;
  for (std::int32_t reduce = 0; reduce < reduces; ++reduce)
    grants.push_back(MasterWorld::grant(21 + reduce, reduce_priority));
  world.respond(std::move(grants));
  for (std::int32_t reduce = 0; reduce < reduces; ++reduce) world.run(21 + reduce);
}

BOOST_AUTO_TEST_CASE(notices_about_maps_that_never_ran_are_ignored) {  // JB-5
  MasterWorld world;
  run_reduces(world, 1, 1);
  const TaskAttemptId foreign{JobId{2}, false, 0, 0};
  for (const auto& map : {MasterWorld::attempt(0, 7), MasterWorld::attempt(-1), foreign})
    for (int notice = 0; notice < 3; ++notice)
      world.say(world.child(21), world.master, FetchFailed{21, MasterWorld::reduce(0), map});
  BOOST_TEST(world.events().count("map_output_unfetched") == 0);
  world.done(21, MasterWorld::reduce(0));
  const auto end = world.client.last<JobFinished>();
  BOOST_TEST((end.status == JobStatus::succeeded), end.text);
}

BOOST_AUTO_TEST_CASE(a_progress_that_is_no_share_counts_as_none) {
  for (const float progress : {7.0F, std::numeric_limits<float>::quiet_NaN()}) {
    MasterWorld world;
    world.begin(3);
    world.give({11, 12, 13});
    for (const std::int64_t container : {11, 12, 13}) world.run(container);
    world.pass_seconds(10);
    for (const std::int32_t map : {0, 1}) {
      world.done(11 + map, MasterWorld::attempt(map));
      world.end_container(11 + map);
    }
    for (int second = 0; second < 60 && world.events().count("map_reduce_speculated") == 0; ++second) {
      world.say(world.child(13), world.master, AttemptProgress{13, MasterWorld::attempt(2), progress});
      world.pass_seconds(1);
    }
    BOOST_TEST_REQUIRE(world.events().count("map_reduce_speculated") == 1U);
    const auto notice = world.client.last<Notice>().text;
    BOOST_TEST(notice.find("and the first one, at 0 %, ") != std::string::npos, notice);
  }
}

/// The attempt fails after it has run for so many seconds, because its file system is unreachable.
void fail(MasterWorld& world, std::int64_t container, const TaskAttemptId& attempt, int seconds) {
  TaskOutcome outcome;
  outcome.state = TaskState::failed;
  outcome.failure = FailureKind::unreachable;
  outcome.text = "Name node is in safe mode";
  outcome.run_us = Duration{std::chrono::seconds{seconds}}.count();
  world.say(world.child(container), world.master, AttemptFailed{container, attempt, outcome});
  world.end_container(container);
  world.advance(1s);
}

/// The next attempt of the only map runs for so many seconds, and fails because its file system is unreachable.
void fail_after(MasterWorld& world, std::int32_t number, int seconds) {
  const std::int64_t container = 11 + number;
  const auto attempt = MasterWorld::attempt(0, number);
  if (number == 0) world.give({container});
  else world.respond({MasterWorld::grant(container)});
  world.run(container);
  world.pass_seconds(seconds, container, attempt);
  fail(world, container, attempt, seconds);
}

BOOST_AUTO_TEST_CASE(a_file_system_that_stays_unreachable_for_minutes_ends_the_job_with_the_second_attempt) {
  MasterWorld world;
  world.begin(1);
  fail_after(world, 0, 10);
  BOOST_TEST(world.client.count<JobFinished>() == 0);
  fail_after(world, 1, 300);
  BOOST_TEST_REQUIRE(world.client.count<JobFinished>() == 1);
  const auto end = world.client.last<JobFinished>();
  BOOST_TEST((end.status == JobStatus::failed));
  BOOST_TEST((end.failure == FailureKind::unreachable));
  BOOST_TEST(end.text ==
             "stage 'map': the file system of task 0 stays unreachable; last on a: Name node is in safe mode");
  BOOST_TEST(world.commit.calls.back() == "abort");
}

BOOST_AUTO_TEST_CASE(a_file_system_that_is_unreachable_for_a_moment_costs_one_attempt_each_time) {
  MasterWorld world;
  world.begin(1);
  for (std::int32_t number = 0; number < 4; ++number) {
    BOOST_TEST(world.client.count<JobFinished>() == 0);
    fail_after(world, number, 10);
  }
  BOOST_TEST_REQUIRE(world.client.count<JobFinished>() == 1);
  BOOST_TEST(world.client.last<JobFinished>().text ==
             "stage 'map': task 0 failed 4 times; last on a: Name node is in safe mode");
}

BOOST_AUTO_TEST_CASE(the_time_that_an_attempt_waits_for_a_container_is_no_wait_for_its_file_system) {
  MasterWorld world;
  world.begin(1);
  for (std::int32_t number = 0; number < 3; ++number) {
    fail_after(world, number, 10);
    BOOST_TEST(world.client.count<JobFinished>() == 0);
    world.pass_seconds(360);
    world.advance(1s);
  }
}

BOOST_AUTO_TEST_CASE(a_failure_after_a_success_whose_output_was_lost_costs_one_attempt) {
  MasterWorld world;
  world.begin_with_reduces(1, 1);
  fail_after(world, 0, 360);
  world.respond({MasterWorld::grant(12)});
  world.run(12);
  world.finish_map(12, MasterWorld::attempt(0, 1));
  world.say(world.cluster, world.master, AllocationAvailable{});
  world.respond({MasterWorld::grant(21, reduce_priority)});
  auto& reduce = world.run(21);
  world.pass_seconds(360, 21, MasterWorld::reduce(0));
  for (int notice = 0; notice < 3; ++notice)
    world.say(reduce, world.master, FetchFailed{21, MasterWorld::reduce(0), MasterWorld::attempt(0, 1)});
  world.say(world.cluster, world.master, AllocationAvailable{});
  world.respond({MasterWorld::grant(13, 5)});
  BOOST_TEST_REQUIRE((world.run(13).last<RunAttempt>().launch.attempt == MasterWorld::attempt(0, 2)));
  fail(world, 13, MasterWorld::attempt(0, 2), 1);
  world.respond({MasterWorld::grant(14, 5)});
  world.run(14);
  world.finish_map(14, MasterWorld::attempt(0, 3));
  world.done(21, MasterWorld::reduce(0));
  BOOST_TEST_REQUIRE(world.client.count<JobFinished>() == 1);
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded), world.client.last<JobFinished>().text);
}

BOOST_AUTO_TEST_CASE(a_job_that_tolerates_failed_maps_gives_one_up_after_all_its_attempts) {
  MapReduceMasterStart start;
  start.machines.job.map_failures_percent = 100;
  MasterWorld world{start};
  world.begin(1);
  for (std::int32_t number = 0; number < 4; ++number) {
    BOOST_TEST(world.client.count<JobFinished>() == 0);
    fail_after(world, number, 300);
  }
  BOOST_TEST_REQUIRE(world.client.count<JobFinished>() == 1);
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded), world.client.last<JobFinished>().text);
}

}  // namespace
}  // namespace child_flow_test
}  // namespace heddle::actors
