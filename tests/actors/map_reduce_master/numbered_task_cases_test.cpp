// Goal: the numbered cases of Hadoop's tests of tasks, second attempts and fetch failures (E3) hold for the live role.
// Method: fake ResourceManager, nodes, children and client around one MapReduceMaster, virtual time.
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/actors/map_reduce_master/answering_world.hpp"

namespace heddle::actors {
namespace numbered_task_cases_test {
namespace {

constexpr std::int64_t reduce_container = 21;

/// The reduce runs and can copy outputs of maps.
tests::Peer& run_reduce(AnsweringWorld& world, std::int32_t task = 0) {
  world.answer({MasterWorld::grant(reduce_container + task, reduce_priority)});
  return world.run(reduce_container + task);
}

void report_unfetched(AnsweringWorld& world, const TaskAttemptId& map, int times, std::int32_t reduce = 0) {
  const std::int64_t container = reduce_container + reduce;
  for (int i = 0; i < times; ++i)
    world.say(world.child(container), world.master, FetchFailed{container, MasterWorld::reduce(reduce), map});
}

MapReduceMasterStart with_history(std::int32_t attempt) {
  MapReduceMasterStart start;
  start.attempt.attempt = attempt;
  start.history.folder = "/runs/history";
  return start;
}

// C-E3-02: the map was to run again when the first MapReduceMaster was lost. After two notices it is kept.
BOOST_AUTO_TEST_CASE(a_later_master_runs_a_map_again_that_could_not_be_fetched) {
  for (const int notices : {2, 3}) {
    AnsweringWorld first{with_history(1)};
    first.begin_with_reduces(1, 1);
    first.answer({MasterWorld::grant(11)});
    first.run(11);
    first.end_map(11, MasterWorld::attempt(0));
    run_reduce(first);
    report_unfetched(first, MasterWorld::attempt(0), notices);

    AnsweringWorld next{with_history(2)};
    next.history.earlier.events = first.history.events;
    next.register_application();
    next.submit_near({{}}, 1, 1);
    BOOST_TEST(next.asked_with(map_priority) == (notices == 3 ? 1 : 0));
    if (notices == 2) continue;
    const auto again = MasterWorld::attempt(0, 1000);
    next.answer({MasterWorld::grant(31)});
    BOOST_TEST((next.run(31).last<RunAttempt>().launch.attempt == again));
    next.end_map(31, again);
    run_reduce(next);
    const auto reduce = MasterWorld::reduce(0, 1000);
    const auto rows = next.completions_of(reduce_container, reduce);
    BOOST_TEST_REQUIRE(rows.size() == 1U);
    BOOST_TEST((rows.front().attempt == 1000 && rows.front().ending == AttemptEnding::succeeded));
    next.done(reduce_container, reduce);
    next.expect_success();
  }
}

// C-E3-03: two notices of three reduces are not enough, three are, also if two of the reduces no longer copy.
BOOST_AUTO_TEST_CASE(notices_of_several_reduces_run_a_map_again) {
  AnsweringWorld world;
  world.begin_with_reduces(1, 3);
  world.answer({MasterWorld::grant(11)});
  world.run(11);
  world.end_map(11, MasterWorld::attempt(0));
  for (const std::int32_t reduce : {0, 1, 2}) run_reduce(world, reduce);
  for (const std::int32_t reduce : {0, 1}) {
    report_unfetched(world, MasterWorld::attempt(0), 1, reduce);
    const std::int64_t container = reduce_container + reduce;
    world.say(world.child(container), world.master,
              AttemptProgress{container, MasterWorld::reduce(reduce), 0.7F, TaskPhase::reduce});
  }
  BOOST_TEST(world.asked_with(failed_map_priority) == 0);
  report_unfetched(world, MasterWorld::attempt(0), 1, 2);
  BOOST_TEST(world.asked_with(failed_map_priority) == 1);
  world.answer({MasterWorld::grant(12, failed_map_priority)});
  world.run(12);
  world.end_map(12, MasterWorld::attempt(0, 1));
  // The first success is obsolete, the loss and the second one follow.
  std::vector<AttemptEnding> endings;
  for (const auto& row : world.completions_of(reduce_container, MasterWorld::reduce(0))) endings.push_back(row.ending);
  BOOST_TEST((endings ==
              std::vector<AttemptEnding>{AttemptEnding::obsolete, AttemptEnding::failed, AttemptEnding::succeeded}));
  for (const std::int32_t reduce : {0, 1, 2}) world.done(reduce_container + reduce, MasterWorld::reduce(reduce));
  world.expect_success();
}

BOOST_AUTO_TEST_CASE(the_progress_of_a_map_is_that_of_its_attempts_that_live) {  // C-E3-06
  AnsweringWorld world;
  world.begin(1);
  world.answer({MasterWorld::grant(11)});
  world.run(11);
  // The setup is 5 % of the job, the only map 90 %.
  const auto check_progress = [&world](float of_map) {
    BOOST_TEST(world.ask().progress == 0.05F + 0.9F * of_map, boost::test_tools::tolerance(0.001F));
  };
  check_progress(0);
  for (const float reached : {0.5F, 1.0F}) {
    world.say(world.child(11), world.master, AttemptProgress{11, MasterWorld::attempt(0), reached});
    check_progress(reached);
  }
  world.answer({}, {AnsweringWorld::ended(11, container_exit_status::preempted)});
  check_progress(0);
  world.answer({MasterWorld::grant(12)});
  BOOST_TEST((world.run(12).last<RunAttempt>().launch.attempt == MasterWorld::attempt(0, 1)));
  world.say(world.child(12), world.master, AttemptProgress{12, MasterWorld::attempt(0, 1), 0.5F});
  check_progress(0.5F);
}

/// Two of three maps have ended. The third one is slow: it runs in container 13, and a copy of it is requested.
struct CopiedMap : AnsweringWorld {
  explicit CopiedMap(const MapReduceMasterStart& start = {}) : AnsweringWorld{start} {
    begin_with_reduces(3, 1);
    answer({grant(11), grant(12), grant(13)});
    for (const std::int64_t container : {11, 12, 13}) run(container);
    pass_seconds(10);
    for (const std::int32_t map : {0, 1}) end_map(11 + map, attempt(map));
    pass_seconds(60, 13, first);
    BOOST_TEST_REQUIRE(events().count("map_reduce_speculated") == 1U);
  }
  void run_copy() {
    answer({grant(14)});
    BOOST_TEST((run(14).last<RunAttempt>().launch.attempt == copy));
  }
  /// The reduce runs and ends the job. `containers`: all that were started.
  void finish(int containers) {
    run_reduce(*this);
    done(reduce_container, reduce(0));
    expect_success();
    BOOST_TEST(node.count<StartContainer>() == containers);
  }

