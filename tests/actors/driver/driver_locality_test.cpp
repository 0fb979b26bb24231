// Goal: with heddle.locality.adaptive the Driver passes task sizes to its scheduler, and slots wait according to them.
// Method: fake client and executors around one Driver, virtual time; the event log shows what the scheduler got.
#include <boost/json/parse.hpp>
#include <boost/test/unit_test.hpp>
#include <optional>

#include "tests/actors/driver/driver_world.hpp"
#include "tests/support/event_log_reader.hpp"

namespace heddle::actors {
namespace driver_locality_test {
namespace {

using namespace std::chrono_literals;

struct AdaptiveWorld : DriverWorld {
  explicit AdaptiveWorld(bool is_adaptive = true) {
    settings.task_scheduler.wait_process = settings.task_scheduler.wait_node = settings.task_scheduler.wait_rack = 100s;
    if (is_adaptive) settings.task_scheduler.adaptive = policies::AdaptiveLocality{1s, 1.5};
    start();
  }
  /// A stage with one split of each length, all on this host.
  void submit_reading(const std::vector<std::int64_t>& lengths, const std::string& host) {
    SubmitJob job;
    job.package.graph = {"job", "", {own_tasks("s", 0)}};
    job.package.graph.stages[0].inputs.push_back({});
    job.package.splits.resize(1);
    for (const auto length : lengths) {
      TaskSplit split;
      split.split.length = length;
      split.split.hosts = {host};
      job.package.splits[0].splits.push_back(split);
    }
    say(client, driver, std::move(job));
  }
  /// The task times that the scheduler got with its n-th task set; empty: none.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> task_times(std::size_t set) {
    for (const auto& each : events().lines) {
      const auto line = boost::json::parse(each).as_object();
      if (tests::text(line, "event") != "task_scheduler_set" || set-- > 0) continue;
      if (!line.contains("expected_shares")) return std::nullopt;
      return tests::column(line, "expected_shares");
    }
    BOOST_FAIL("no such task set");
    return std::nullopt;
  }
};

std::int32_t tasks_of(const tests::Peer& executor) {
  std::int32_t count = 0;
  for (const auto& range : DriverWorld::launched(executor)) count += range.count;
  return count;
}

BOOST_AUTO_TEST_CASE(adaptive_locality_gets_the_sizes_of_unequal_splits) {
  AdaptiveWorld world;
  world.executor(1, 1);
  world.submit_reading({100, 900, 200}, "h1");
  BOOST_REQUIRE(world.task_times(0));
  BOOST_TEST(*world.task_times(0) == (std::vector<std::int64_t>{250, 2250, 500}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(adaptive_locality_gets_no_sizes_of_equal_splits_or_if_it_is_off) {
  for (const bool is_adaptive : {true, false}) {
    AdaptiveWorld world{is_adaptive};
    world.executor(1, 1);
    const std::int64_t second = is_adaptive ? 100 : 900;
    world.submit_reading({100, second}, "h1");
    BOOST_TEST(!world.task_times(0));
  }
}

// If both tasks are equal, the second one ends after 2 s near its data and after 1.5 s far from it. If it reads the
// most, it needs 2.7 s far from its data.
BOOST_AUTO_TEST_CASE(a_slot_waits_for_a_task_that_would_take_too_long_far_from_its_data) {
  for (const bool is_long : {false, true}) {
    AdaptiveWorld world;
    auto& near = world.executor(1, 1);
    auto& far = world.executor(2, 1);
    world.submit_reading({is_long ? 100 : 500, is_long ? 900 : 500}, "h1");
    BOOST_TEST(tasks_of(near) == 1);
    BOOST_TEST(tasks_of(far) == (is_long ? 0 : 1));
  }
}

// Spark's HDFSCacheTaskLocation: a host that holds the split in memory counts as each of its executors.
BOOST_AUTO_TEST_CASE(a_task_waits_for_the_host_that_has_its_data_in_memory) {
  for (const bool is_cached : {false, true}) {
    AdaptiveWorld world{false};
    auto& first = world.executor(1, 1);
    auto& second = world.executor(2, 1);
    SubmitJob job;
    job.package.graph = {"job", "", {own_tasks("s", 0)}};
    job.package.graph.stages[0].inputs.push_back({});
    TaskSplit split;
    split.split.length = 100;
    split.split.hosts = {"h1", "h2"};
    if (is_cached) split.split.cached_hosts = {"h2"};
    job.package.splits.resize(1);
    job.package.splits[0].splits.push_back(split);
    world.say(world.client, world.driver, std::move(job));
    BOOST_TEST(tasks_of(first) + tasks_of(second) == 1);
    if (is_cached) BOOST_TEST(tasks_of(second) == 1);
  }
}

BOOST_AUTO_TEST_CASE(reduce_task_sizes_come_from_the_sizes_of_map_outputs) {
  AdaptiveWorld world;
  auto& executor = world.executor(1, 4);
  world.submit({own_tasks("maps", 2), after("reduces", 0, 2)});
  for (const auto& range : DriverWorld::launched(executor)) {
    TaskOutcome outcome;
    outcome.state = TaskState::finished;
    outcome.partition_bytes = {1000, 3000};
    world.report(executor, 1, range, outcome);
  }
  BOOST_TEST(!world.task_times(0));
  BOOST_REQUIRE(world.task_times(1));
  const auto told = *world.task_times(1);
  BOOST_REQUIRE(told.size() == 2U);
  // Sizes are rounded in steps of a tenth.
  BOOST_TEST((told[0] > 450 && told[0] < 550));
  BOOST_TEST(told[0] + told[1] == 2000);
}

}  // namespace
}  // namespace driver_locality_test
}  // namespace heddle::actors
