// Goal: silent executors are lost and replaced, in time, and others are not; one that comes is offered at once, alone.
// Method: fake executors and allocator around one Driver, virtual time; numbered cases of Spark's heartbeat receiver and back end.
#include "tests/actors/driver/driver_world.hpp"

namespace heddle::actors {
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
  void beat(std::int64_t id) {
    auto& from = peer("executor-" + std::to_string(id));
    say(from, driver, Heartbeat{ExecutorId{id}, from.last<RegisteredExecutor>().epoch});
  }
};

// C-HB-01: executors that beat stay, and are not asked to register again.
BOOST_AUTO_TEST_CASE(executors_that_beat_stay) {
  LivenessWorld world;
  for (int i = 0; i < 5; ++i) {
    world.advance(8s);
    world.beat(1);
    world.beat(2);
  }
  BOOST_TEST(world.events().count("executor_lost") == 0);
  for (const std::int64_t id : {1, 2}) BOOST_TEST(world.peer("executor-" + std::to_string(id)).count<RegisteredExecutor>() == 1);
}

// C-HB-03: a silence of exactly the time-out is none yet.
BOOST_AUTO_TEST_CASE(an_executor_is_lost_after_its_timeout_and_not_at_it) {
  LivenessWorld world;
  world.advance(5s);
  world.beat(1);
  world.advance(5s);
  BOOST_TEST(world.events().count("executor_lost") == 0);
  world.advance(1ms);
  BOOST_TEST(world.events().count("executor_lost") == 1);
  world.advance(4999ms);
  BOOST_TEST(world.events().count("executor_lost") == 1);
  world.advance(1ms);
  BOOST_TEST(world.events().count("executor_lost") == 2);
}

// C-HB-04: silent executors are killed, and the target stays, so that others take their place.
BOOST_AUTO_TEST_CASE(silent_executors_are_killed_and_replaced) {
  LivenessWorld world;
  BOOST_TEST(world.allocator.last<RequestExecutors>().target_total == 2);
  world.advance(20s);
  std::vector<std::int64_t> killed;
  for (const auto& message : world.allocator.all<KillExecutors>())
    for (const ExecutorId id : message.executors) killed.push_back(id.value);
  BOOST_TEST(killed == (std::vector<std::int64_t>{1, 2}), boost::test_tools::per_element());
  BOOST_TEST(world.allocator.last<RequestExecutors>().target_total == 2);
  world.submit({own_tasks("s", 1)});
  for (const std::int64_t id : {1, 2}) BOOST_TEST(DriverWorld::launched(world.peer("executor-" + std::to_string(id))).empty());
}

// C-BE-04: who registers is offered once, and nobody else with it.
BOOST_AUTO_TEST_CASE(a_new_executor_is_offered_alone) {
  DriverWorld world;
  world.start();
  world.submit({own_tasks("s", 3)});
  auto& first = world.executor(1, 1);
  BOOST_TEST(DriverWorld::launched(first).size() == 1U);
  auto& second = world.executor(2, 1);
  BOOST_TEST(DriverWorld::launched(second).size() == 1U);
  BOOST_TEST(DriverWorld::launched(first).size() == 1U);
  BOOST_TEST(second.count<InstallStage>() + second.count<LaunchTask>() == 1);
}

// C-BE-03: a task of two cores leaves one of three, and gives both back when it ends.
BOOST_AUTO_TEST_CASE(cores_are_taken_and_given_back_by_what_a_task_needs) {
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

BOOST_AUTO_TEST_CASE(tasks_of_two_cores_fill_four_and_no_more_follow_ahead) {
  DriverWorld world;
  world.settings.task_scheduler.task_cores = 2;
  world.settings.queue_ahead = 10;
  world.start();
  auto& executor = world.executor(1, 4);
  world.submit({own_tasks("s", 5)});
  std::int32_t tasks = 0;
  for (const auto& range : DriverWorld::launched(executor)) tasks += range.count;
  BOOST_TEST(tasks == 2);
}

// A stage's own cores count, for the chain of stages whose records its tasks pass on; others keep the usual size.
BOOST_AUTO_TEST_CASE(a_stage_s_own_cores_decide_how_many_of_its_tasks_run) {
  DriverWorld world;
  world.start();
  auto& executor = world.executor(1, 5);
  auto wide = own_tasks("wide", 4);
  wide.cores = 2;
  world.submit({wide});
  const auto count = [&executor] {
    std::int32_t tasks = 0;
    for (const auto& range : DriverWorld::launched(executor)) tasks += range.count;
    return tasks;
  };
  BOOST_TEST(count() == 2);
  world.submit({own_tasks("narrow", 3)});
  BOOST_TEST(count() == 3);  // in the one core that the wide one cannot use
}

}  // namespace
}  // namespace heddle::actors
