// Goal: a kill ends an attempt in time, whatever its child reports meanwhile. Method: fake JobTracker, children and
// launcher around one TaskTracker, virtual time.
#include <boost/test/unit_test.hpp>

#include "tests/actors/task_tracker/slot_world.hpp"

namespace heddle::actors {
namespace attempt_slots_flow_test {
namespace {

/// A map runs as child 1, and the JobTracker has killed it.
tests::Peer& run_and_kill_map(SlotWorld& world) {
  auto& child = world.run_map();
  HeartbeatResponse kill;
  kill.kills = {SlotWorld::attempt(0)};
  world.advance(300ms);
  world.answer(kill);
  return child;
}

BOOST_AUTO_TEST_CASE(a_report_of_progress_does_not_put_off_the_end_of_a_killed_attempt) {
  SlotWorld world;
  auto& child = run_and_kill_map(world);
  BOOST_TEST(child.count<KillAttempt>() == 1);
  world.say(child, world.tracker, AttemptProgress{1, SlotWorld::attempt(0), 0.5F, TaskPhase::map, true});
  world.advance(2s);
  BOOST_TEST(world.launcher.stopped.contains(1));
}

BOOST_AUTO_TEST_CASE(a_killed_attempt_that_wants_to_commit_is_killed_again) {
  SlotWorld world;
  auto& child = run_and_kill_map(world);
  world.say(child, world.tracker, CommitPending{1, SlotWorld::attempt(0)});
  BOOST_TEST(child.count<KillAttempt>() == 2);
  BOOST_TEST((child.last<KillAttempt>().attempt == SlotWorld::attempt(0)));
  world.advance(300ms);
  for (const auto& beat : world.cluster.all<TrackerHeartbeat>())
    for (const auto& status : beat.attempts) BOOST_TEST((status.state != TaskAttemptState::commit_pending));
}

}  // namespace
}  // namespace attempt_slots_flow_test
}  // namespace heddle::actors
