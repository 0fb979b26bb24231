// Goal: a barrier stage starts when all of its tasks can, gets their hosts, and runs again as a whole, or its job
// reports why it cannot. Method: fake executors around one Driver, virtual time.
#include "tests/actors/driver/driver_world.hpp"

namespace heddle::actors {
namespace driver_barrier_test {
namespace {

using namespace std::chrono_literals;

StageDescription barrier_tasks(std::string name, std::int32_t tasks) {
  auto stage = own_tasks(std::move(name), tasks);
  stage.barrier = true;
  return stage;
}

struct BarrierWorld : DriverWorld {
  BarrierWorld() {
    settings.barrier.interval = 10s;
    settings.barrier.failures_max = 2;
    start();
  }
  void end_killed_tasks(tests::Peer& executor, std::int64_t id) {
    TaskOutcome killed;
    killed.state = TaskState::killed;
    for (const auto& kill : executor.all<KillTask>())
      report(executor, id, {kill.stage, kill.index, 1, kill.attempt, {}}, killed);
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(all_tasks_of_a_barrier_stage_start_together_and_get_their_hosts) {
  BarrierWorld world;
  auto& first = world.executor(1, 1);
  auto& second = world.executor(2, 2);
  world.submit({barrier_tasks("ring", 3)});
  BOOST_TEST(BarrierWorld::tasks_on(first) == 1);
  BOOST_TEST(BarrierWorld::tasks_on(second) == 2);
  const auto hosts = first.last<LoadStage>().work.barrier_hosts;
  BOOST_TEST(hosts == second.last<LoadStage>().work.barrier_hosts, boost::test_tools::per_element());
  BOOST_TEST_REQUIRE(hosts.size() == 3U);
  for (const auto& range : DriverWorld::launched(first))
    BOOST_TEST(hosts[static_cast<std::size_t>(range.first_index)] == "h1");
  for (const auto& range : DriverWorld::launched(second)) world.report(second, 2, range, {});
  for (const auto& range : DriverWorld::launched(first)) world.report(first, 1, range, {});
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
}

BOOST_AUTO_TEST_CASE(a_job_waits_for_slots_and_starts_when_enough_are_registered) {
  BarrierWorld world;
  auto& first = world.executor(1, 2);
  world.submit({barrier_tasks("ring", 3)});
  world.advance(5s);
  BOOST_TEST(BarrierWorld::tasks_on(first) == 0);
  BOOST_TEST(world.client.last<JobProgress>().waiting ==
             "barrier stage 'ring' requires more slots than the cluster has now: 3 required, 2 available");
  auto& second = world.executor(2, 1);
  world.advance(2s);
  BOOST_TEST(BarrierWorld::tasks_on(first) == 2);
  BOOST_TEST(BarrierWorld::tasks_on(second) == 1);
}

BOOST_AUTO_TEST_CASE(slots_of_executors_lost_during_the_wait_do_not_count) {
  BarrierWorld world;
  auto& first = world.executor(1, 2);
  world.submit({barrier_tasks("ring", 3)});
  world.advance(1s);
  world.say(world.allocator, world.driver, RemoveExecutor{ExecutorId{1}, {{LossKind::exited, true}, {1, "gone"}}});
  auto& second = world.executor(2, 1);
  world.advance(1s);
  BOOST_TEST(world.client.last<JobProgress>().waiting ==
             "barrier stage 'ring' requires more slots than the cluster has now: 3 required, 1 available");
  auto& third = world.executor(3, 2);
  world.advance(2s);
  BOOST_TEST(BarrierWorld::tasks_on(first) == 0);
  BOOST_TEST(BarrierWorld::tasks_on(second) == 1);
  BOOST_TEST(BarrierWorld::tasks_on(third) == 2);
}

BOOST_AUTO_TEST_CASE(a_job_without_enough_slots_fails_after_the_limit_of_checks) {
  BarrierWorld world;
  auto& executor = world.executor(1, 2);
  world.submit({own_tasks("before", 1), barrier_tasks("ring", 3)});
  world.advance(19s);
  BOOST_TEST(world.client.count<JobFinished>() == 0);
  world.advance(2s);
  BOOST_TEST_REQUIRE(world.client.count<JobFinished>() == 1);
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::failed));
  BOOST_TEST(world.client.last<JobFinished>().text.find("requires more slots") != std::string::npos);
  BOOST_TEST(BarrierWorld::tasks_on(executor) == 0);  // no stage of the job has started
}

BOOST_AUTO_TEST_CASE(a_failed_task_fails_the_stage_attempt_and_all_tasks_run_again) {
  BarrierWorld world;
  auto& first = world.executor(1, 1);
  auto& second = world.executor(2, 1);
  world.submit({barrier_tasks("ring", 2), after("sum", 0, 1)});
  world.report(first, 1, DriverWorld::launched(first).at(0), {});  // succeeds, but the stage attempt fails
  world.report(second, 2, DriverWorld::launched(second).at(0), failure("no neighbour"));
  world.end_killed_tasks(first, 1);
  world.advance(1s);
  BOOST_TEST_REQUIRE(DriverWorld::launched(first).size() == 2U);
  BOOST_TEST_REQUIRE(DriverWorld::launched(second).size() == 2U);
  BOOST_TEST(DriverWorld::launched(first)[1].stage.attempt == 1);
  world.report(first, 1, DriverWorld::launched(first)[1], {});
  world.report(second, 2, DriverWorld::launched(second)[1], {});
  for (const std::int64_t id : {1, 2}) {
    auto& executor = world.peer("executor-" + std::to_string(id));
    if (const auto sum = DriverWorld::launched(executor); sum.size() == 3U) world.report(executor, id, sum[2], {});
  }
  const auto end = world.client.last<JobFinished>();
  BOOST_TEST((end.status == JobStatus::succeeded));
  BOOST_TEST(end.exit_code == 0);
  for (const auto& stage : world.client.last<JobProgress>().stages) BOOST_TEST(stage.finished == stage.tasks);
}

BOOST_AUTO_TEST_CASE(a_lost_executor_fails_the_stage_attempt) {
  BarrierWorld world;
  auto& first = world.executor(1, 1);
  auto& second = world.executor(2, 1);
  auto& third = world.executor(3, 1);
  world.submit({barrier_tasks("ring", 2), after("sum", 0, 1)});
  auto& lost = DriverWorld::launched(second).empty() ? third : second;
  const auto id = &lost == &second ? 2 : 3;
  world.say(world.allocator, world.driver, RegisterYarnAllocator{});
  world.say(world.allocator, world.driver, RemoveExecutor{ExecutorId{id}, {{LossKind::exited, true}, {1, "gone"}}});
  BOOST_TEST(first.count<KillTask>() + second.count<KillTask>() + third.count<KillTask>() >= 1);
  for (auto* executor : {&first, &second, &third})
    if (executor != &lost) world.end_killed_tasks(*executor, executor == &first ? 1 : executor == &second ? 2 : 3);
  world.advance(2s);
  std::int32_t again = 0;
  for (auto* executor : {&first, &second, &third})
    for (const auto& range : DriverWorld::launched(*executor)) again += range.stage.attempt == 1 ? range.count : 0;
  BOOST_TEST(again == 2);
}

BOOST_AUTO_TEST_CASE(a_failed_barrier_result_stage_fails_the_job_with_the_error_of_its_task) {
  BarrierWorld world;
  auto& first = world.executor(1, 2);
  world.submit({barrier_tasks("ring", 2)});
  TaskRange one = DriverWorld::launched(first).at(0);
  one.count = 1;
  world.report(first, 1, one, failure("no neighbour"));
  world.end_killed_tasks(first, 1);
  world.advance(5s);
  BOOST_TEST_REQUIRE(world.client.count<JobFinished>() == 1);
  const auto end = world.client.last<JobFinished>();
  BOOST_TEST((end.status == JobStatus::failed));
  BOOST_TEST(end.exit_code == 3);
  BOOST_TEST(end.text.find("no neighbour") != std::string::npos);
  BOOST_TEST(BarrierWorld::tasks_on(first) == 2);
}

}  // namespace driver_barrier_test
}  // namespace heddle::actors
