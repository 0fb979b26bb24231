// Goal: silent executors are lost in time and replaced, and others are not; a new executor is offered at once, without
// the others. Method: fake executors and allocator around one Driver, virtual time; numbered cases of Spark's heartbeat
// receiver and scheduler backend.
#include "tests/actors/driver/driver_world.hpp"

namespace heddle::actors {
namespace driver_liveness_test {
namespace {

using namespace std::chrono_literals;

struct LivenessWorld : DriverWorld {
  LivenessWorld() {
    settings.executor_timeout = 10s;
    start();
    say(allocator, driver, RegisterYarnAllocator{});
    executor(1, 1);
    executor(2, 1);
  }
};

// C-HB-01: executors that send heartbeats stay and are not asked to register again.
BOOST_AUTO_TEST_CASE(executors_that_send_heartbeats_are_not_lost) {
  LivenessWorld world;
  for (int i = 0; i < 5; ++i) {
    world.advance(8s);
    world.send_heartbeat(1);
    world.send_heartbeat(2);
  }
  BOOST_TEST(world.events().count("executor_lost") == 0);
  for (const std::int64_t id : {1, 2})
    BOOST_TEST(world.peer("executor-" + std::to_string(id)).count<RegisteredExecutor>() == 1);
}

// C-HB-03: an executor that is silent for exactly the timeout is not lost yet.
BOOST_AUTO_TEST_CASE(an_executor_is_lost_after_the_timeout_and_not_exactly_at_it) {
  LivenessWorld world;
  world.advance(5s);
  world.send_heartbeat(1);
  world.advance(5s);
  BOOST_TEST(world.events().count("executor_lost") == 0);
  world.advance(1ms);
  BOOST_TEST(world.events().count("executor_lost") == 1);
  world.advance(4999ms);
  BOOST_TEST(world.events().count("executor_lost") == 1);
  world.advance(1ms);
  BOOST_TEST(world.events().count("executor_lost") == 2);
}

// C-HB-04: silent executors are killed. The target stays, so that others replace them.
BOOST_AUTO_TEST_CASE(silent_executors_are_killed_and_replaced) {
  LivenessWorld world;
  BOOST_TEST(world.allocator.last<RequestExecutors>().target_total() == 2);
  world.advance(20s);
  std::vector<std::int64_t> killed;
  for (const auto& message : world.allocator.all<KillExecutors>())
    for (const ExecutorId id : message.executors) killed.push_back(id.value);
  BOOST_TEST(killed == (std::vector<std::int64_t>{1, 2}), boost::test_tools::per_element());
  BOOST_TEST(world.allocator.last<RequestExecutors>().target_total() == 2);
  world.submit({own_tasks("s", 1)});
  for (const std::int64_t id : {1, 2})
    BOOST_TEST(DriverWorld::launched(world.peer("executor-" + std::to_string(id))).empty());
}

// C-HB-04: the same for an executor whose connection broke. If it is frozen, it still holds its container.
BOOST_AUTO_TEST_CASE(an_executor_lost_by_its_connection_is_killed_and_replaced) {
  LivenessWorld world;
  world.kill(world.peer("executor-1"));
  world.advance(1999ms);
  BOOST_TEST(world.allocator.count<KillExecutors>() == 0);  // the reason may still arrive
  world.advance(2ms);
  BOOST_TEST_REQUIRE(world.allocator.count<KillExecutors>() == 1);
  BOOST_TEST((world.allocator.last<KillExecutors>().executors == std::vector{ExecutorId{1}}));
  BOOST_TEST(world.allocator.last<RequestExecutors>().target_total() == 2);
}

BOOST_AUTO_TEST_CASE(a_client_learns_why_an_executor_did_not_start) {
  DriverWorld world;
  world.start();
  world.submit({own_tasks("s", 1)});
  world.say(world.allocator, world.driver,
            RemoveExecutor{ExecutorId{3}, {{LossKind::start_failed, true}, {1, "it ended on a before it registered"}}});
  BOOST_TEST(world.client.last<Notice>().text == "executor 3 could not be started: it ended on a before it registered");
}

// The executor of a lost node may still run, although its container has ended for all other roles.
BOOST_AUTO_TEST_CASE(an_executor_whose_container_has_ended_is_stopped_and_cannot_register) {
  LivenessWorld world;
  auto& lost = world.peer("executor-1");
  const auto former = lost.last<RegisteredExecutor>().epoch;
  world.say(world.allocator, world.driver,
            RemoveExecutor{ExecutorId{1}, {{LossKind::node_lost, false}, {-100, "its node is lost"}}});
  BOOST_TEST(lost.count<StopExecutor>() == 1);
  lost.clear();
  world.say(lost, world.driver, Heartbeat{ExecutorId{1}, former});
  BOOST_TEST(lost.count<RegisterAgain>() == 0);
  BOOST_TEST(lost.count<StopExecutor>() == 1);
  world.executor(1, 1);
  BOOST_TEST(lost.count<RegisteredExecutor>() == 0);
  BOOST_TEST_REQUIRE(lost.count<StopExecutor>() == 2);
  BOOST_TEST(lost.last<StopExecutor>().reason == "its container has ended");
  world.submit({own_tasks("s", 2)});
  BOOST_TEST(DriverWorld::launched(lost).empty());
}

// C-HB-02: an unknown executor is asked to register again, also before any other message. Other executors are not
// affected.
BOOST_AUTO_TEST_CASE(an_unknown_executor_is_asked_to_register_again) {
  DriverWorld world;
  world.start();
  auto& stranger = world.peer("executor-7");
  world.say(stranger, world.driver, Heartbeat{ExecutorId{7}, Epoch{3}});  // before any registration, allocator or job
  BOOST_TEST_REQUIRE(stranger.count<RegisterAgain>() == 1);
  BOOST_TEST(stranger.last<RegisterAgain>().epoch.value == 3);
  auto& known = world.executor(1, 1);
  world.say(stranger, world.driver, Heartbeat{ExecutorId{7}, Epoch{3}});
  BOOST_TEST(stranger.count<RegisterAgain>() == 2);
  BOOST_TEST(stranger.count<RegisteredExecutor>() == 0);
  BOOST_TEST(known.count<RegisterAgain>() == 0);
  world.submit({own_tasks("s", 2)});
  BOOST_TEST(DriverWorld::launched(stranger).empty());
  BOOST_TEST(DriverWorld::launched(known).size() == 1U);
}

// C-HB-02: a removed executor is asked to register again too. It then gets tasks under its own id in a new epoch; its
// former tasks stay lost.
BOOST_AUTO_TEST_CASE(a_removed_executor_registers_again_under_its_id) {
  LivenessWorld world;
  auto& lost = world.peer("executor-1");
  const auto former = lost.last<RegisteredExecutor>().epoch;
  world.submit({own_tasks("s", 2)});
  const auto launched = DriverWorld::launched(lost);
  BOOST_TEST_REQUIRE(launched.size() == 1U);
  world.advance(6s);
  world.send_heartbeat(2);
  world.advance(5s);
  BOOST_TEST(world.events().count("executor_lost") == 1);
  lost.clear();
  world.say(lost, world.driver, Heartbeat{ExecutorId{1}, former});
  BOOST_TEST_REQUIRE(lost.count<RegisterAgain>() == 1);
  BOOST_TEST(world.peer("executor-2").count<RegisterAgain>() == 0);
  world.executor(1, 1);
  BOOST_TEST(lost.last<RegisteredExecutor>().epoch.value > former.value);
  const auto again = DriverWorld::launched(lost);
  BOOST_TEST_REQUIRE(again.size() == 1U);
  BOOST_TEST(again[0].first_index == launched[0].first_index);
  BOOST_TEST(again[0].attempt == launched[0].attempt + 1);
  world.say(lost, world.driver, Heartbeat{ExecutorId{1}, former});  // a heartbeat of its former epoch gets no answer
  BOOST_TEST(lost.count<RegisterAgain>() == 1);
  world.report(lost, 1, launched[0], {});  // a task attempt that was counted as lost
  world.report(lost, 1, again[0], {});
  world.report(world.peer("executor-2"), 2, DriverWorld::launched(world.peer("executor-2")).at(0), {});
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
  BOOST_TEST(world.client.last<JobFinished>().totals.tasks == 2);
}

BOOST_AUTO_TEST_CASE(an_executor_with_an_unassigned_id_is_refused) {
  DriverWorld world;
  world.start();
  for (const std::int64_t id : {std::int64_t{-3}, std::int64_t{200'001}, std::int64_t{INT32_MAX}, INT64_MAX})
    BOOST_TEST(world.executor(id, 1).count<StopExecutor>() == 1);
  BOOST_TEST(world.executor(5, 0).count<StopExecutor>() == 1);
  BOOST_TEST(world.events().count("executor_refused") == 5);
  BOOST_TEST(world.executor(8, 1).count<RegisteredExecutor>() == 1);
}

// C-HB-05: after the end of the application no executor is asked to register again.
BOOST_AUTO_TEST_CASE(no_executor_is_asked_to_register_after_the_application_has_ended) {
  DriverWorld world;
  world.start();
  auto& stranger = world.peer("executor-7");
  world.say(stranger, world.driver, Heartbeat{ExecutorId{7}, Epoch{3}});
  BOOST_TEST(stranger.count<RegisterAgain>() == 1);
  world.say(world.client, world.driver, StopDriver{true, "over"});
  world.say(stranger, world.driver, Heartbeat{ExecutorId{7}, Epoch{3}});
  BOOST_TEST(stranger.count<RegisterAgain>() == 1);
}

// C-BE-04: an executor that registers is offered once, without the others.
BOOST_AUTO_TEST_CASE(a_new_executor_is_offered_without_the_others) {
  DriverWorld world;
  world.start();
  world.submit({own_tasks("s", 3)});
  auto& first = world.executor(1, 1);
  BOOST_TEST(DriverWorld::launched(first).size() == 1U);
  auto& second = world.executor(2, 1);
  BOOST_TEST(DriverWorld::launched(second).size() == 1U);
  BOOST_TEST(DriverWorld::launched(first).size() == 1U);
  BOOST_TEST(second.count<LoadStage>() + second.count<LaunchTask>() == 1);
}

// C-BE-03: a task of two cores leaves one of three cores free, and releases both when it ends.
BOOST_AUTO_TEST_CASE(a_task_takes_and_releases_as_many_cores_as_it_needs) {
  DriverWorld world;
  world.settings.task_scheduler.task_cores = 2;
  world.start();
  auto& executor = world.executor(1, 3);
  world.submit({own_tasks("s", 3)});
  auto launched = DriverWorld::launched(executor);
  BOOST_TEST_REQUIRE(launched.size() == 1U);
  BOOST_TEST(launched[0].count == 1);
  world.report(executor, 1, launched[0], {});
  launched = DriverWorld::launched(executor);
  BOOST_TEST_REQUIRE(launched.size() == 2U);
  BOOST_TEST(launched[1].count == 1);
}

BOOST_AUTO_TEST_CASE(two_tasks_of_two_cores_fill_four_cores_and_none_is_queued_ahead) {
  DriverWorld world;
  world.settings.task_scheduler.task_cores = 2;
  world.settings.queue_ahead = 10;
  world.start();
  auto& executor = world.executor(1, 4);
  world.submit({own_tasks("s", 5)});
  BOOST_TEST(DriverWorld::tasks_on(executor) == 2);
}

// The task cores of a stage apply to its whole chain of fused stages; other stages use the setting.
BOOST_AUTO_TEST_CASE(the_task_cores_of_a_stage_limit_its_running_tasks) {
  DriverWorld world;
  world.start();
  auto& executor = world.executor(1, 5);
  auto wide = own_tasks("wide", 4);
  wide.cores = 2;
  world.submit({wide});
  const auto count = [&executor] { return DriverWorld::tasks_on(executor); };
  BOOST_TEST(count() == 2);
  world.submit({own_tasks("narrow", 3)});
  BOOST_TEST(count() == 3);  // on the core that the task of two cores cannot use
}

}  // namespace
}  // namespace driver_liveness_test
}  // namespace heddle::actors
