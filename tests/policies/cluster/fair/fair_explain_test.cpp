// Goal: the first obstacle between an application and its next container is named, and the queue or user it is of.
// Method: a table of worlds, each with one obstacle.
#include "policies/cluster/fair/fair_explain.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/support/fair_world.hpp"

namespace heddle::policies {
namespace fair_explain_test {
namespace {

ResourceExplanation why(const FairWorld& world, FairWorld::App app) {
  return world.fair.explain(FairWorld::attempt(app).application);
}

BOOST_AUTO_TEST_CASE(an_unknown_application_and_one_without_asks_are_told_apart) {
  FairWorld world;
  world.node(4096, 4);
  BOOST_TEST(why(world, 7).reason == "unknown_application");
  BOOST_TEST(why(world, world.submit(1024, 1, "root.a", 0)).reason == "nothing_asked");
}

BOOST_AUTO_TEST_CASE(limits_of_running_applications_are_named_after_their_user_or_queue) {
  FairWorld world{
      "<queue name=\"a\"><maxRunningApps>1</maxRunningApps></queue><queue name=\"b\"/>"
      "<user name=\"ann\"><maxRunningApps>1</maxRunningApps></user>"};
  world.node(4096, 4);
  world.submit(1024, 1, "root.a", 1, "bob");
  const auto second = world.submit(1024, 1, "root.a", 1, "cid");
  BOOST_TEST(why(world, second).reason == "running_applications_limit");
  BOOST_TEST(why(world, second).holder == "root.a");
  world.submit(1024, 1, "root.b", 1, "ann");
  const auto of_ann = world.submit(1024, 1, "root.b", 1, "ann");
  BOOST_TEST(why(world, of_ann).reason == "running_applications_limit");
  BOOST_TEST(why(world, of_ann).holder == "ann");
}

BOOST_AUTO_TEST_CASE(new_asks_a_full_queue_and_want_of_room_are_told_apart) {
  FairWorld world{"<queue name=\"a\"><maxResources>2048 mb, 8 vcores</maxResources></queue><queue name=\"b\"/>"};
  const auto node = world.node(4096, 8);
  const auto in_a = world.submit(1024, 1, "root.a", 3);
  BOOST_TEST(why(world, in_a).reason == "demand_not_seen");
  world.update();
  world.beat(node, 2);
  BOOST_TEST(world.containers(in_a) == 2U);
  BOOST_TEST(why(world, in_a).reason == "queue_at_maximum");
  BOOST_TEST(why(world, in_a).holder == "root.a");
  const auto in_b = world.submit(3072, 1, "root.b", 1);
  world.update();
  BOOST_TEST(why(world, in_b).reason == "no_room");
}

BOOST_AUTO_TEST_CASE(a_master_that_its_queue_has_no_share_for_is_told) {
  FairWorld world{"<queue name=\"a\"><maxAMShare>0.25</maxAMShare></queue>"};
  const auto node = world.node(8192, 8);
  const auto first = world.submit_with_master(2048, 1, "root.a");
  const auto second = world.submit_with_master(2048, 1, "root.a");
  for (const auto app : {first, second}) world.ask(app, {{1, "*", 1, {2048, 1}, true}});
  world.update();
  world.beat(node, 1);
  BOOST_TEST(world.containers(first) == 1U);
  BOOST_TEST(why(world, second).reason == "master_share_limit");
  BOOST_TEST(why(world, second).holder == "root.a");
}

}  // namespace
}  // namespace fair_explain_test
}  // namespace heddle::policies
