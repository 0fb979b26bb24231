// Goal: what the deciders of the Driver want happens: executors come and go, pools share slots, failures exclude,
// copies end their twins. Method: fake client, executors and allocator around one Driver, virtual time.
#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "tests/actors/driver/driver_world.hpp"

namespace heddle::actors {
namespace driver_policies_test {
namespace {

using namespace std::chrono_literals;

void remove(DriverWorld& world, std::int64_t id, LossKind kind) {
  RemoveExecutor message;
  message.executor = ExecutorId{id};
  message.loss.reason.kind = kind;
  world.say(world.allocator, world.driver, message);
}

TaskOutcome running() {
  TaskOutcome outcome;
  outcome.state = TaskState::running;
  return outcome;
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
  world.start();
  world.commit.throws = true;
  auto stage = own_tasks("s", 1);
  stage.output = TextOutput{"/out", {}, {}, {}, {}, {}, {}};
  world.submit({stage});
  const auto end = world.client.last<JobFinished>();
  BOOST_TEST((end.status == JobStatus::failed));
  BOOST_TEST(end.text == "the driver failed: out of everything");
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
  job.graph = {"job", "", {own_tasks("s", 0)}};
  job.graph.stages[0].inputs.push_back({});
  job.splits.resize(1);
  for (const auto* host : {"a", "a", "b"}) {
    TaskSplit split;
    split.split.hosts = {host};
    job.splits[0].splits.push_back(split);
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

// -- places of what is read ----------------------------------------------------------

// MOT-4: a host with a fifth of a task's input or more is preferred.
BOOST_AUTO_TEST_CASE(a_reduce_task_waits_for_the_host_that_holds_its_input) {
  for (const bool prefers : {true, false}) {
    DriverWorld world;
    world.settings.reduce_locality = prefers;
    world.start();
    auto& holder = world.executor(1, 1);
    world.submit({own_tasks("map", 1), after("reduce", 0, 1)});
    TaskOutcome outcome;
    outcome.partition_bytes = {1000};
    auto& other = world.executor(2, 1);
    world.report(holder, 1, DriverWorld::launched(holder).at(0), outcome);
    world.advance(100ms);
    BOOST_TEST(DriverWorld::tasks_on(holder) + DriverWorld::tasks_on(other) == 2);
    if (prefers) BOOST_TEST(DriverWorld::tasks_on(holder) == 2);
  }
}

// -- pools ---------------------------------------------------------------------------

// C-POOL-06 and C-POOL-07: no pool named, and one that the file does not name.
BOOST_AUTO_TEST_CASE(jobs_of_two_pools_share_the_slots_that_come_free_by_weight) {
  DriverWorld world;
  world.settings.task_scheduler.mode = policies::SchedulingMode::fair;
  world.settings.task_scheduler.pools = {{"heavy", policies::SchedulingMode::fifo, 3, 0},
                                         {"light", policies::SchedulingMode::fifo, 1, 0}};
  world.start();
  world.submit({own_tasks("a", 40)}, "light");
  world.submit({own_tasks("b", 40)}, "heavy");
  // Slots that come one by one: within one round the order of the pools stays what it was at its start.
  std::map<std::int64_t, std::int32_t> of_job;
  for (std::int64_t id = 1; id <= 8; ++id)
    for (const auto& range : DriverWorld::launched(world.executor(id, 1))) of_job[range.stage.job.value] += range.count;
  BOOST_TEST(of_job.size() == 2U);
  BOOST_TEST(of_job.begin()->second == 2);
  BOOST_TEST(of_job.rbegin()->second == 6);
}

BOOST_AUTO_TEST_CASE(in_order_of_arrival_the_first_job_takes_all_slots) {
  DriverWorld world;
  world.start();
  world.submit({own_tasks("a", 40)}, "light");
  world.submit({own_tasks("b", 40)}, "heavy");
  auto& executor = world.executor(1, 8);
  BOOST_REQUIRE(DriverWorld::launched(executor).size() == 1U);
  BOOST_TEST(DriverWorld::tasks_on(executor) == 8);
}

// -- exclusion -----------------------------------------------------------------------

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
    auto lost = failure("gone");
    lost.failure = FailureKind::fetch_failed;
    lost.failed_shuffle = ShuffleId{0};
    lost.failed_map = 0;
    lost.failed_at = {NodeId{1}, Epoch{1}, "h1", "", "/h1"};
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
  auto lost = failure("gone");
  lost.failure = FailureKind::fetch_failed;
  lost.failed_shuffle = ShuffleId{0};
  lost.failed_map = 0;
  lost.failed_at = {NodeId{7}, Epoch{1}, "h7", "", "/h7"};
  world.report(writer, 1, DriverWorld::launched(writer).at(1), lost);
  BOOST_TEST(world.allocator.last<RequestExecutors>().excluded_hosts.empty());
  BOOST_TEST(world.allocator.count<KillExecutors>() == 0);
}

// -- order of offers -------------------------------------------------------------------

// C-TS-07: single tasks spread over executors that are equally good, by the Driver's random stream, whose state the log
// has; the world's replay of the log draws the same order.
BOOST_AUTO_TEST_CASE(single_tasks_spread_over_idle_executors) {
  DriverWorld world;
  world.settings.shuffles_offers = true;
  world.start();
  auto& first = world.executor(1, 1);
  auto& second = world.executor(2, 1);
  for (int job = 0; job < 40; ++job) {
    const auto on_first = DriverWorld::launched(first).size();
    const auto on_second = DriverWorld::launched(second).size();
    world.submit({own_tasks("one", 1)});
    if (DriverWorld::launched(first).size() > on_first) world.report(first, 1, DriverWorld::launched(first).back(), {});
    if (DriverWorld::launched(second).size() > on_second)
      world.report(second, 2, DriverWorld::launched(second).back(), {});
  }
  BOOST_TEST(DriverWorld::tasks_on(first) + DriverWorld::tasks_on(second) == 40);
  BOOST_TEST(DriverWorld::tasks_on(first) >= 8);
  BOOST_TEST(DriverWorld::tasks_on(second) >= 8);
  const auto rounds = std::count_if(world.events().lines.begin(), world.events().lines.end(), [](const auto& line) {
    return line.find("\"task_scheduler_offers\"") != std::string::npos && line.find("\"random\":") != std::string::npos;
  });
  BOOST_TEST(rounds >= 40);
}

// -- speculation ---------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(the_attempt_that_loses_against_its_copy_is_killed) {
  DriverWorld world;
  world.settings.task_scheduler.speculation = policies::SpeculationSettings{};
  world.settings.task_scheduler.speculation->quantile = 0.5;
  world.start();
  auto& slow = world.executor(1, 1);
  auto& fast = world.executor(2, 1);
  world.submit({own_tasks("s", 4)});
  const auto straggler = DriverWorld::launched(slow).at(0);
  world.report(slow, 1, straggler, running());
  for (std::size_t done = 0; done < 3; ++done) {
    world.advance(200ms);
    world.report(fast, 2, DriverWorld::launched(fast).at(done), {});
  }
  world.advance(3s);
  const auto copies = DriverWorld::launched(fast);
  BOOST_REQUIRE(copies.size() == 4U);
  BOOST_TEST(copies[3].first_index == straggler.first_index);
  BOOST_TEST(copies[3].attempt == 1);
  world.report(fast, 2, copies[3], {});
  BOOST_REQUIRE(slow.count<KillTask>() >= 1);
  BOOST_TEST(slow.last<KillTask>().attempt == 0);
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
  BOOST_TEST(world.client.last<JobFinished>().totals.tasks == 4);
}

BOOST_AUTO_TEST_CASE(the_loser_of_a_speculation_that_finishes_all_the_same_adds_nothing) {
  DriverWorld world;
  world.settings.task_scheduler.speculation = policies::SpeculationSettings{};
  world.settings.task_scheduler.speculation->quantile = 0.5;
  world.start();
  auto& slow = world.executor(1, 1);
  auto& fast = world.executor(2, 1);
  world.submit({own_tasks("s", 4), after("t", 0, 1)});
  TaskOutcome counted;
  counted.counters = {{"g\tlines", 1}};
  counted.bytes_read = 10;
  const auto straggler = DriverWorld::launched(slow).at(0);
  world.report(slow, 1, straggler, running());
  for (std::size_t done = 0; done < 3; ++done) {
    world.advance(200ms);
    world.report(fast, 2, DriverWorld::launched(fast).at(done), counted);
  }
  world.advance(3s);
  world.report(fast, 2, DriverWorld::launched(fast).at(3), counted);
  world.report(slow, 1, straggler, counted);  // it was faster than its kill
  for (auto* one : {&slow, &fast})
    for (const auto& range : DriverWorld::launched(*one))
      if (range.stage.stage != straggler.stage.stage) world.report(*one, one == &slow ? 1 : 2, range, counted);
  const auto end = world.client.last<JobFinished>();
  BOOST_TEST((end.status == JobStatus::succeeded));
  BOOST_TEST(end.totals.tasks == 5);
  BOOST_TEST(end.totals.bytes_read == 50);
  BOOST_TEST_REQUIRE(end.totals.counters.size() == 1U);
  BOOST_TEST(end.totals.counters[0].second == 5);
}

BOOST_AUTO_TEST_CASE(a_map_task_that_runs_again_for_its_lost_output_counts_once) {
  DriverWorld world;
  world.start();
  auto& executor = world.executor(1, 1);
  world.submit({own_tasks("s", 1), after("t", 0, 1)});
  TaskOutcome counted;
  counted.counters = {{"g\tlines", 7}};
  counted.records_read = 3;
  world.report(executor, 1, DriverWorld::launched(executor).at(0), counted);
  auto lost = failure("gone");
  lost.failure = FailureKind::fetch_failed;
  lost.failed_shuffle = ShuffleId{0};
  lost.failed_map = 0;
  lost.failed_at = {NodeId{1}, Epoch{1}, "h1", "", "/h1"};
  world.report(executor, 1, DriverWorld::launched(executor).at(1), lost);
  world.advance(1s);
  counted.counters = {{"g\tlines", 8}};  // of chance, or of time
  world.report(executor, 1, DriverWorld::launched(executor).at(2), counted);
  world.report(executor, 1, DriverWorld::launched(executor).at(3), {});
  const auto end = world.client.last<JobFinished>();
  BOOST_TEST((end.status == JobStatus::succeeded));
  BOOST_TEST(end.totals.tasks == 2);
  BOOST_TEST(end.totals.records_read == 3);
  BOOST_TEST_REQUIRE(end.totals.counters.size() == 1U);
  BOOST_TEST(end.totals.counters[0].second == 8);
}

// TSM-15: two tasks run for longer than the limit, and one of them reads as fast as those that ended.
BOOST_AUTO_TEST_CASE(only_the_straggler_that_reads_slowly_is_copied_before_twice_the_limit) {
  for (const bool compares : {true, false}) {
    DriverWorld world;
    auto& rules = world.settings.task_scheduler.speculation.emplace();
    rules.quantile = 0.5;
    rules.multiplier = 1.5;
    rules.efficiency = compares;
    world.start();
    auto& slow = world.executor(1, 1);
    auto& steady = world.executor(2, 1);
    auto& fast = world.executor(3, 2);
    world.submit({own_tasks("s", 4)});
    const auto straggler = DriverWorld::launched(slow).at(0);
    const auto other = DriverWorld::launched(steady).at(0);
    const auto beat = [&](tests::Peer& from, std::int64_t id, const TaskRange& range, std::int64_t records) {
      const auto epoch = from.last<RegisteredExecutor>().epoch;
      world.say(
          from, world.driver,
          Heartbeat{ExecutorId{id}, epoch, {{range.stage, range.first_index, range.attempt, records, 1'000'000}}});
    };
    world.advance(1s);
    TaskOutcome ended;
    ended.records_read = 1000;
    ended.run_us = 1'000'000;
    for (const auto& range : DriverWorld::launched(fast)) world.report(fast, 3, range, ended);
    beat(slow, 1, straggler, 100);
    beat(steady, 2, other, 900);
    const auto copies = [&] { return DriverWorld::tasks_on(fast) - 2; };
    world.advance(900ms);
    BOOST_TEST(copies() == (compares ? 1 : 2));
    if (compares) BOOST_TEST(DriverWorld::launched(fast).back().first_index == straggler.first_index);
    world.advance(1500ms);
    BOOST_TEST(copies() == 2);
  }
}

// -- starvation ----------------------------------------------------------------------

// TS-14.
BOOST_AUTO_TEST_CASE(a_first_job_without_any_slot_is_warned_of_until_there_is_one) {
  DriverWorld world;
  world.start();
  world.submit({own_tasks("s", 1)});
  world.advance(14s);
  BOOST_TEST(world.client.count<Notice>() == 0);
  world.advance(17s);
  BOOST_TEST(world.client.count<Notice>() == 2);
  (void)world.executor(1, 1);
  world.advance(60s);
  BOOST_TEST(world.client.count<Notice>() == 2);
}

// heddle.fix.starvation_until_launch (TS-14): the executor that comes is too small for any task.
BOOST_AUTO_TEST_CASE(an_offer_that_nothing_can_take_ends_the_warning_unless_mended) {
  for (const bool mended : {false, true}) {
    DriverWorld world;
    world.settings.fix_starvation_until_launch = mended;
    world.settings.task_scheduler.task_cores = 2;
    world.start();
    world.submit({own_tasks("s", 1)});
    (void)world.executor(1, 1);
    world.advance(46s);
    BOOST_TEST(world.client.count<Notice>() == (mended ? 3 : 0));
    (void)world.executor(2, 2);
    world.advance(60s);
    BOOST_TEST(world.client.count<Notice>() == (mended ? 3 : 0));
  }
}

}  // namespace
}  // namespace driver_policies_test
}  // namespace heddle::actors
