// Goal: what comes late, twice or of itself changes nothing but what it must; the end is told to everybody.
// Method: driver_world.hpp; messages of jobs and timers that are not known any more.
#include <boost/test/unit_test.hpp>

#include "tests/actors/driver/driver_world.hpp"

namespace heddle::actors {

using namespace std::chrono_literals;

BOOST_AUTO_TEST_CASE(answers_of_the_background_for_a_job_that_is_over_are_dropped) {
  DriverWorld world;
  world.start();
  world.say(world.driver, OutputPrepared{JobId{7}, OutputFound::ready, {}});
  world.say(world.driver, JobCommitted{JobId{7}, true, {}});
  world.submit({own_tasks("s", 1)});
  world.say(world.driver, JobCommitted{world.client.last<JobAccepted>().job, true, {}});
  BOOST_TEST(world.client.count<JobFinished>() == 0);
}

BOOST_AUTO_TEST_CASE(a_round_without_cause_and_a_tick_of_an_older_timer_launch_nothing) {
  DriverWorld world;
  world.start();
  auto& executor = world.executor(1, 1);
  world.submit({own_tasks("s", 3)});
  world.say(world.driver, ReviveOffers{});
  world.say(world.driver, DriverTick{9999});
  BOOST_TEST(DriverWorld::launched(executor).size() == 1U);
}

BOOST_AUTO_TEST_CASE(heartbeats_keep_an_executor_that_reports_nothing) {
  DriverWorld world;
  world.start();
  auto& beating = world.executor(1, 1);
  world.executor(2, 1);
  for (int i = 0; i < 30; ++i) {
    world.advance(5s);
    world.say(beating, world.driver, Heartbeat{ExecutorId{1}, beating.last<RegisteredExecutor>().epoch});
  }
  world.submit({own_tasks("s", 2)});
  BOOST_TEST(!DriverWorld::launched(beating).empty());
  BOOST_TEST(DriverWorld::launched(world.peer("executor-2")).empty());
}

BOOST_AUTO_TEST_CASE(progress_is_told_while_a_job_runs) {
  DriverWorld world;
  world.start();
  world.submit({own_tasks("s", 3)});
  world.advance(1s);
  BOOST_TEST(world.client.last<JobProgress>().executors_wanted == 2);
  BOOST_TEST(!world.client.last<JobProgress>().waiting.empty());
}

BOOST_AUTO_TEST_CASE(the_end_of_the_application_is_told_to_executors_and_their_source) {
  DriverWorld world;
  world.start();
  auto& executor = world.executor(1, 1);
  world.say(world.allocator, world.driver, RegisterYarnAllocator{});
  world.say(world.driver, StopDriver{true, "done"});
  BOOST_TEST(executor.count<StopExecutor>() == 1);
  BOOST_TEST(world.allocator.last<StopAllocator>().text == "done");
  auto& late = world.executor(2, 1);
  BOOST_TEST(late.count<StopExecutor>() == 1);
}

}  // namespace heddle::actors
