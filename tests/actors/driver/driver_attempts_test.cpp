// Goal: messages and executors of a former application attempt do not disturb its successor, and their losses do not
// count as failures. Method: client mode: allocators of two attempts at one Driver; cluster mode: a Driver that gets
// the job of a former one.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>

#include "tests/actors/driver/driver_world.hpp"

namespace heddle::actors {
namespace driver_attempts_test {
namespace {

using namespace std::chrono_literals;

RegisterYarnAllocator allocator_of(std::int32_t attempt) { return {AttemptId{{1, 1}, attempt}}; }

StageDescription written_stage() {
  auto stage = own_tasks("s", 1);
  stage.output = TextOutput{"/out", {}, {}, {}, {}, {}, {}};
  return stage;
}

BOOST_AUTO_TEST_CASE(executors_of_the_former_allocator_are_lost_when_the_next_one_registers) {
  DriverWorld world;
  world.settings.task_scheduler.max_failures = 1;
  world.start();
  world.say(world.allocator, world.driver, allocator_of(1));
  auto& former = world.executor(1, 1);
  world.submit({own_tasks("s", 1)});
  BOOST_REQUIRE(DriverWorld::tasks_on(former) == 1);
  auto& next = world.peer("next allocator");
  world.say(next, world.driver, allocator_of(2));
  BOOST_TEST(former.count<StopExecutor>() == 1);
  BOOST_TEST(next.last<RequestExecutors>().target_total() == 2);
  auto& fresh = world.executor(100'001, 1);
  BOOST_TEST(DriverWorld::tasks_on(fresh) == 1);
  BOOST_TEST(world.client.count<JobFinished>() == 0);  // the loss does not count as a failure of the task
}

BOOST_AUTO_TEST_CASE(a_task_whose_output_breaks_runs_again_three_times_without_a_counted_failure) {
  DriverWorld world;
  world.settings.task_scheduler.max_failures = 1;
  world.start();
  auto& executor = world.executor(1, 1);
  world.submit({own_tasks("s", 1)});
  auto broken = failure("cannot write 'hdfs://n/out/part-00000': all DataNodes of the write pipeline are gone");
  broken.failure = FailureKind::output_interrupted;
  for (std::size_t attempt = 0; attempt < 4; ++attempt) {
    BOOST_TEST(world.client.count<JobFinished>() == 0);
    BOOST_REQUIRE(DriverWorld::launched(executor).size() == attempt + 1);
    world.report(executor, 1, DriverWorld::launched(executor).back(), broken);
  }
  BOOST_REQUIRE(world.client.count<JobFinished>() == 1);
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::failed));
  BOOST_TEST(world.client.last<JobFinished>().text.find("write pipeline") != std::string::npos);
}

/// A world with one executor of two cores. Its tasks fail, because their file system is unreachable, after a wait.
struct UnreachableWorld : DriverWorld {
  /// `keeps_outputs`: map outputs outlive their executor.
  explicit UnreachableWorld(bool keeps_outputs = true) {
    settings.task_scheduler.shuffle_service = settings.stage_scheduler.shuffle_service = keeps_outputs;
    start();
    say(allocator, driver, allocator_of(1));
    executor(1, 2);
    cause = failure("cannot write 'hdfs://n/out/part-00000': Name node is in safe mode");
    cause.failure = FailureKind::unreachable;
  }
  /// The first of the tasks that were launched last fails.
  void fail_after(std::chrono::minutes wait) { fail_after(wait, launched(peer("executor-1")).back()); }
  void fail_after(std::chrono::minutes wait, const TaskRange& range) {
    pass(wait);
    fail(range, wait);
  }
  void pass(std::chrono::minutes time) {
    for (auto passed = 0min; passed < time; ++passed) {
      advance(1min);
      send_heartbeat(1);
    }
  }
  /// The first task of the range fails.
  void fail(TaskRange range, Duration run_time, std::int64_t executor = 1) {
    range.count = 1;
    cause.run_us = run_time.count();
    report(peer("executor-" + std::to_string(executor)), executor, range, cause);
  }
  TaskOutcome cause;
};

// Each attempt waits for up to ten minutes.
BOOST_AUTO_TEST_CASE(a_file_system_that_stays_unreachable_for_minutes_ends_the_job_with_the_second_attempt) {
  UnreachableWorld world;
  world.submit({own_tasks("s", 1)});
  world.fail_after(10min);
  BOOST_TEST(world.client.count<JobFinished>() == 0);
  world.fail_after(5min);
  BOOST_REQUIRE(world.client.count<JobFinished>() == 1);
  const auto end = world.client.last<JobFinished>();
  BOOST_TEST((end.status == JobStatus::failed));
  BOOST_TEST((end.failure == FailureKind::unreachable));
  BOOST_TEST(end.text == "stage 's': the file system of task 0 stays unreachable; last on h1: " + world.cause.text);
  BOOST_TEST(DriverWorld::launched(world.peer("executor-1")).size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_file_system_that_one_attempt_cannot_reach_costs_one_attempt) {
  UnreachableWorld world;
  world.submit({own_tasks("s", 1)});
  for (std::size_t attempt = 0; attempt < 4; ++attempt) {
    BOOST_TEST(world.client.count<JobFinished>() == 0);
    BOOST_REQUIRE(DriverWorld::launched(world.peer("executor-1")).size() == attempt + 1);
    world.fail_after(1min);
  }
  BOOST_REQUIRE(world.client.count<JobFinished>() == 1);
  BOOST_TEST(world.client.last<JobFinished>().text.starts_with("stage 's': task 0 failed 4 times; last on h1: "));
}

BOOST_AUTO_TEST_CASE(a_failure_minutes_after_that_of_another_task_costs_one_attempt) {
  UnreachableWorld world;
  world.submit({own_tasks("s", 2)});
  auto& runs = world.peer("executor-1");
  auto range = DriverWorld::launched(runs).at(0);
  BOOST_REQUIRE(DriverWorld::tasks_on(runs) == 2);
  world.fail_after(1min, range);
  world.report(runs, 1, DriverWorld::launched(runs).back(), {});
  ++range.first_index;
  world.fail_after(6min, range);
  BOOST_TEST(world.client.count<JobFinished>() == 0);
  BOOST_TEST(DriverWorld::tasks_on(runs) == 4);
}

BOOST_AUTO_TEST_CASE(the_time_that_an_attempt_waits_for_a_slot_is_no_wait_for_its_file_system) {
  UnreachableWorld world;
  world.submit({own_tasks("s", 1)});
  for (std::size_t attempt = 0; attempt < 3; ++attempt) {
    BOOST_REQUIRE(DriverWorld::launched(world.peer("executor-1")).size() == attempt + 1);
    world.pass(6min);
    world.fail(DriverWorld::launched(world.peer("executor-1")).back(), 1s);
    BOOST_TEST(world.client.count<JobFinished>() == 0);
  }
}

BOOST_AUTO_TEST_CASE(a_failure_after_a_success_whose_output_was_lost_costs_one_attempt) {
  UnreachableWorld world{false};
  world.submit({own_tasks("map", 2), after("reduce", 0, 1)});
  auto& first = world.peer("executor-1");
  world.fail_after(6min, DriverWorld::launched(first).at(0));
  const auto again = DriverWorld::launched(first).back();
  BOOST_REQUIRE(again.attempt == 1);
  TaskOutcome done;
  done.partition_bytes = {10};
  world.report(first, 1, again, done);
  world.pass(6min);
  world.say(world.allocator, world.driver, RemoveExecutor{ExecutorId{1}, {{LossKind::node_lost, false}, {1, "gone"}}});
  auto& second = world.executor(2, 2);
  const auto launched = DriverWorld::launched(second);
  const auto lost = std::find_if(launched.begin(), launched.end(),
                                 [&](const TaskRange& range) { return range.first_index == again.first_index; });
  BOOST_REQUIRE(lost != launched.end());
  BOOST_TEST(lost->attempt == 2);
  world.fail(*lost, 1s, 2);
  BOOST_TEST(world.client.count<JobFinished>() == 0);
  BOOST_TEST(DriverWorld::launched(second).back().attempt == 3);
}

BOOST_AUTO_TEST_CASE(a_map_that_may_fail_is_given_up_after_all_its_attempts_although_its_files_stay_unreachable) {
  for (const std::int32_t percent : {0, 100}) {
    UnreachableWorld world;
    auto map = own_tasks("map", 1);
    map.map_reduce.emplace().failed_maps_percent = percent;
    world.submit({map});
    world.fail_after(10min);
    world.fail_after(10min);
    BOOST_TEST(world.client.count<JobFinished>() == (percent == 0 ? 1U : 0U));
  }
}

BOOST_AUTO_TEST_CASE(finished_map_outputs_outlive_the_allocator) {
  DriverWorld world;
  world.start();
  world.say(world.allocator, world.driver, allocator_of(1));
  auto& former = world.executor(1, 1);
  world.submit({own_tasks("map", 1), after("reduce", 0, 1)});
  TaskOutcome done;
  done.partition_bytes = {10};
  world.report(former, 1, DriverWorld::launched(former).at(0), done);
  world.say(world.peer("next allocator"), world.driver, allocator_of(2));
  auto& fresh = world.executor(100'001, 1);
  BOOST_TEST(DriverWorld::tasks_on(fresh) == 1);
  BOOST_TEST(fresh.last<LoadStage>().work.name == "reduce");
}

BOOST_AUTO_TEST_CASE(an_impossible_application_attempt_does_not_raise_the_limit_of_executor_ids) {
  DriverWorld world;
  world.start();
  world.say(world.allocator, world.driver, allocator_of(1));
  auto& stranger = world.peer("stranger");
  world.say(stranger, world.driver, allocator_of(20'000));
  BOOST_TEST(world.events().count("allocator_refused") == 1);
  BOOST_TEST(stranger.count<RequestExecutors>() == 0);
  BOOST_TEST(!stranger.last<StopAllocator>().succeeded);
  BOOST_TEST(stranger.last<StopAllocator>().text ==
             "the driver refuses the executors of attempt 20000 of the application: attempt 1 is the last one that it "
             "knows, and at most 4 attempts in a row may end before they reach it; see why those attempts ended in "
             "their logs, and start the application again");
  auto& far = world.executor(1'999'900'001, 1);
  BOOST_TEST(far.count<RegisteredExecutor>() == 0);
  BOOST_TEST(far.count<StopExecutor>() == 1);
  BOOST_TEST(world.executor(1, 1).count<RegisteredExecutor>() == 1);
}

BOOST_AUTO_TEST_CASE(a_late_executor_of_the_former_allocator_is_stopped) {
  DriverWorld world;
  world.start();
  world.say(world.allocator, world.driver, allocator_of(2));
  auto& late = world.executor(7, 1);
  BOOST_TEST(late.count<RegisteredExecutor>() == 0);
  BOOST_TEST(late.count<StopExecutor>() == 1);
}

BOOST_AUTO_TEST_CASE(messages_of_the_former_allocator_are_stale) {
  DriverWorld world;
  world.start();
  world.say(world.allocator, world.driver, allocator_of(1));
  world.say(world.peer("next allocator"), world.driver, allocator_of(2));
  auto& executor = world.executor(100'001, 1);
  world.submit({own_tasks("s", 2)});
  world.say(world.allocator, world.driver,
            RemoveExecutor{ExecutorId{100'001}, {{LossKind::exited, true}, {1, "late"}}});
  world.say(world.allocator, world.driver, AllocationFailed{"late"});
  world.say(world.allocator, world.driver, allocator_of(1));
  BOOST_TEST(world.client.count<JobFinished>() == 0);
  world.report(executor, 100'001, DriverWorld::launched(executor).at(0), {});
  BOOST_TEST(DriverWorld::tasks_on(executor) == 2);
}

BOOST_AUTO_TEST_CASE(the_client_fails_all_jobs_although_an_allocator_is_connected) {
  DriverWorld world;
  world.start();
  world.say(world.allocator, world.driver, allocator_of(1));
  world.submit({own_tasks("s", 2)});
  world.say(world.client, world.driver, FailJobs{"the ResourceManager was lost"});
  BOOST_TEST_REQUIRE(world.client.count<JobFinished>() == 1);
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::failed));
  BOOST_TEST(world.client.last<JobFinished>().text == "the ResourceManager was lost");
}

BOOST_AUTO_TEST_CASE(without_an_allocator_a_disconnected_executor_is_lost_at_once) {
  DriverWorld world;
  world.settings.task_scheduler.max_failures = 1;
  world.start();
  world.say(world.allocator, world.driver, allocator_of(1));
  auto& first = world.executor(1, 1);
  auto& second = world.executor(2, 1);
  world.submit({own_tasks("s", 2)});
  world.kill(first);
  world.kill(world.allocator);
  world.advance(Duration{0});
  world.report(second, 2, DriverWorld::launched(second).at(0), {});
  BOOST_TEST(DriverWorld::tasks_on(second) == 2);
  BOOST_TEST(world.client.count<JobFinished>() == 0);
}

BOOST_AUTO_TEST_CASE(a_job_of_a_former_driver_restarts_if_its_commit_was_not_decided) {
  DriverWorld world;
  world.settings.application_attempt = 2;
  world.start();
  auto& executor = world.executor(100'001, 1);
  world.submit({written_stage()}, "", 1);
  BOOST_TEST(world.commit.recovered_by == 2);
  BOOST_TEST(DriverWorld::tasks_on(executor) == 1);
  BOOST_TEST(executor.last<LoadStage>().work.application_attempt == 2);
}

BOOST_AUTO_TEST_CASE(a_commit_decided_by_a_former_driver_completes_the_job) {
  DriverWorld world;
  world.commit.found = ports::CommitState::committed;
  world.settings.application_attempt = 2;
  world.start();
  auto& executor = world.executor(100'001, 1);
  world.submit({written_stage()}, "", 1);
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
  BOOST_TEST(world.client.count<Notice>() == 1);
  BOOST_TEST(DriverWorld::launched(executor).empty());
  BOOST_TEST(world.commit.outputs.empty());
}

}  // namespace
}  // namespace driver_attempts_test
}  // namespace heddle::actors
