// Goal: each granted container becomes one executor or is released, and each lost executor is reported once. Method:
// random totals, grants, ends and losses of nodes between a fake Driver and a fake ResourceManager, compared with plain
// sets; a row for each end before the registration.
#include <boost/test/unit_test.hpp>
#include <map>
#include <set>

#include "model/container_end.hpp"
#include "model/random_stream.hpp"
#include "tests/actors/yarn_allocator/allocator_world.hpp"

namespace heddle::actors {
namespace yarn_allocator_containers_test {
namespace {

ExecutorId executor_of(const StartContainer& start) { return std::get<ExecutorLaunch>(start.launch.role).executor; }

// Such as one whose node cannot reach the Driver.
BOOST_AUTO_TEST_CASE(an_executor_that_ends_before_it_registers_is_a_failed_start_that_names_its_node) {
  struct Row {
    bool has_registered;
    std::int32_t exit_status;
    LossKind kind;
    const char* last_failure;  // empty: it does not count as one
  };
  using Kind = LossKind;
  for (const Row& row :
       {Row{false, 1, Kind::start_failed, "it ended on a before it registered (its process ended with code 1)"},
        Row{true, 1, Kind::exited, "its process ended with code 1"},  //
        Row{false, 0, Kind::exited, ""}, Row{false, container_exit_status::preempted, Kind::killed, ""}}) {
    config::YarnAllocatorSettings settings;
    settings.executor_failures_max = 1;
    AllocatorWorld world{settings};
    world.begin();
    world.want(1);
    world.respond(2, {AllocatorWorld::grant(7)});
    world.say(world.node, world.allocator, ContainerStarted{ContainerId{7}});
    if (row.has_registered) world.say(world.driver, world.allocator, ExecutorRegistered{ExecutorId{1}});
    ContainerEnd end;
    end.exit_status = row.exit_status;
    end.process = ProcessEnd{row.exit_status, 0};
    world.say(world.cluster, world.allocator, AllocationAvailable{});
    world.respond(3, {}, {{ContainerId{7}, end}});
    const auto loss = world.driver.last<RemoveExecutor>().loss;
    const std::string failure{row.last_failure};
    BOOST_TEST((loss.reason.kind == row.kind));
    BOOST_TEST(loss.reason.by_application == !failure.empty());
    BOOST_TEST(world.driver.count<AllocationFailed>() == (failure.empty() ? 0 : 1));
    if (failure.empty()) continue;
    BOOST_TEST(describe(loss.end) == failure);
    BOOST_TEST(world.driver.last<AllocationFailed>().text == "1 executor failed, 0 allowed; the last: " + failure);
  }
}

BOOST_AUTO_TEST_CASE(each_random_grant_becomes_one_executor_or_is_released) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      RandomStream random{seed};
      AllocatorWorld world;
      world.begin();
      std::int32_t response = 1;
      int answered = world.cluster.count<AllocateRequest>();
      std::int64_t next = 100;
      std::set<std::int64_t> granted;
      std::set<std::int64_t> live;
      std::size_t started = 0;
      for (int step = 0; step < 60; ++step) {
        if (random.chance(1, 3)) world.want(static_cast<std::int32_t>(random.below(6)));
        world.advance(4s);  // longer than the longest interval
        for (const auto starts = world.node.all<StartContainer>(); started < starts.size(); ++started) {
          world.say(world.node, world.allocator, ContainerStarted{starts[started].container});
          // Too many executors that do not register would end the application.
          world.say(world.driver, world.allocator, ExecutorRegistered{executor_of(starts[started])});
        }
        if (world.cluster.count<AllocateRequest>() == answered) continue;
        std::vector<GrantedContainer> grants;
        for (std::uint64_t i = random.below(3); i > 0; --i) {
          grants.push_back(AllocatorWorld::grant(next));
          granted.insert(next);
          live.insert(next++);
        }
        std::vector<CompletedContainer> ends;
        if (!live.empty() && random.chance(1, 3)) {
          const auto gone = std::next(live.begin(), static_cast<std::ptrdiff_t>(random.below(live.size())));
          if (*gone < next - 3 || grants.empty()) {
            ends.push_back({ContainerId{*gone}, {-100, "gone"}});
            live.erase(gone);
          }
        }
        answered = world.cluster.count<AllocateRequest>();
        world.respond(++response, std::move(grants), std::move(ends));
      }
      world.advance(4s);
      std::map<std::int64_t, int> starts;
      std::set<ExecutorId> executors;
      for (const StartContainer& each : world.node.all<StartContainer>()) {
        ++starts[each.container.value];
        BOOST_REQUIRE(executors.insert(executor_of(each)).second);
      }
      std::set<std::int64_t> released;
      for (const AllocateRequest& each : world.cluster.all<AllocateRequest>())
        for (const ContainerId container : each.release) released.insert(container.value);
      for (const std::int64_t each : granted) {
        BOOST_TEST(starts[each] <= 1);
        BOOST_TEST(starts[each] + static_cast<int>(released.contains(each)) >= 1, "container " << each);
      }
      std::map<std::int64_t, int> removed;
      for (const RemoveExecutor& each : world.driver.all<RemoveExecutor>()) ++removed[each.executor.value];
      for (const auto& [executor, count] : removed) BOOST_TEST(count == 1, "executor " << executor);
    }
  }
}

}  // namespace
}  // namespace yarn_allocator_containers_test
}  // namespace heddle::actors
