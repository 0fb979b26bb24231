// Goal: reduces and the client get the right facts about tasks that have ended. Method: fake parties in virtual time.
#include "tests/actors/map_reduce_master/master_world.hpp"

namespace heddle::actors {
namespace running_job_test {
namespace {

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

}  // namespace
}  // namespace running_job_test
}  // namespace heddle::actors
