// Goal: an attempt is registered, its allocator is started, and its end is reported until it is confirmed. Method: fake
// ResourceManager and allocator, virtual time.
#include "actors/application_master/application_master.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/support/actor_world.hpp"

namespace heddle::actors {
namespace application_master_test {
namespace {

using namespace std::chrono_literals;

struct MasterWorld : tests::ActorWorld {
  tests::Peer& cluster = peer("rm:1");
  tests::Peer& allocator = peer("allocator");
  AttemptId attempt{{1000, 7}, 1};
  ApplicationMasterActor spawned() {
    return adopt(spawn_application_master(
        system(), config::NetworkSettings{}, tools(),
        {attempt, "rm:1", "me:1", "driver:1", allocator.as<AllocationStarterActor>(), "secret"}));
  }
};

BOOST_AUTO_TEST_CASE(registers_its_attempt_and_starts_the_allocator) {
  MasterWorld world;
  const auto master = world.spawned();
  world.settle();
  BOOST_TEST(world.cluster.last<RegisterApplicationMaster>().driver_address == "driver:1");
  BOOST_TEST(world.cluster.last<RegisterApplicationMaster>().token == "secret");
  const ResourceKinds counted{ResourceKind::memory, ResourceKind::cores};
  world.say(world.cluster, master,
            RegisteredApplicationMaster{{1024, 2, {{"yarn.io/gpu", 2}}}, "secret", counted, true});
  BOOST_TEST(world.allocator.last<StartAllocating>().token == "secret");
  BOOST_TEST((world.allocator.last<StartAllocating>().maximum == Resource{1024, 2, {{"yarn.io/gpu", 2}}}));
  BOOST_TEST((world.allocator.last<StartAllocating>().counted == counted));
  BOOST_TEST(world.allocator.last<StartAllocating>().limits_others);
}

BOOST_AUTO_TEST_CASE(reports_the_end_and_exits_after_the_confirmation) {
  MasterWorld world;
  const auto master = world.spawned();
  world.settle();
  world.say(world.cluster, master, RegisteredApplicationMaster{{1024, 2}, "secret"});
  world.say(world.allocator, master, EndApplication{true, "done"});
  BOOST_TEST(world.cluster.last<FinishApplication>().succeeded);
  BOOST_TEST(!world.has_ended(master));
  world.say(world.cluster, master, FinishedApplication{});
  BOOST_TEST(world.has_ended(master));
}

// Only then nobody needs the jobs of the application any more.
BOOST_AUTO_TEST_CASE(says_whether_the_end_is_recorded) {
  for (const bool is_unknown : {false, true}) {
    std::vector<bool> left;
    MasterWorld world;
    const auto master = world.adopt(spawn_application_master(
        world.system(), config::NetworkSettings{}, world.tools(),
        {world.attempt, "rm:1", "me:1", "driver:1", world.allocator.as<AllocationStarterActor>(), "secret",
         [&left](bool is_finished) { left.push_back(is_finished); }}));
    world.settle();
    world.say(world.cluster, master, RegisteredApplicationMaster{{1024, 2}, "secret"});
    world.say(world.allocator, master, EndApplication{true, "done"});
    BOOST_TEST(left.empty());
    world.say(world.cluster, master, FinishedApplication{is_unknown});
    BOOST_TEST_REQUIRE(left.size() == 1U);
    BOOST_TEST(left.front() == !is_unknown);
    BOOST_TEST(world.events().count("attempt_unknown") == (is_unknown ? 1 : 0));
  }
}

BOOST_AUTO_TEST_CASE(exits_if_its_allocator_is_lost_before_it_reported_an_end) {
  MasterWorld world;
  const auto master = world.spawned();
  world.settle();
  world.say(world.cluster, master, RegisteredApplicationMaster{{1024, 2}, "secret"});
  world.kill(world.allocator);
  BOOST_TEST(world.has_ended(master));
  BOOST_TEST(world.events().count("master_without_allocator") == 1);
}

BOOST_AUTO_TEST_CASE(an_allocator_may_exit_after_it_reported_the_end) {
  MasterWorld world;
  const auto master = world.spawned();
  world.settle();
  world.say(world.allocator, master, EndApplication{true, "done"});
  world.kill(world.allocator);
  BOOST_TEST(!world.has_ended(master));
  world.say(world.cluster, master, RegisteredApplicationMaster{{1024, 2}, "secret"});
  BOOST_TEST(world.cluster.last<FinishApplication>().succeeded);
}

BOOST_AUTO_TEST_CASE(an_end_before_registration_is_reported_after_registration) {
  MasterWorld world;
  const auto master = world.spawned();
  world.settle();
  world.say(world.allocator, master, EndApplication{false, "no Driver"});
  BOOST_TEST(world.cluster.count<FinishApplication>() == 0);
  world.say(world.cluster, master, RegisteredApplicationMaster{{1024, 2}, "secret"});
  BOOST_TEST(world.cluster.last<FinishApplication>().text == "no Driver");
  BOOST_TEST(world.allocator.count<StartAllocating>() == 0);
}

// C-Y-135: if the answer is "not registered", it registers and reports its end again.
BOOST_AUTO_TEST_CASE(an_end_refused_as_not_registered_is_reported_again_after_registration) {
  MasterWorld world;
  const auto master = world.spawned();
  world.settle();
  world.say(world.cluster, master, ApplicationMasterNotRegistered{"too early"});
  BOOST_TEST(world.cluster.count<RegisterApplicationMaster>() == 1);
  world.say(world.cluster, master, RegisteredApplicationMaster{{1024, 2}, "secret"});
  world.say(world.allocator, master, EndApplication{true, "done"});
  world.say(world.cluster, master, ApplicationMasterNotRegistered{"not registered"});
  BOOST_TEST(world.cluster.count<RegisterApplicationMaster>() == 2);
  BOOST_TEST(world.cluster.count<FinishApplication>() == 1);
  world.say(world.cluster, master, RegisteredApplicationMaster{{1024, 2}, "secret"});
  BOOST_TEST(world.cluster.count<FinishApplication>() == 2);
  BOOST_TEST(world.allocator.count<StartAllocating>() == 1);
  world.say(world.cluster, master, FinishedApplication{});
  BOOST_TEST(world.has_ended(master));
}

// C-E2-23, in part: a MapReduceMaster registers again through its ApplicationMaster.
BOOST_AUTO_TEST_CASE(an_allocator_whose_registration_is_lost_gets_another_start_after_the_next_registration) {
  MasterWorld world;
  const auto master = world.spawned();
  world.settle();
  world.say(world.allocator, master, RegistrationLost{});
  BOOST_TEST(world.cluster.count<RegisterApplicationMaster>() == 1);  // the first one is unanswered
  world.say(world.cluster, master, RegisteredApplicationMaster{{1024, 2}, "secret"});
  world.say(world.allocator, master, RegistrationLost{});
  BOOST_TEST(world.cluster.count<RegisterApplicationMaster>() == 2);
  BOOST_TEST(world.events().count("registers_again") == 1);
  world.say(world.cluster, master, RegisteredApplicationMaster{{2048, 2}, "secret"});
  BOOST_TEST(world.allocator.count<StartAllocating>() == 2);
  BOOST_TEST((world.allocator.last<StartAllocating>().maximum == Resource{2048, 2}));
  world.say(world.allocator, master, EndApplication{true, "done"});
  BOOST_TEST(world.cluster.last<FinishApplication>().succeeded);
}

BOOST_AUTO_TEST_CASE(retries_without_an_answer_and_gives_up_at_the_limit) {
  MasterWorld world;
  const auto master = world.spawned();
  world.advance(25s);
  BOOST_TEST(world.cluster.count<RegisterApplicationMaster>() == 3);
  world.advance(60s);
  BOOST_TEST(world.has_ended(master));
}

BOOST_AUTO_TEST_CASE(exits_if_the_resource_manager_is_lost_or_unreachable) {
  MasterWorld world;
  const auto master = world.spawned();
  world.settle();
  world.kill(world.cluster);
  BOOST_TEST(world.has_ended(master));
  const auto lonely = world.adopt(
      spawn_application_master(world.system(), {}, world.tools(), {world.attempt, "nowhere:1", "", "", {}, ""}));
  world.settle();
  BOOST_TEST(world.has_ended(lonely));
}

BOOST_AUTO_TEST_CASE(a_stale_tick_does_not_register) {
  MasterWorld world;
  const auto master = world.spawned();
  world.settle();
  world.say(master, ApplicationMasterTick{9999});
  BOOST_TEST(world.cluster.count<RegisterApplicationMaster>() == 1);
}

}  // namespace
}  // namespace application_master_test
}  // namespace heddle::actors
