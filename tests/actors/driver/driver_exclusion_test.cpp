// Goal: executors and hosts with failed tasks get no more tasks, and the allocator is told.
// Method: fake client, executors and allocator around one Driver, virtual time.
#include <boost/test/unit_test.hpp>

#include "tests/actors/driver/driver_world.hpp"

namespace heddle::actors {
namespace driver_exclusion_test {
namespace {

using namespace std::chrono_literals;

struct ExcludingWorld : DriverWorld {
  explicit ExcludingWorld(bool drains, std::int32_t executors_per_node = 2, bool on_fetch_failure = false) {
    settings.task_scheduler.exclusion = policies::ExclusionSettings{};
    settings.task_scheduler.exclusion->fetch_failure = on_fetch_failure;
    settings.task_scheduler.exclusion->kill_excluded_executors = true;
    settings.task_scheduler.exclusion->stage_failed_tasks_per_executor = 100;
    settings.task_scheduler.exclusion->application_failed_executors_per_node = executors_per_node;
    settings.drain_excluded = drains;
    settings.task_scheduler.wait_node = settings.task_scheduler.wait_process = settings.task_scheduler.wait_rack = 0s;
    start();
    say(allocator, driver, RegisterYarnAllocator{});
  }
};

BOOST_AUTO_TEST_CASE(a_failed_task_is_not_tried_on_the_same_executor_again) {
  ExcludingWorld world{false};
  auto& bad = world.executor(1, 1);
  world.submit({own_tasks("s", 1)});
  world.report(bad, 1, DriverWorld::launched(bad).at(0), failure("no disk"));
  world.advance(2s);
  BOOST_TEST(DriverWorld::tasks_on(bad) == 1);
  auto& good = world.executor(2, 1);
  BOOST_TEST(DriverWorld::tasks_on(good) == 1);
}

BOOST_AUTO_TEST_CASE(an_executor_that_fails_two_tasks_is_excluded_for_the_application_and_killed) {
  ExcludingWorld world{false};
  auto& bad = world.executor(1, 2);
  world.submit({own_tasks("s", 2)});
  auto& good = world.executor(2, 2);
  world.report(bad, 1, DriverWorld::launched(bad).at(0), failure("no disk"));
  BOOST_TEST(world.allocator.count<KillExecutors>() == 0);
  for (const auto& range : DriverWorld::launched(good)) world.report(good, 2, range, {});
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
  BOOST_REQUIRE(world.allocator.count<KillExecutors>() == 1);
  BOOST_TEST(world.allocator.last<KillExecutors>().executors.at(0).value == 1);
}

// C-HT-13: excluded executors are drained, as in a decommission, and not killed.
BOOST_AUTO_TEST_CASE(an_excluded_executor_may_finish_its_tasks_first) {
  ExcludingWorld world{true};
  auto& bad = world.executor(1, 3);
  world.submit({own_tasks("s", 2)});
  auto& good = world.executor(2, 2);
  world.report(bad, 1, DriverWorld::launched(bad).at(0), failure("no disk"));
  world.submit({own_tasks("t", 1)});
  const auto late = DriverWorld::launched(bad).back();
  for (const auto& range : DriverWorld::launched(good)) world.report(good, 2, range, {});
  BOOST_TEST(world.allocator.count<KillExecutors>() == 0);
  world.report(bad, 1, late, {});
  BOOST_TEST(world.allocator.count<KillExecutors>() == 1);
  BOOST_TEST(world.client.count<JobFinished>() == 2);
}

BOOST_AUTO_TEST_CASE(an_excluded_host_is_told_to_whoever_starts_executors) {
  ExcludingWorld world{false, 1};
  auto& bad = world.executor(1, 2);
  world.submit({own_tasks("s", 2)});
  auto& good = world.executor(2, 2);
  world.report(bad, 1, DriverWorld::launched(bad).at(0), failure("no disk"));
  for (const auto& range : DriverWorld::launched(good)) world.report(good, 2, range, {});
  world.advance(1s);
  const auto excluded = world.allocator.last<RequestExecutors>().excluded_hosts;
  BOOST_REQUIRE(excluded.size() == 1U);
  BOOST_TEST(excluded[0] == "h1");
}

// heddle.exclusion.on_fetch_failure: the host whose map output could not be fetched is excluded at once, and whoever
// starts executors is told; without the setting it is not.
BOOST_AUTO_TEST_CASE(a_host_whose_output_cannot_be_fetched_is_excluded_where_the_setting_says_so) {
  for (const bool is_excluding : {true, false}) {
    ExcludingWorld world{false, 2, is_excluding};
    auto& writer = world.executor(1, 1);
    world.submit({own_tasks("map", 1), after("reduce", 0, 1)});
    world.report(writer, 1, DriverWorld::launched(writer).at(0), {});
    auto& reader = world.executor(2, 1);
    const auto lost = fetch_failure(1);
    const bool runs_on_writer = DriverWorld::launched(writer).size() == 2;
    if (runs_on_writer) world.report(writer, 1, DriverWorld::launched(writer).at(1), lost);
    else world.report(reader, 2, DriverWorld::launched(reader).at(0), lost);
    const auto excluded = world.allocator.last<RequestExecutors>().excluded_hosts;
    BOOST_TEST(excluded == (is_excluding ? std::vector<std::string>{"h1"} : std::vector<std::string>{}),
               boost::test_tools::per_element());
    BOOST_TEST(world.allocator.count<KillExecutors>() == (is_excluding ? 1 : 0));
  }
}

// An output that was written anew elsewhere since is not the fault of where it stands now.
BOOST_AUTO_TEST_CASE(a_fetch_failure_at_a_former_place_excludes_nobody) {
  ExcludingWorld world{false, 2, true};
  auto& writer = world.executor(1, 1);
  world.submit({own_tasks("map", 1), after("reduce", 0, 1)});
  world.report(writer, 1, DriverWorld::launched(writer).at(0), {});
  const auto lost = fetch_failure(7);
  world.report(writer, 1, DriverWorld::launched(writer).at(1), lost);
  BOOST_TEST(world.allocator.last<RequestExecutors>().excluded_hosts.empty());
  BOOST_TEST(world.allocator.count<KillExecutors>() == 0);
}

}  // namespace
}  // namespace driver_exclusion_test
}  // namespace heddle::actors
