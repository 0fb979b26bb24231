// Moves of applications between fair queues: the numbered cases of the YARN specification and FS-20, then random moves
// with invariants after each.
#include <boost/test/unit_test.hpp>

#include "model/random_stream.hpp"
#include "policies/cluster/scheduler/resource_scheduler.hpp"
#include "tests/support/fair_world.hpp"

namespace heddle::policies {
namespace fair_moves_test {
namespace {

Result<std::string> move(FairWorld& world, FairWorld::App app, const std::string& queue) {
  auto answer = world.fair.on_application_moved(FairWorld::attempt(app).application, queue, world.effects);
  world.fair.check_invariants();
  return answer;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(fair_moves)

// C-Y-078: no running application allowed; at most 1024/1, where 2048/2 are used; unknown queue.
BOOST_AUTO_TEST_CASE(an_application_stays_where_the_other_queue_has_no_place_for_it) {
  FairWorld world{R"(<queue name="queue1"/><queue name="queue2"><maxRunningApps>0</maxRunningApps></queue>
                     <queue name="queue3"><maxResources>1024mb,1vcores</maxResources></queue>)"};
  const NodeId node = world.node(8192, 8);
  const auto app = world.submit(1024, 1, "queue1", 2);
  world.update();
  world.beat(node, 2);
  BOOST_TEST(text(world.queue("queue1").usage) == "2048/2");
  const auto full = move(world, app, "queue2");
  BOOST_REQUIRE(!full.has_value());
  BOOST_TEST(full.error().text ==
             "application " + to_string(FairWorld::attempt(app).application) +
                 " cannot move to root.queue2: queue root.queue2 has reached its limit of running applications");
  const auto small = move(world, app, "queue3");
  BOOST_REQUIRE(!small.has_value());
  BOOST_TEST(small.error().text.ends_with("queue root.queue3 would exceed its maximum"));
  const auto absent = move(world, app, "queue4");
  BOOST_REQUIRE(!absent.has_value());
  BOOST_TEST((absent.error().code == Errc::not_found));
  BOOST_TEST(text(world.queue("queue1").usage) == "2048/2");
}

// C-Y-079.
BOOST_AUTO_TEST_CASE(what_an_application_holds_moves_with_it) {
  FairWorld world{
      R"(<queue name="parent1"><queue name="queue1"/></queue><queue name="parent2"><queue name="queue2"/></queue>)"};
  const NodeId node = world.node(10240, 10);
  const auto app = world.submit(1024, 1, "parent1.queue1");
  world.update();
  world.beat(node);
  const auto usage = [&](const char* queue) { return text(world.queue(queue).usage); };
  BOOST_TEST(usage("parent1.queue1") == "1024/1");
  BOOST_TEST(usage("parent1") == "1024/1");
  BOOST_TEST(usage("parent2") == "0/0");
  BOOST_TEST(*move(world, app, "parent2.queue2") == "root.parent2.queue2");
  BOOST_TEST(usage("parent1.queue1") == "0/0");
  BOOST_TEST(usage("parent1") == "0/0");
  BOOST_TEST(usage("parent2.queue2") == "1024/1");
  BOOST_TEST(usage("parent2") == "1024/1");
  BOOST_TEST(usage("root") == "1024/1");
}

BOOST_AUTO_TEST_CASE(limits_above_both_queues_do_not_stand_in_the_way) {
  FairWorld world{
      R"(<queue name="parent"><maxRunningApps>1</maxRunningApps><queue name="a"/><queue name="b"/></queue>)"};
  const auto app = world.submit(1024, 1, "parent.a");
  BOOST_TEST(move(world, app, "parent.b").has_value());
  BOOST_TEST(world.queue("parent.b").running == 1);
  BOOST_TEST(world.queue("parent").running == 1);
}

BOOST_AUTO_TEST_CASE(a_move_lets_the_next_run_and_a_waiting_application_runs_where_it_may) {
  FairWorld world{R"(<queue name="a"><maxRunningApps>1</maxRunningApps></queue><queue name="b"/>)"};
  const auto first = world.submit(1024, 1, "a");
  const auto second = world.submit(1024, 1, "a");
  const auto third = world.submit(1024, 1, "a");
  BOOST_TEST(!world.application(second).is_runnable);
  BOOST_TEST(move(world, third, "b").has_value());
  BOOST_TEST(world.application(third).is_runnable);
  BOOST_TEST(move(world, first, "b").has_value());
  BOOST_TEST(world.application(second).is_runnable);
  BOOST_TEST(world.queue("b").running == 2);
}

BOOST_AUTO_TEST_CASE(only_fair_queues_take_applications_of_others) {
  ResourceScheduler scheduler{FifoScheduler{{}}};
  ResourceEffects effects;
  BOOST_TEST((scheduler.apply(Instant{}, resource_input::ApplicationMoved{{1, 1}, "root.a"}, effects).error().code ==
              Errc::refused));
}

BOOST_AUTO_TEST_CASE(random_moves_keep_the_books) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    RandomStream random{seed};
    FairWorld world{
        R"(<queue name="a"><maxRunningApps>2</maxRunningApps></queue>
         <queue name="b"><queue name="c"/><queue name="d"/></queue>
                       <queue name="e"><maxResources>4096mb,4vcores</maxResources></queue>)"};
    const std::vector<std::string> leaves{"a", "b.c", "b.d", "e"};
    const NodeId node = world.node(16384, 16);
    std::vector<FairWorld::App> apps;
    for (int step = 0; step < 80; ++step) {
      const std::uint64_t what = random.below(4);
      if (what == 0 || apps.empty()) apps.push_back(world.submit(1024, 1, leaves[random.below(4)], 2));
      else if (what == 1) (void)move(world, apps[random.below(apps.size())], leaves[random.below(4)]);
      else if (what == 2) world.beat(node);
      else if (random.chance(1, 3)) world.remove(apps[random.below(apps.size())]);
      world.update();
      world.fair.check_invariants();
      BOOST_REQUIRE(fits_in(world.queue("e").usage, Resource{4096, 4}));
      BOOST_REQUIRE(world.queue("a").running <= 2);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fair_moves_test
}  // namespace heddle::policies
