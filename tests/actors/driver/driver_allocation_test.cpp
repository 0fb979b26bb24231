// Goal: jobs wait for enough executors, and dynamic allocation requests and removes executors.
// Method: fake client, executors and allocator around one Driver, virtual time.
#include <boost/test/unit_test.hpp>

#include "tests/actors/driver/driver_world.hpp"

namespace heddle::actors {
namespace driver_allocation_test {
namespace {

using namespace std::chrono_literals;

void remove(DriverWorld& world, std::int64_t id, LossKind kind) {
  RemoveExecutor message;
  message.executor = ExecutorId{id};
  message.loss.reason.kind = kind;
  world.say(world.allocator, world.driver, message);
}

// -- enough executors first (BE-13) --------------------------------------------------

struct PatientWorld : DriverWorld {
  explicit PatientWorld(double ratio) {
    settings.allocation.executors_initial = 4;
    settings.registration.ratio_min = ratio;
    settings.registration.wait_max = 30s;
    start();
  }
};

BOOST_AUTO_TEST_CASE(a_job_starts_when_the_wanted_share_of_executors_has_registered_BE_13) {
  PatientWorld world{0.8};
  world.submit({own_tasks("s", 4)});
  std::vector<tests::Peer*> executors;
  for (std::int64_t id = 1; id <= 3; ++id) executors.push_back(&world.executor(id, 1));
  world.advance(29s);
  for (const auto* executor : executors) BOOST_TEST(DriverWorld::tasks_on(*executor) == 0);
  executors.push_back(&world.executor(4, 1));
  for (const auto* executor : executors) BOOST_TEST(DriverWorld::tasks_on(*executor) == 1);
}

BOOST_AUTO_TEST_CASE(a_job_starts_with_fewer_executors_once_the_longest_wait_is_over_BE_13) {
  PatientWorld world{1.0};
  auto& executor = world.executor(1, 1);
  world.submit({own_tasks("s", 4)});
  world.advance(29s);
  BOOST_TEST(DriverWorld::tasks_on(executor) == 0);
  world.advance(1s);
  BOOST_TEST(DriverWorld::tasks_on(executor) == 1);
}

BOOST_AUTO_TEST_CASE(executors_that_are_lost_later_hold_up_no_job_BE_13) {
  PatientWorld world{1.0};
  world.say(world.allocator, world.driver, RegisterYarnAllocator{});
  std::vector<tests::Peer*> executors;
  for (std::int64_t id = 1; id <= 4; ++id) executors.push_back(&world.executor(id, 1));
  for (std::int64_t id = 2; id <= 4; ++id) remove(world, id, LossKind::exited);
  world.submit({own_tasks("s", 1)});
  BOOST_TEST(DriverWorld::tasks_on(*executors[0]) == 1);
}

BOOST_AUTO_TEST_CASE(a_job_that_is_cancelled_while_it_waits_for_executors_takes_its_prepared_output_back) {
  PatientWorld world{1.0};
  auto stage = own_tasks("s", 1);
  stage.output = TextOutput{"/out", {}, {}, {}, {}, {}, {}};
  world.submit({stage});
  world.say(world.client, world.driver, CancelJob{JobId{0}, "enough"});
  BOOST_TEST(world.commit.aborts == 1);
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::cancelled));
}

BOOST_AUTO_TEST_CASE(a_driver_that_fails_says_so_to_those_who_wait) {
  DriverWorld world;
  world.task_binary_error = [](const StageProgram&) -> std::string { throw std::runtime_error{"out of everything"}; };
  world.start();
  world.submit({own_tasks("s", 1)});
  const auto end = world.client.last<JobFinished>();
  BOOST_TEST((end.status == JobStatus::failed));
  BOOST_TEST(end.text == "the driver failed: out of everything");
  BOOST_TEST(end.service_failed);
}

// -- dynamic allocation --------------------------------------------------------------

struct DynamicWorld : DriverWorld {
  explicit DynamicWorld(bool tracks_shuffles = false, bool decommissions = false) {
    settings.allocation.decommission = decommissions;
    settings.allocation.dynamic = true;
    settings.allocation.executors_initial = 0;
    settings.allocation.monitor.idle_timeout = 5s;
    settings.allocation.monitor.shuffle_service = !tracks_shuffles;
    settings.task_scheduler.dynamic_allocation = true;
    settings.executor_timeout = std::chrono::hours{1};
    start();
    say(allocator, driver, RegisterYarnAllocator{});
  }
  [[nodiscard]] std::int32_t wanted() { return allocator.last<RequestExecutors>().target_total(); }
};

BOOST_AUTO_TEST_CASE(a_backlog_asks_for_one_executor_then_twice_as_many_each_second_up_to_the_need) {
  DynamicWorld world;
  BOOST_TEST(world.wanted() == 0);
  world.submit({own_tasks("s", 10)});
  const std::int32_t expected[] = {1, 3, 7, 10, 10};
  world.advance(50ms);
  for (const auto total : expected) {
    world.advance(1s);
    BOOST_TEST(world.wanted() == total);
  }
}

BOOST_AUTO_TEST_CASE(the_places_of_waiting_tasks_are_told_with_the_total) {
  DynamicWorld world;
  SubmitJob job;
  job.package.graph = {"job", "", {own_tasks("s", 0)}};
  job.package.graph.stages[0].inputs.push_back({});
  job.package.splits.resize(1);
  for (const auto* host : {"a", "a", "b"}) {
    TaskSplit split;
    split.split.hosts = {host};
    job.package.splits[0].splits.push_back(split);
  }
  world.say(world.client, world.driver, std::move(job));
  world.advance(1100ms);
  const auto asked = world.allocator.last<RequestExecutors>().profiles.at(0);
  BOOST_TEST(asked.locality_tasks == 3);
  BOOST_REQUIRE(asked.hosts.size() == 2U);
  BOOST_TEST(asked.hosts[0].first == "a");
  BOOST_TEST(asked.hosts[0].second == 2);
}

BOOST_AUTO_TEST_CASE(an_executor_without_tasks_goes_after_the_idle_time_and_one_that_works_stays) {
  DynamicWorld world;
  world.submit({own_tasks("s", 2)});
  auto& first = world.executor(1, 1);
  auto& second = world.executor(2, 1);
  world.advance(100ms);
  BOOST_TEST(DriverWorld::tasks_on(second) == 1);
  const auto range = DriverWorld::launched(second).at(0);
  world.report(second, 2, range, {});
  world.advance(4s);
  BOOST_TEST(world.allocator.count<KillExecutors>() == 0);
  world.advance(1500ms);
  BOOST_REQUIRE(world.allocator.count<KillExecutors>() == 1);
  const auto killed = world.allocator.last<KillExecutors>().executors;
  BOOST_REQUIRE(killed.size() == 1U);
  BOOST_TEST(killed[0].value == 2);
  remove(world, 2, LossKind::killed);
  world.report(first, 1, DriverWorld::launched(first).at(0), {});
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
  BOOST_TEST(world.client.last<JobFinished>().totals.failed_attempts == 0);
}

BOOST_AUTO_TEST_CASE(an_executor_without_tasks_is_decommissioned_where_that_is_asked_for) {
  for (const bool is_asked_for : {false, true}) {
    DynamicWorld world{false, is_asked_for};
    world.submit({own_tasks("s", 2)});
    world.executor(1, 1);
    auto& second = world.executor(2, 1);
    world.advance(100ms);
    world.report(second, 2, DriverWorld::launched(second).at(0), {});
    world.advance(5500ms);
    BOOST_REQUIRE(world.allocator.count<KillExecutors>() == 1);
    BOOST_TEST((world.allocator.last<KillExecutors>().executors == std::vector<ExecutorId>{ExecutorId{2}}));
    BOOST_TEST(world.events().count("task_scheduler_decommission") == (is_asked_for ? 1 : 0));
    remove(world, 2, LossKind::killed);
    world.advance(10s);
    BOOST_TEST(world.allocator.count<KillExecutors>() == 1);
  }
}

// C-BE-05: of a busy, an idle, an unknown and a leaving executor only the idle one is asked to go, and once.
BOOST_AUTO_TEST_CASE(only_idle_executors_are_asked_to_go_and_each_once) {
  DynamicWorld world;
  world.submit({own_tasks("s", 1)});
  auto& busy = world.executor(1, 1);
  BOOST_TEST(DriverWorld::tasks_on(busy) == 1);
  world.executor(2, 1);
  world.executor(3, 1);
  remove(world, 3, LossKind::killed);
  for (int i = 0; i < 6; ++i) world.advance(5s);
  std::vector<std::int64_t> asked;
  for (const auto& message : world.allocator.all<KillExecutors>())
    for (const auto id : message.executors) asked.push_back(id.value);
  BOOST_TEST(asked == std::vector<std::int64_t>{2}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(with_shuffle_tracking_an_executor_whose_output_is_needed_stays) {
  DynamicWorld world{true};
  world.submit({own_tasks("map", 1), after("reduce", 0, 1)});
  auto& first = world.executor(1, 1);
  world.report(first, 1, DriverWorld::launched(first).at(0), {});
  auto& second = world.executor(2, 1);
  world.advance(20s);
  BOOST_TEST(DriverWorld::tasks_on(first) + DriverWorld::tasks_on(second) == 2);
  for (const auto& message : world.allocator.all<KillExecutors>())
    for (const auto id : message.executors) BOOST_TEST(id.value == 2);
}

}  // namespace
}  // namespace driver_allocation_test
}  // namespace heddle::actors
