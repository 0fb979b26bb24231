// Goal: a ResourceManager that does not know the attempt ends it; one that has restarted gets everything again. Method:
// fake Driver, ResourceManager, master and node, virtual time.
#include <boost/test/unit_test.hpp>

#include "actors/yarn_allocator/allocator_start.hpp"
#include "tests/actors/yarn_allocator/allocator_world.hpp"

namespace heddle::actors {
namespace lost_registration_test {
namespace {

using namespace std::chrono_literals;

BOOST_AUTO_TEST_CASE(an_unknown_attempt_ends_without_a_failure_of_the_driver) {
  AllocatorWorld world;
  world.begin();
  world.advance(3s);
  AllocateResponse response;
  response.registration = AttemptRegistration::unknown_attempt;
  world.say(world.cluster, world.allocator, response);
  BOOST_TEST(world.has_ended(world.allocator));
  BOOST_TEST(!world.master.last<EndApplication>().succeeded);
  BOOST_TEST(world.driver.count<AllocationFailed>() == 0);
}

BOOST_AUTO_TEST_CASE(after_a_lost_registration_everything_is_requested_again) {
  AllocatorWorld world;
  world.begin();
  world.want(2);
  world.respond(2, {});
  world.advance(3s);
  const int before = world.cluster.count<AllocateRequest>();
  const int drivers = world.driver.count<RegisterYarnAllocator>();
  AllocateResponse lost;
  lost.registration = AttemptRegistration::not_registered;
  world.say(world.cluster, world.allocator, lost);
  BOOST_TEST(world.master.count<RegistrationLost>() == 1);
  world.advance(10s);  // nothing before the registration
  BOOST_TEST(world.cluster.count<AllocateRequest>() == before);
  world.say(world.master, world.allocator, StartAllocating{{8192, 4}, "secret"});
  BOOST_REQUIRE(world.cluster.count<AllocateRequest>() == before + 1);
  const auto request = world.cluster.last<AllocateRequest>();
  BOOST_TEST(request.response_id == 0);
  BOOST_TEST(request.asks.at(0).count == 2);
  BOOST_TEST(world.driver.count<RegisterYarnAllocator>() == drivers);
  world.respond(1, {AllocatorWorld::grant(7)});
  world.say(world.driver, world.allocator, StopAllocator{true, "done"});
  BOOST_TEST(world.master.last<EndApplication>().succeeded);
}

}  // namespace
}  // namespace lost_registration_test
}  // namespace heddle::actors
