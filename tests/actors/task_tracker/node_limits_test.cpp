// Goal: a TaskTracker tells its free disk space and ends attempts for lack of it, or of memory. Method: as in
// task_tracker_test.cpp.
#include <boost/test/unit_test.hpp>
#include <limits>
#include <vector>

#include "tests/actors/task_tracker/slot_world.hpp"

namespace heddle::actors {
namespace node_limits_test {
namespace {

// JP-1: a job starts no map where its output is not expected to fit.
BOOST_AUTO_TEST_CASE(heartbeats_tell_free_space_and_too_little_of_it_ends_attempts) {
  TaskTrackerSettings settings;
  settings.limits.start_space_min = 1000;
  settings.limits.kill_space_min = 500;
  SlotWorld world{settings};
  BOOST_TEST(world.last_beat().free_space == std::numeric_limits<std::int64_t>::max());  // unknown
  BOOST_TEST(world.last_beat().accepts_tasks);
  auto& first = world.run_map();
  for (const std::int64_t free : {1000, 999, 499}) {
    world.free_bytes = free;
    world.advance(300ms);
    BOOST_TEST(world.last_beat().free_space == free);
    BOOST_TEST(world.last_beat().accepts_tasks == (free == 1000));
    BOOST_TEST(first.count<KillAttempt>() == (free == 499 ? 1 : 0));
    world.answer();
  }
  BOOST_TEST(first.last<KillAttempt>().reason == "too little disk space is left on a");
}

BOOST_AUTO_TEST_CASE(a_child_above_its_memory_fails_its_attempt) {
  TaskTrackerSettings settings;
  settings.limits.map_memory = 64 << 20;
  SlotWorld world{settings};
  world.run_map();
  for (const std::int64_t used : {65, 63, 65, 66}) {  // twice in a row is too much
    BOOST_TEST(world.launcher.stopped.empty());
    world.advance(3s);
    BOOST_TEST((world.launcher.measured.back() == std::vector<std::int64_t>{1}));
    world.launcher.answer({{1, used << 20}});
    world.settle();
  }
  BOOST_TEST(world.launcher.stopped.contains(1));
  world.answer();
  const auto status = world.last_beat().attempts.front();
  BOOST_TEST((status.state == TaskAttemptState::failed_unclean));
  BOOST_TEST(status.outcome->text == "its child held 66 MiB of 64 MiB");
}

BOOST_AUTO_TEST_CASE(without_a_limit_no_memory_is_measured) {
  SlotWorld world;
  world.run_map();
  world.advance(10s);
  BOOST_TEST(world.launcher.measured.empty());
}

}  // namespace
}  // namespace node_limits_test
}  // namespace heddle::actors
