// Goal: a Driver without work wakes up no more often than its executors send heartbeats. Method: virtual time; the
// timers that are due between two heartbeats, before a job, and after one that finished.
#include "tests/actors/driver/driver_world.hpp"

namespace heddle::actors {
namespace driver_quiet_test {
namespace {

using namespace std::chrono_literals;

constexpr Duration heartbeat = 10s;

struct QuietWorld : DriverWorld {
  void begin() {
    settings.executor_timeout = 120s;
    start();
    say(allocator, driver, RegisterYarnAllocator{});
    executor(1, 2);
    executor(2, 2);
  }
  /// After what the last event armed has passed: the most timers that are due between two heartbeats.
  std::size_t timers_while_idle() {
    std::size_t most = 0;
    for (int period = 0; period < 12; ++period) {
      advance(heartbeat);
      for (const std::int64_t id : {1, 2}) send_heartbeat(id);
      if (period >= 3) most = std::max(most, timers_in(heartbeat));
    }
    return most;
  }
  void run_job() {
    submit({own_tasks("map", 4), after("reduce", 0, 2)});
    for (const std::int64_t id : {1, 2, 1, 2}) {
      auto& from = peer("executor-" + std::to_string(id));
      const auto ranges = launched(from);
      for (auto at = reported[id]; at < ranges.size(); ++at) {
        TaskOutcome done;
        done.partition_bytes = {10, 10};
        report(from, id, ranges[at], done);
      }
      reported[id] = ranges.size();
    }
    BOOST_REQUIRE(client.count<JobFinished>() == 1);
    BOOST_TEST((client.last<JobFinished>().status == JobStatus::succeeded));
  }
  std::map<std::int64_t, std::size_t> reported;
};

void check_quiet(QuietWorld& world) {
  world.begin();
  BOOST_TEST(world.timers_while_idle() <= 1U);
  world.run_job();
  BOOST_TEST(world.timers_while_idle() <= 1U);
  BOOST_TEST(world.events().count("executor_lost") == 0);
}

BOOST_AUTO_TEST_CASE(an_idle_driver_with_a_fixed_number_of_executors_is_quiet) {
  QuietWorld world;
  check_quiet(world);
}

BOOST_AUTO_TEST_CASE(an_idle_driver_with_speculation_and_exclusion_is_quiet) {
  QuietWorld world;
  world.settings.task_scheduler.speculation.emplace();
  world.settings.task_scheduler.exclusion.emplace();
  check_quiet(world);
}

BOOST_AUTO_TEST_CASE(an_idle_driver_with_dynamic_allocation_is_quiet) {
  QuietWorld world;
  world.settings.allocation.dynamic = true;
  world.settings.allocation.executors_min = 2;
  world.settings.allocation.executors_max = 4;
  check_quiet(world);
}

}  // namespace
}  // namespace driver_quiet_test
}  // namespace heddle::actors
