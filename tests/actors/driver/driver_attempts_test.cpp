// Goal: messages and executors of a former application attempt do not disturb its successor, and their losses do not
// count as failures. Method: client mode: allocators of two attempts at one Driver; cluster mode: a Driver that gets
// the job of a former one.
#include <boost/test/unit_test.hpp>

#include "tests/actors/driver/driver_world.hpp"

namespace heddle::actors {
namespace driver_attempts_test {
namespace {

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
