// Goal: stages with another executor size get executors of that size only, and equal sizes share them. Method: a Driver
// with dynamic allocation and fake executors; each test replays its log (driver_world.hpp).
#include <boost/test/unit_test.hpp>

#include "tests/actors/driver/driver_world.hpp"

namespace heddle::actors {
namespace driver_profiles_test {
namespace {

using namespace std::chrono_literals;

struct ProfileWorld : DriverWorld {
  explicit ProfileWorld(bool is_dynamic = true) {
    settings.allocation.dynamic = is_dynamic;
    settings.allocation.executors_initial = 0;
    settings.allocation.monitor.idle_timeout = 5s;
    settings.allocation.monitor.shuffle_service = true;
    settings.task_scheduler.dynamic_allocation = is_dynamic;
    settings.executor_timeout = std::chrono::hours{1};
  }
  void begin() {
    start();
    say(allocator, driver, RegisterYarnAllocator{});
  }
  tests::Peer& executor_of(std::int64_t profile, std::int64_t id, std::int32_t cores) {
    return executor(id, cores, {}, ProfileId{profile});
  }
  [[nodiscard]] ProfileTarget wanted(std::int64_t profile) {
    for (const auto& requested : allocator.last<RequestExecutors>().profiles)
      if (requested.profile == ProfileId{profile}) return requested;
    return {ProfileId{-1}, -1, 0, {}};
  }
};

StageDescription sized(StageDescription stage, std::int32_t executor_cores, std::int64_t executor_memory_mib,
                       std::int32_t cores = 0) {
  stage.executor_cores = executor_cores;
  stage.executor_memory_mib = executor_memory_mib;
  stage.cores = cores;
  return stage;
}

std::int32_t tasks_of(const tests::Peer& executor) {
  std::int32_t tasks = 0;
  for (const auto& range : DriverWorld::launched(executor)) tasks += range.count;
  return tasks;
}

void finish_all(ProfileWorld& world, tests::Peer& executor, std::int64_t id) {
  for (const auto& range : DriverWorld::launched(executor)) world.report(executor, id, range, {});
}

}  // namespace

// RP-1, RP-4, YA-5: one total per profile, and tasks run only on executors of their profile.
BOOST_AUTO_TEST_CASE(a_stage_of_another_size_waits_for_executors_of_that_size) {
  ProfileWorld world;
  world.begin();
  world.submit({own_tasks("usual", 2), sized(after("wide", 0, 4), 2, 2048)});
  world.advance(1100ms);
  BOOST_TEST(world.wanted(0).target_total == 1);
  auto& usual = world.executor_of(0, 1, 2);
  world.advance(100ms);
  BOOST_TEST(tasks_of(usual) == 2);
  finish_all(world, usual, 1);
  world.advance(3s);
  BOOST_TEST(tasks_of(usual) == 2, "it is idle, and of another profile");
  const auto wide = world.wanted(1);
  BOOST_TEST(wide.target_total == 2, "four tasks of one core in executors of two");
  BOOST_TEST(wide.cores == 2);
  BOOST_TEST(wide.memory_mib == 2048);
  BOOST_TEST(wide.tasks_per_executor == 2);
  BOOST_TEST(world.wanted(0).target_total == 0);
  auto& second = world.executor_of(1, 2, 2);
  world.advance(100ms);
  BOOST_TEST(tasks_of(second) == 2);
  finish_all(world, second, 2);
  world.advance(5s);
  BOOST_REQUIRE(world.allocator.count<KillExecutors>() > 0);
  BOOST_TEST((world.allocator.last<KillExecutors>().executors == std::vector{ExecutorId{1}}), "idle, and of no use");
  for (const auto& range : DriverWorld::launched(second))
    if (range.first_index >= 2) world.report(second, 2, range, {});
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
}

BOOST_AUTO_TEST_CASE(equal_sizes_share_a_profile_and_other_tasks_are_another_one) {
  ProfileWorld world;
  world.begin();
  world.submit(
      {sized(own_tasks("a", 1), 2, 1024), sized(own_tasks("b", 1), 2, 1024), sized(own_tasks("c", 1), 2, 1024, 2)});
  world.submit({sized(own_tasks("d", 3), 2, 1024)});
  world.advance(1100ms);
  BOOST_TEST(world.wanted(1).tasks_per_executor == 2);
  BOOST_TEST(world.wanted(2).tasks_per_executor == 1, "tasks of two cores");
  BOOST_TEST(world.wanted(3).target_total == -1, "there is no third size");
  auto& wide = world.executor_of(2, 1, 2);
  auto& shared = world.executor_of(1, 2, 2);
  world.advance(100ms);
  BOOST_TEST(tasks_of(wide) == 1);
  BOOST_TEST(tasks_of(shared) == 2, "of stages of one size, whichever job they are of");
}

// A later allocator knows no profile, so it gets all of them.
BOOST_AUTO_TEST_CASE(the_next_allocator_gets_every_profile) {
  ProfileWorld world;
  world.begin();
  world.submit({sized(own_tasks("wide", 4), 2, 2048)});
  world.advance(1100ms);
  auto& next = world.peer("the next allocator");
  world.say(next, world.driver, RegisterYarnAllocator{});
  const auto told = next.last<RequestExecutors>();
  BOOST_REQUIRE(told.profiles.size() == 2U);
  BOOST_TEST(told.profiles[1].cores == 2);
  BOOST_TEST(told.profiles[1].memory_mib == 2048);
}

// RP-5
BOOST_AUTO_TEST_CASE(stages_with_their_own_executor_size_need_dynamic_allocation) {
  ProfileWorld world{false};
  world.begin();
  world.submit({sized(own_tasks("wide", 4), 2, 2048)});
  const auto end = world.client.last<JobFinished>();
  BOOST_TEST((end.status == JobStatus::failed));
  BOOST_TEST(end.text.find("ResourceProfiles are only supported on YARN and Kubernetes and Standalone") == 0U);
}

// RP-2: all profiles have the devices of the application.
BOOST_AUTO_TEST_CASE(devices_limit_the_tasks_of_a_profile) {
  ProfileWorld world;
  world.settings.devices = {{"gpu", 1, 2}};
  world.begin();
  world.submit({sized(own_tasks("wide", 8), 4, 2048)});
  world.advance(1100ms);
  BOOST_TEST(world.wanted(1).tasks_per_executor == 2);
  auto& executor = world.executor(1, 4, {{"gpu", {"0", "1"}}}, ProfileId{1});
  world.advance(100ms);
  BOOST_TEST(tasks_of(executor) == 2);
}

}  // namespace driver_profiles_test
}  // namespace heddle::actors