  const TaskAttemptId first = attempt(2);
  const TaskAttemptId copy = attempt(2, 1);
};

// C-E3-09: the copy succeeds, and then the first attempt fails, is killed, succeeds or would commit.
BOOST_AUTO_TEST_CASE(a_copy_that_wins_decides_whatever_happens_to_the_first) {
  enum class Later : std::uint8_t { fails, is_killed, succeeds, commits };
  for (const auto later : {Later::fails, Later::is_killed, Later::succeeds, Later::commits}) {
    CopiedMap world;
    world.run_copy();
    world.end_map(14, world.copy);
    BOOST_TEST((world.node.last<StopContainer>().container == ContainerId{13}));
    switch (later) {
      case Later::fails: world.fail(13, world.first, "exit code 3"); break;
      case Later::is_killed: world.answer({}, {AnsweringWorld::ended(13, container_exit_status::aborted)}); break;
      case Later::succeeds: world.end_map(13, world.first); break;
      case Later::commits: world.say(world.child(13), world.master, CommitPending{13, world.first}); break;
    }
    BOOST_TEST(world.child(13).count<LeaveChild>() == (later == Later::is_killed ? 0 : 1));
    BOOST_TEST(world.child(13).count<CommitAttempt>() == 0);
    run_reduce(world);
    const auto rows = world.completions_of(reduce_container, MasterWorld::reduce(0));
    BOOST_TEST_REQUIRE(rows.size() == 3U);
    BOOST_TEST((rows.back().map == 2 && rows.back().attempt == 1 && rows.back().ending == AttemptEnding::succeeded));
    world.done(reduce_container, MasterWorld::reduce(0));
    world.expect_success();
    BOOST_TEST(world.node.count<StartContainer>() == 5);
  }
}

BOOST_AUTO_TEST_CASE(a_copy_that_won_can_still_lose_its_output) {  // C-E3-10
  CopiedMap world;
  world.run_copy();
  world.end_map(14, world.copy);
  world.answer({}, {AnsweringWorld::ended(13, container_exit_status::killed_by_application_master)});
  run_reduce(world);
  report_unfetched(world, world.copy, 3);
  BOOST_TEST(world.asked_with(failed_map_priority) == 1);
  world.answer({MasterWorld::grant(15, failed_map_priority)});
  BOOST_TEST((world.run(15).last<RunAttempt>().launch.attempt == MasterWorld::attempt(2, 2)));
}

// C-E3-11: one failure is too many. The job goes on, since it allows failed maps.
BOOST_AUTO_TEST_CASE(a_failed_map_stays_failed_and_starts_nothing) {
  MapReduceMasterStart start;
  start.machines.map_task.attempts_max = 1;
  start.machines.job.map_failures_percent = 50;
  CopiedMap world{start};
  world.run_copy();
  world.fail(13, world.first, "exit code 3");
  BOOST_TEST((world.node.last<StopContainer>().container == ContainerId{14}));
  world.say(world.child(14), world.master, CommitPending{14, world.copy});
  world.fail(14, world.copy, "exit code 3");
  world.end_map(14, world.copy);
  BOOST_TEST(world.child(14).count<LeaveChild>() == 3);
  BOOST_TEST(world.child(14).count<CommitAttempt>() == 0);
  world.finish(5);
  BOOST_TEST(world.client.last<JobFinished>().totals.failed_attempts == 1);
}

// C-E3-12: the copy waits for a container, so the failure of the first attempt starts a third one, before other maps.
// While the third one runs, the failure of the copy starts no fourth.
BOOST_AUTO_TEST_CASE(a_copy_without_a_container_does_not_stand_in_for_a_failure) {
  CopiedMap world;
  world.fail(13, world.first, "exit code 3");
  BOOST_TEST(world.asked_with(failed_map_priority) == 1);
  BOOST_TEST(world.asked_with(map_priority) == 1);
  world.answer({MasterWorld::grant(15, failed_map_priority), MasterWorld::grant(14)}, {AnsweringWorld::ended(13)});
  const auto third = MasterWorld::attempt(2, 2);
  BOOST_TEST((world.run(15).last<RunAttempt>().launch.attempt == third));
  BOOST_TEST((world.run(14).last<RunAttempt>().launch.attempt == world.copy));
  world.fail(14, world.copy, "exit code 3");
  world.answer({}, {AnsweringWorld::ended(14)});
  BOOST_TEST(world.asked_with(failed_map_priority) + world.asked_with(map_priority) == 0);
  world.end_map(15, third);
  world.finish(6);
}

// C-E3-13: both attempts are complete when the copy succeeds.
BOOST_AUTO_TEST_CASE(the_counters_of_a_map_are_those_of_the_attempt_that_won) {
  CopiedMap world;
  world.run_copy();
  AttemptProgress progress{13, world.first, 1.0F};
  progress.counters.user = {{"Mine\tlines", 7}};
  world.say(world.child(13), world.master, progress);
  progress.child = 14;
  progress.attempt = world.copy;
  progress.counters.user = {{"Mine\tlines", 2}};
  world.say(world.child(14), world.master, progress);
  AttemptDone done{14, world.copy, {}};
  done.outcome.counters = progress.counters.user;
  done.place = MasterWorld::map_output(2);
  world.say(world.child(14), world.master, done);
  world.finish(5);
  std::int64_t lines = 0;
  for (const auto& [name, value] : world.client.last<JobFinished>().totals.counters)
    if (name == "Mine\tlines") lines = value;
  BOOST_TEST(lines == 2);
}

/// Four of eight maps have ended, the others are slow. How many of them get copies, which get containers at once.
int count_copies(const policies::SpeculatorSettings& rules) {
  MapReduceMasterStart start;
  start.speculator = rules;
  AnsweringWorld world{start};
  world.begin(8);
  std::vector<GrantedContainer> grants;
  for (std::int64_t container = 11; container < 19; ++container) grants.push_back(MasterWorld::grant(container));
  world.answer(std::move(grants));
  for (std::int64_t container = 11; container < 19; ++container) world.run(container);
  world.pass_seconds(10);
  for (std::int32_t map = 0; map < 4; ++map) world.done(11 + map, MasterWorld::attempt(map));
  int copies = 0;
  for (int second = 0; second < 120; ++second) {
    for (std::int32_t map = 4; map < 8; ++map)
      world.say(world.child(11 + map), world.master, AttemptProgress{11 + map, MasterWorld::attempt(map), 0.01F});
    world.advance(1s);
    world.answer();
    if (world.events().count("map_reduce_speculated") == copies) continue;
    const std::int64_t container = 31 + copies++;
    world.answer({MasterWorld::grant(container)});
    world.run(container);
  }
  return copies;
}

// C-E3-23: two at once by the least number, by the part of eight maps, or by the part of the running ones.
BOOST_AUTO_TEST_CASE(copies_are_started_up_to_the_largest_of_three_bounds) {
  policies::SpeculatorSettings rules;
  rules.allowed_min = 1;
  rules.cap_total = rules.cap_running = 0;
  BOOST_TEST(count_copies(rules) == 1);
  rules.allowed_min = 2;
  BOOST_TEST(count_copies(rules) == 2);
  rules.allowed_min = 0;
  rules.cap_total = 0.25;
  BOOST_TEST(count_copies(rules) == 2);
  rules.cap_total = 0;
  rules.cap_running = 0.5;
  BOOST_TEST(count_copies(rules) == 2);
}

}  // namespace
}  // namespace numbered_task_cases_test
}  // namespace heddle::actors
