// Goal: totals become requests, grants become executors, and each lost executor is reported once, with its reason.
// Method: fake Driver, ResourceManager, master and node, virtual time.
#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "actors/yarn_allocator/allocator_start.hpp"
#include "tests/actors/yarn_allocator/allocator_world.hpp"

namespace heddle::actors {
namespace yarn_allocator_test {
namespace {

BOOST_AUTO_TEST_CASE(registers_at_the_driver_once_the_application_is_registered) {
  AllocatorWorld world;
  BOOST_TEST(world.driver.count<RegisterYarnAllocator>() == 0);
  world.begin();
  BOOST_TEST(world.driver.count<RegisterYarnAllocator>() == 1);
}

BOOST_AUTO_TEST_CASE(a_changed_total_is_requested_at_once_and_an_equal_one_is_not) {
  AllocatorWorld world;
  world.begin();
  world.want(2);
  BOOST_TEST(world.cluster.count<AllocateRequest>() == 2);
  BOOST_TEST(world.cluster.last<AllocateRequest>().asks.at(0).count == 2);
  BOOST_TEST(world.cluster.last<AllocateRequest>().progress == 0.1F);
  world.respond(2, {});
  world.want(2);
  BOOST_TEST(world.cluster.count<AllocateRequest>() == 2);
}

// C-AM-01: 200, 400, 800, 1600, 3000 ms while requests are pending.
BOOST_AUTO_TEST_CASE(the_request_interval_grows_while_requests_are_pending) {
  AllocatorWorld world;
  world.begin();
  world.want(1);
  world.respond(2, {});
  std::int32_t id = 2;
  for (const Duration sleep :
       {Duration{200ms}, Duration{400ms}, Duration{800ms}, Duration{1600ms}, Duration{3000ms}, Duration{3000ms}}) {
    const int before = world.cluster.count<AllocateRequest>();
    world.advance(sleep - Duration{1ms});
    BOOST_TEST(world.cluster.count<AllocateRequest>() == before);
    world.advance(1ms);
    BOOST_TEST(world.cluster.count<AllocateRequest>() == before + 1);
    world.respond(++id, {});
  }
}

// YA-17, C-YA-22: only with the setting, and once per host.
BOOST_AUTO_TEST_CASE(the_driver_gets_a_decommissioned_host_once) {
  for (const bool heeds : {false, true}) {
    config::YarnAllocatorSettings settings;
    settings.decommission = heeds;
    AllocatorWorld world{settings};
    world.say(world.master, world.allocator, StartAllocating{{8192, 4}, "secret"});
    const auto leaving = [](std::int64_t node, const char* host) {
      return NodeUpdate{NodeId{node}, host, NodeCondition::decommissioning};
    };
    world.respond(1, {}, {}, {leaving(1, "a")});
    BOOST_TEST(world.driver.count<DecommissionHost>() == (heeds ? 1 : 0));
    world.want(1);
    world.respond(2, {}, {}, {leaving(1, "a"), leaving(2, "b")});
    BOOST_TEST(world.driver.count<DecommissionHost>() == (heeds ? 2 : 0));
    if (heeds) BOOST_TEST(world.driver.last<DecommissionHost>().host == "b");
  }
}

// heddle.fix.allocate_spacing (AM-6): another total arrives right after a request.
BOOST_AUTO_TEST_CASE(an_early_request_waits_for_the_initial_interval_only_with_the_fix) {
  for (const bool mended : {false, true}) {
    config::YarnAllocatorSettings settings;
    settings.fix_allocate_spacing = mended;
    AllocatorWorld world{settings};
    world.begin();
    const int before = world.cluster.count<AllocateRequest>();
    world.advance(199ms);
    world.want(2);
    BOOST_TEST(world.cluster.count<AllocateRequest>() == before + (mended ? 0 : 1));
    world.advance(1ms);
    BOOST_TEST(world.cluster.count<AllocateRequest>() == before + 1);
  }
}

// C-AM-02: the interval is long while nothing is pending; a new request starts with the short one.
BOOST_AUTO_TEST_CASE(the_request_interval_is_short_only_while_requests_are_pending) {
  AllocatorWorld world;
  world.begin();
  world.want(1);
  world.respond(2, {});
  std::int32_t id = 2;
  const auto beats_after = [&](Duration sleep, std::vector<GrantedContainer> granted) {
    const int before = world.cluster.count<AllocateRequest>();
    world.advance(sleep - Duration{1ms});
    const bool is_early = world.cluster.count<AllocateRequest>() != before;
    world.advance(1ms);
    const bool has_come = world.cluster.count<AllocateRequest>() == before + 1;
    world.respond(++id, std::move(granted));
    return has_come && !is_early;
  };
  BOOST_TEST(beats_after(200ms, {}));
  BOOST_TEST(beats_after(400ms, {AllocatorWorld::grant(7)}));
  BOOST_TEST(beats_after(3000ms, {}));
  world.want(2);
  world.respond(++id, {});
  BOOST_TEST(beats_after(200ms, {}));
  BOOST_TEST(beats_after(400ms, {}));
}

// C-AM-06: other locality hints with the same total do not cause a request; another total does.
BOOST_AUTO_TEST_CASE(only_a_changed_total_shortens_the_request_interval) {
  AllocatorWorld world;
  world.begin();
  world.want(1);
  world.respond(2, {});
  std::int32_t id = 2;
  for (const Duration sleep : {Duration{200ms}, Duration{400ms}, Duration{800ms}}) {
    world.advance(sleep);
    world.respond(++id, {});
  }
  const int before = world.cluster.count<AllocateRequest>();
  world.advance(100ms);
  world.say(world.driver, world.allocator, RequestExecutors{{{ProfileId{0}, 1, 1, {{"a", 1}}}}, {}});
  world.advance(100ms);
  BOOST_TEST(world.cluster.count<AllocateRequest>() == before);
  world.want(2);
  BOOST_TEST(world.cluster.count<AllocateRequest>() == before + 1);
  world.respond(++id, {});
  world.advance(199ms);
  BOOST_TEST(world.cluster.count<AllocateRequest>() == before + 1);
  world.advance(1ms);
  BOOST_TEST(world.cluster.count<AllocateRequest>() == before + 2);
}

BOOST_AUTO_TEST_CASE(a_granted_container_becomes_an_executor) {
  AllocatorWorld world;
  world.begin();
  world.want(1);
  world.respond(2, {AllocatorWorld::grant(7)});
  const auto start = world.node.last<StartContainer>();
  BOOST_TEST(start.token == "secret");
  const ContainerLaunch expected{"heddle.locality.wait=7s\n", "/state",
                                 ExecutorLaunch{ExecutorId{1}, 1, ProfileId{0}, "driver:1", 5}};
  BOOST_TEST((start.launch == expected));
}

// YA-1, YA-5: each profile has its own target and priority, and its executors have its size.
BOOST_AUTO_TEST_CASE(profiles_are_requested_at_their_own_priorities_and_started_with_their_size) {
  AllocatorWorld world;
  world.begin();
  const ProfileTarget usual{ProfileId{0}, 1, 0, {}};
  const ProfileTarget wide{ProfileId{1}, 2, 0, {}, 2, 2048, 2};
  world.say(world.driver, world.allocator, RequestExecutors{{usual, wide}, {}});
  const auto asks = world.cluster.last<AllocateRequest>().asks;
  BOOST_REQUIRE(asks.size() == 2U);
  BOOST_TEST(asks[0].priority == 0);
  BOOST_TEST(asks[0].count == 1);
  BOOST_TEST(asks[1].priority == 1);
  BOOST_TEST(asks[1].count == 2);
  BOOST_TEST((asks[1].resource == Resource{2048 + 384, 2}));
  auto granted = AllocatorWorld::grant(7);
  granted.priority = 1;
  granted.resource = {2048 + 384, 2, {{"yarn.io/gpu", 1}}};
  world.respond(2, {granted});
  const auto first = std::get<ExecutorLaunch>(world.node.last<StartContainer>().launch.role);
  BOOST_TEST(first.cores == 2);
  BOOST_TEST(first.profile.value == 1);
  BOOST_TEST((world.node.last<StartContainer>().resource == granted.resource));
  world.say(world.cluster, world.allocator, AllocationAvailable{});
  world.respond(3, {AllocatorWorld::grant(8)});
  BOOST_TEST(world.node.count<StartContainer>() == 2);
  const auto second = std::get<ExecutorLaunch>(world.node.last<StartContainer>().launch.role);
  BOOST_TEST(second.cores == 1);
}

BOOST_AUTO_TEST_CASE(a_profile_that_fits_in_no_container_ends_the_application_with_the_amounts) {
  AllocatorWorld world;
  world.begin();
  world.say(world.driver, world.allocator, RequestExecutors{{{ProfileId{1}, 1, 0, {}, 5, 1024, 5}}, {}});
  const auto failed = world.driver.last<AllocationFailed>();
  BOOST_TEST(failed.text ==
             "an executor of a stage's own size needs 1408 MiB and 5 cores, but the largest container here has 8192 "
             "MiB and 4 cores");
}

BOOST_AUTO_TEST_CASE(a_lost_executor_is_reported_once_and_requested_again) {
  AllocatorWorld world;
  world.begin();
  world.want(1);
  world.respond(2, {AllocatorWorld::grant(7)});
  world.say(world.cluster, world.allocator, AllocationAvailable{});
  world.respond(3, {}, {{ContainerId{7}, {137, "killed by signal 9"}}});
  const auto removed = world.driver.last<RemoveExecutor>();
  BOOST_TEST(removed.executor.value == 1);
  BOOST_TEST(removed.loss.end.exit_status == 137);
  BOOST_TEST(removed.loss.end.diagnostics == "it ended on a before it registered (killed by signal 9)");
  world.advance(3s);
  BOOST_TEST(world.driver.count<RemoveExecutor>() == 1);
  BOOST_TEST(world.cluster.last<AllocateRequest>().asks.at(0).count == 1);
}

BOOST_AUTO_TEST_CASE(a_lost_node_is_reported_after_its_executors) {
  AllocatorWorld world;
  world.begin();
  world.want(1);
  world.respond(2, {AllocatorWorld::grant(7)});
  world.say(world.cluster, world.allocator, AllocationAvailable{});
  world.respond(3, {}, {{ContainerId{7}, {-100, "lost"}}}, {{NodeId{5}, "a", NodeCondition::lost}});
  BOOST_TEST((world.driver.last<RemoveExecutor>().loss.reason.kind == LossKind::node_lost));
  BOOST_TEST(world.driver.last<RemoveNode>().node.value == 5);
}

BOOST_AUTO_TEST_CASE(an_executor_that_ends_on_a_node_that_came_back_is_no_loss_of_the_node) {
  AllocatorWorld world;
  world.begin();
  world.want(1);
  world.respond(2, {AllocatorWorld::grant(7)});
  world.say(world.cluster, world.allocator, AllocationAvailable{});
  world.respond(3, {}, {{ContainerId{7}, {-100, "lost"}}}, {{NodeId{5}, "a", NodeCondition::lost}});
  world.respond(4, {AllocatorWorld::grant(8)}, {}, {{NodeId{5}, "a", NodeCondition::running}});
  world.say(world.cluster, world.allocator, AllocationAvailable{});
  world.respond(5, {}, {{ContainerId{8}, {137, "killed by signal 9"}}});
  BOOST_TEST((world.driver.last<RemoveExecutor>().loss.reason.kind != LossKind::node_lost));
  BOOST_TEST(world.driver.count<RemoveNode>() == 1);
}

BOOST_AUTO_TEST_CASE(a_killed_executor_is_released_and_reported_as_killed) {
  AllocatorWorld world;
  world.begin();
  world.want(1);
  world.respond(2, {AllocatorWorld::grant(7)});
  world.want(0);
  world.respond(3, {});
  world.say(world.driver, world.allocator, KillExecutors{{ExecutorId{1}}, "idle"});
  BOOST_TEST(world.cluster.last<AllocateRequest>().release.at(0).value == 7);
  world.respond(4, {}, {{ContainerId{7}, {-100, "released"}}});
  BOOST_TEST(world.driver.count<RemoveExecutor>() == 1);
  BOOST_TEST((world.driver.last<RemoveExecutor>().loss.reason.kind == LossKind::killed));
  BOOST_TEST(!world.driver.last<RemoveExecutor>().loss.reason.by_application);
}

BOOST_AUTO_TEST_CASE(a_container_on_an_unreachable_node_is_released_and_requested_again) {
  AllocatorWorld world;
  world.begin();
  world.want(1);
  world.respond(2, {AllocatorWorld::grant(7, "nowhere:1")});
  BOOST_TEST(world.cluster.last<AllocateRequest>().release.at(0).value == 7);
  BOOST_TEST(world.cluster.last<AllocateRequest>().asks.at(0).count == 1);
}

BOOST_AUTO_TEST_CASE(a_node_is_excluded_after_the_configured_number_of_failures) {
  for (const std::int32_t most : {0, 1}) {
    config::YarnAllocatorSettings settings;
    settings.exclude_on_launch_failure = true;
    AllocatorWorld world{settings, {}, {}, most};
    world.begin();
    world.want(2);
    world.respond(2, {AllocatorWorld::grant(7)});
    world.advance(4s);
    world.respond(3, {}, {{ContainerId{7}, {1, "gone"}}});
    world.advance(4s);
    std::vector<std::string> excluded;
    for (const AllocateRequest& each : world.cluster.all<AllocateRequest>())
      excluded.insert(excluded.end(), each.exclusion_add.begin(), each.exclusion_add.end());
    BOOST_TEST((excluded == (most == 0 ? std::vector<std::string>{"a"} : std::vector<std::string>{})));
  }
}

// YA-12, YA-13: the container is requested again; the exit status from the cluster counts as one failure.
BOOST_AUTO_TEST_CASE(a_refused_start_is_a_failed_start_and_counts_once) {
  AllocatorWorld world;
  world.begin();
  world.want(1);
  std::int32_t id = 1;
  for (std::int64_t container = 1; container <= 3; ++container) {
    world.respond(++id, {AllocatorWorld::grant(container)});
    world.say(world.node, world.allocator, ContainerNotStarted{ContainerId{container}, "no descriptors are left"});
    BOOST_TEST(world.cluster.last<AllocateRequest>().release.at(0).value == container);
    BOOST_TEST(world.cluster.last<AllocateRequest>().asks.at(0).count == 1);
    BOOST_TEST(!world.has_ended(world.allocator));
    world.respond(++id, {}, {{ContainerId{container}, {127, "no descriptors are left"}}});
  }
  BOOST_TEST(world.driver.count<RemoveExecutor>() == 0);
  BOOST_REQUIRE(world.driver.count<AllocationFailed>() == 1);
  BOOST_TEST(world.driver.last<AllocationFailed>().text ==
             "3 executors failed, 2 allowed; the last: no descriptors are left");
}

BOOST_AUTO_TEST_CASE(a_repeated_or_late_answer_to_a_start_changes_nothing) {
  AllocatorWorld world;
  world.begin();
  world.want(1);
  world.respond(2, {AllocatorWorld::grant(7)});
  world.say(world.node, world.allocator, ContainerStarted{ContainerId{7}});
  world.say(world.node, world.allocator, ContainerNotStarted{ContainerId{7}, "late"});
  world.say(world.node, world.allocator, ContainerStarted{ContainerId{8}});
  BOOST_TEST(world.events().count("stale_container_not_started") == 1);
  BOOST_TEST(world.events().count("stale_container_started") == 1);
  BOOST_TEST(world.cluster.last<AllocateRequest>().release.empty());
  world.advance(3s);
  world.respond(3, {}, {{ContainerId{7}, {1, "failed"}}});
  BOOST_TEST(world.driver.count<RemoveExecutor>() == 1);
}

// The exit status from the cluster does not matter: the container was stopped because its executor did not register.
BOOST_AUTO_TEST_CASE(an_executor_that_does_not_register_counts_also_without_a_connection_to_its_node) {
  for (const bool is_lost_before : {true, false}) {
    config::YarnAllocatorSettings settings;
    settings.executor_start_timeout = 5s;
    settings.executor_failures_max = 1;
    AllocatorWorld world{settings};
    world.begin();
    world.want(1);
    world.respond(2, {AllocatorWorld::grant(7)});
    std::int32_t id = 2;
    const auto answer_until = [&](auto is_reached) {
      for (int count = 0; count < 10 && !is_reached(); ++count) {
        world.advance(3s);
        if (!is_reached()) world.respond(++id, {});
      }
      BOOST_REQUIRE(is_reached());
    };
    if (is_lost_before) world.kill(world.node);
    answer_until([&] { return world.events().count("executor_start_expired") == 1; });
    if (!is_lost_before) {
      BOOST_TEST(world.node.last<StopContainer>().container.value == 7);
      world.kill(world.node);
    }
    const auto is_released = [&] {
      const auto asked = world.cluster.all<AllocateRequest>();
      return std::any_of(asked.begin(), asked.end(), [](const AllocateRequest& each) {
        return each.release == std::vector<ContainerId>{ContainerId{7}};
      });
    };
    answer_until(is_released);
    world.respond(++id, {}, {{ContainerId{7}, {-105, "released by its application"}}});
    BOOST_REQUIRE(world.driver.count<AllocationFailed>() == 1);
    BOOST_TEST(world.driver.last<AllocationFailed>().text ==
               "1 executor failed, 0 allowed; the last: its executor did not register within 5000 ms (released by "
               "its application)");
  }
}

// C-AM-04: one executor allows three failures.
BOOST_AUTO_TEST_CASE(too_many_failures_end_the_application) {
  AllocatorWorld world;
  world.begin();
  world.want(1);
  std::int32_t id = 1;
  for (std::int64_t container = 1; container <= 3; ++container) {
    world.respond(++id, {AllocatorWorld::grant(container)});
    world.say(world.cluster, world.allocator, AllocationAvailable{});
    world.respond(++id, {}, {{ContainerId{container}, {1, "failed"}}});
    world.say(world.cluster, world.allocator, AllocationAvailable{});
  }
  BOOST_REQUIRE(world.driver.count<AllocationFailed>() == 1);
  BOOST_TEST(world.driver.last<AllocationFailed>().text ==
             "3 executors failed, 2 allowed; the last: it ended on a before it registered (failed)");
  BOOST_TEST(!world.master.last<EndApplication>().succeeded);
  BOOST_TEST(world.has_ended(world.allocator));
}

// C-AM-05: five unanswered requests in a row end the application, and so does a resync answer.
BOOST_AUTO_TEST_CASE(five_unanswered_requests_in_a_row_end_the_application_and_four_do_not) {
  AllocatorWorld world;
  world.begin();
  std::int32_t id = 1;
  for (int round = 0; round < 2; ++round) {
    world.advance(3s);  // sends an AllocateRequest
    for (int unanswered = 0; unanswered < 4; ++unanswered) world.advance(3s);
    BOOST_TEST(!world.has_ended(world.allocator));
    world.respond(++id, {});
  }
  world.advance(3s);
  for (int unanswered = 0; unanswered < 5; ++unanswered) world.advance(3s);
  BOOST_TEST(world.has_ended(world.allocator));
  BOOST_TEST(!world.master.last<EndApplication>().succeeded);
  BOOST_TEST(world.driver.count<AllocationFailed>() == 1);
}

BOOST_AUTO_TEST_CASE(the_number_of_unanswered_requests_is_that_of_the_setting) {
  for (const std::int64_t most : {1, 3}) {
    config::YarnAllocatorSettings settings;
    settings.reporter_failures_max = most;
    AllocatorWorld world{settings};
    world.begin();
    world.advance(3s);  // sends an AllocateRequest
    for (std::int64_t unanswered = 1; unanswered < most; ++unanswered) world.advance(3s);
    BOOST_TEST(!world.has_ended(world.allocator));
    world.advance(3s);
    BOOST_TEST(world.has_ended(world.allocator));
  }
}

BOOST_AUTO_TEST_CASE(stopping_ends_the_application) {
  AllocatorWorld world;
  world.begin();
  world.say(world.driver, world.allocator, StopAllocator{true, "done"});
  BOOST_TEST(world.master.last<EndApplication>().succeeded);
  BOOST_TEST(world.has_ended(world.allocator));
}

BOOST_AUTO_TEST_CASE(an_executor_that_fits_nowhere_is_refused_with_the_amounts) {
  AllocatorWorld world;
  world.say(world.master, world.allocator, StartAllocating{{512, 4}, "secret"});
  BOOST_TEST(world.driver.last<AllocationFailed>().text.find("1024 MiB") != std::string::npos);
}

// C-YA-25, through the actor: containers of the default profile are requested with their other resources; those of
// another profile with the devices only (RP-6).
BOOST_AUTO_TEST_CASE(requests_for_executors_contain_other_resources_than_memory_and_cores) {
  const ResourceAmounts others{{"yarn.io/fpga", 2}, {"yarn.io/gpu", 3}};
  AllocatorWorld world{{}, others, {{"yarn.io/gpu", 3}}};
  world.begin();
  world.say(world.driver, world.allocator,
            RequestExecutors{{{ProfileId{0}, 2, 0, {}}, {ProfileId{1}, 1, 0, {}, 2, 512, 2}}, {}});
  const auto asks = world.cluster.last<AllocateRequest>().asks;
  BOOST_REQUIRE(asks.size() == 2U);
  BOOST_TEST((asks.at(0).resource.others == others));
  BOOST_TEST((asks.at(1).resource.others == ResourceAmounts{{"yarn.io/gpu", 3}}));
}

BOOST_AUTO_TEST_CASE(an_executor_that_needs_more_of_a_kind_than_any_node_has_is_refused_with_the_amounts) {
  for (const bool all_nodes_are_here : {false, true}) {
    AllocatorWorld world{{}, {{"yarn.io/gpu", 3}}};
    StartAllocating start{{8192, 4}, "secret", {}, all_nodes_are_here};
    if (all_nodes_are_here) start.maximum.others = {{"yarn.io/gpu", 2}};
    world.say(world.master, world.allocator, start);
    BOOST_TEST(world.driver.count<AllocationFailed>() == (all_nodes_are_here ? 1 : 0));
    if (all_nodes_are_here)
      BOOST_TEST(world.driver.last<AllocationFailed>().text ==
                 "an executor needs 3 of yarn.io/gpu, but the largest container here has 2");
  }
}

BOOST_AUTO_TEST_CASE(a_stale_tick_sends_no_request) {
  AllocatorWorld world;
  world.begin();
  const int before = world.cluster.count<AllocateRequest>();
  world.say(world.allocator, ReporterTick{9999});
  BOOST_TEST(world.cluster.count<AllocateRequest>() == before);
}

BOOST_AUTO_TEST_CASE(an_executor_that_does_not_register_in_time_is_stopped_as_a_failed_start) {
  AllocatorWorld world;
  world.begin();
  world.want(2);
  world.respond(2, {AllocatorWorld::grant(7), AllocatorWorld::grant(8)});
  const auto starts = world.node.all<StartContainer>();
  BOOST_REQUIRE(starts.size() == 2U);
  world.say(world.driver, world.allocator, ExecutorRegistered{ExecutorId{1}});
  for (std::int32_t id = 3; id < 25; ++id) {
    world.advance(3s);
    world.respond(id, {});
  }
  BOOST_REQUIRE(world.node.count<StopContainer>() == 1);
  const auto stopped = world.node.last<StopContainer>();
  BOOST_TEST(stopped.container.value == 8);
  world.advance(3s);
  world.respond(25, {}, {{stopped.container, {stopped.exit_status, stopped.reason}}});
  const auto removed = world.driver.last<RemoveExecutor>();
  BOOST_TEST(removed.executor.value == 2);
  BOOST_TEST((removed.loss.reason.kind == LossKind::start_failed));
  BOOST_TEST(removed.loss.end.diagnostics.find("60000 ms") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_lost_executor_is_requested_again_at_once) {
  AllocatorWorld world;
  world.begin();
  world.want(1);
  world.respond(2, {AllocatorWorld::grant(7)});
  world.advance(1s);  // less than the request interval
  world.say(world.cluster, world.allocator, AllocationAvailable{});
  const auto asked = world.cluster.count<AllocateRequest>();
  world.respond(3, {}, {{ContainerId{7}, {137, "killed by signal 9"}}});
  BOOST_REQUIRE(world.cluster.count<AllocateRequest>() == asked + 1);
  BOOST_TEST(world.cluster.last<AllocateRequest>().asks.at(0).count == 1);
}

BOOST_AUTO_TEST_CASE(an_answer_without_news_writes_no_event) {
  AllocatorWorld world;
  world.begin();
  world.want(1);
  world.respond(2, {AllocatorWorld::grant(7)});
  world.say(world.driver, world.allocator, ExecutorRegistered{ExecutorId{1}});
  world.advance(3s);
  world.respond(3, {});
  world.advance(3s);
  const auto written = world.events().names.size();
  for (std::int32_t turn = 4; turn < 24; ++turn) {
    BOOST_TEST(world.cluster.last<AllocateRequest>().response_id == turn - 1);
    world.respond(turn, {});
    world.advance(3s);
  }
  BOOST_TEST(world.events().names.size() == written);
}

}  // namespace
}  // namespace yarn_allocator_test
}  // namespace heddle::actors
