// Goal: reduces and the client get the right facts about tasks that have ended. Method: fake parties in virtual time.
#include "tests/actors/map_reduce_master/master_world.hpp"

namespace heddle::actors {
namespace running_job_test {
namespace {

/// A map fails with its first failed attempt, and the job with the second of three maps.
MapReduceMasterStart one_failure_of_three() {
  MapReduceMasterStart start;
  start.machines.map_task.attempts_max = 1;
  start.machines.job.map_failures_percent = 34;
  return start;
}

BOOST_AUTO_TEST_CASE(a_reduce_learns_how_long_each_map_ran) {  // SH-5
  MasterWorld world;
  world.begin_with_reduces(1, 1);
  world.give({11});
  world.run(11);
  AttemptDone done{11, MasterWorld::attempt(0), {}};
  done.outcome.run_us = 5'000'000;
  done.place = MasterWorld::map_output(0);
  world.say(world.child(11), world.master, done);
  world.end_container(11);
  world.say(world.cluster, world.master, AllocationAvailable{});
  world.respond({MasterWorld::grant(21, 10)});
  auto& reduce = world.run(21);
  world.say(reduce, world.master, GetMapCompletions{21, MasterWorld::reduce(0), 0});
  BOOST_TEST_REQUIRE(reduce.count<MapCompletions>() == 1);
  BOOST_TEST(reduce.last<MapCompletions>().rows.front().run_us == 5'000'000);
}

BOOST_AUTO_TEST_CASE(a_tolerated_failure_does_not_hide_the_one_that_fails_the_job) {  // JB-2
  MasterWorld world{one_failure_of_three()};
  world.begin(3);
  world.give({11, 12, 13});
  for (const std::int64_t container : {11, 12, 13}) world.run(container);
  world.fail(11, MasterWorld::attempt(0), "exit code 3");
  world.end_container(11);
  world.fail(12, MasterWorld::attempt(1), "exit code 4");
  world.end_container(12);
  world.end_container(13, container_exit_status::killed_by_application_master);
  BOOST_TEST(world.client.last<JobFinished>().text == "stage 'map': task 1 failed 1 time; last on a: exit code 4");
}

BOOST_AUTO_TEST_CASE(of_two_failures_in_one_answer_the_one_that_is_not_tolerated_fails_the_job) {  // JB-2
  MasterWorld world{one_failure_of_three()};
  world.begin(3);
  world.give({11, 12, 13});
  for (const std::int64_t container : {11, 12, 13}) world.run(container);
  world.say(world.cluster, world.master, AllocationAvailable{});
  world.respond({}, {{ContainerId{11}, {3, "first", {}, {}}}, {ContainerId{12}, {4, "second", {}, {}}}});
  world.end_container(13, container_exit_status::killed_by_application_master);
  BOOST_TEST(world.client.last<JobFinished>().text.starts_with("stage 'map': task 1 failed 1 time"),
             world.client.last<JobFinished>().text);
}

}  // namespace
}  // namespace running_job_test
}  // namespace heddle::actors
