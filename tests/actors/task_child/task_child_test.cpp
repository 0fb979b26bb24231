// Goal: a task child runs one attempt at a time as its parent says, and ends with it. Method: fake parent, slots and
// commit around one task child, background work at once, virtual time.
#include "actors/task_child/task_child.hpp"

#include <boost/test/unit_test.hpp>
#include <stdexcept>

#include "tests/support/actor_world.hpp"

namespace heddle::actors {
namespace task_child_test {
namespace {

using namespace std::chrono_literals;

const StageKey maps{JobId{7}, StageId{0}, 0};
const TaskAttemptId map_3{JobId{7}, false, 3, 1};
const std::vector<std::string> both{"/left", "/right"};

/// Runs nothing and records its calls.
class FakeRunner final : public ports::TaskRunner {
public:
  void start(OnReports on_reports) override { report_ = std::move(on_reports); }
  void load_stage(std::shared_ptr<const StageProgram> work) override {
    loaded.push_back(work->name);
    programs.push_back(work);
  }
  void unload_stage(const StageKey& stage) override { unloaded.push_back(stage); }
  void set_locations(std::shared_ptr<const ports::ShuffleLocations> table) override { tables.push_back(table); }
  void run(TaskRange range) override { ranges.push_back(std::move(range)); }
  std::vector<TaskRange> retract(std::int32_t) override { return {}; }
  void kill(const StageKey&, std::int32_t index, std::int32_t attempt, const std::string& reason) override {
    killed.push_back(std::to_string(index) + "." + std::to_string(attempt) + " " + reason);
  }
  void drop_all(const std::string&) override {}
  std::optional<ports::TaskProgress> progress(const StageKey&, std::int32_t index, std::int32_t) override {
    return ports::TaskProgress{phase, index == 3 ? 0.25F : 0.0F, 1, status, counters};
  }
  void stop() override {}
  void end(TaskState state, FailureKind failure = FailureKind::none) {
    TaskOutcome outcome;
    outcome.state = state;
    outcome.failure = failure;
    outcome.records_read = 5;
    outcome.counters = {{"Mine\tn", 7}};
    report_({{maps, 3, 1, outcome}});
  }

  ports::TaskPhase phase = ports::TaskPhase::map;
  std::string status;
  AttemptCounters counters;
  std::vector<std::shared_ptr<const ports::ShuffleLocations>> tables;
  std::vector<std::shared_ptr<const StageProgram>> programs;
  std::vector<std::string> loaded;
  std::vector<StageKey> unloaded;
  std::vector<TaskRange> ranges;
  std::vector<std::string> killed;

private:
  OnReports report_;
};

/// Records what it is called with, in order.
class FakeCommit final : public ports::OutputCommit {
public:
  Result<Done> set_up(const std::string& path, const std::vector<std::string>&, std::int32_t attempt) override {
    return record("set up " + path, attempt, path);
  }
  Result<ports::OutputCommitted> commit(const std::vector<OutputWinners>& outputs, std::int32_t attempt) override {
    const auto done = record("commit " + outputs.front().task_attempts.front(), attempt, outputs.front().path);
    if (!done) return done.error();
    return ports::OutputCommitted{"a folder remains"};
  }
  Result<ports::CommitState> recover(const std::vector<std::string>&, std::int32_t) override {
    return ports::CommitState::not_committed;
  }
  Result<ports::OutputRecovered> recover_tasks(const std::vector<std::string>&, std::int32_t,
                                               const std::vector<std::string>&) override {
    return ports::OutputRecovered{};
  }
  Result<Done> abort(const std::vector<std::string>& paths, std::int32_t attempt) override {
    return record("abort " + std::to_string(paths.size()), attempt, {});
  }
  Result<Done> abort_attempt(const std::string& path, std::int32_t attempt, const std::string& name) override {
    return record("remove " + path + " " + name, attempt, path);
  }

  std::vector<std::string> calls;
  std::string refused;
  Errc refusal = Errc::refused;
  bool has_memory = true;

private:
  Result<Done> record(const std::string& call, std::int32_t attempt, const std::string& path) {
    if (!has_memory) throw std::runtime_error{"no memory"};
    calls.push_back(call + " " + std::to_string(attempt));
    if (!path.empty() && path == refused) return Error{refusal, path + " exists"};
    return Done{};
  }
};

struct Immediate final : ports::Background {
  void run(std::function<void()> work) override { work(); }
};

/// Must outlive the actor.
struct Outside {
  FakeRunner runner;
  FakeCommit commit;
  Immediate background;
  ports::CopyNotices notices;
  std::vector<std::string> ends;
};

struct ChildWorld : Outside, tests::ActorWorld {
  tests::Peer& parent = peer("tracker:1");
  TaskChildActor child;

  explicit ChildWorld(const std::string& address = "tracker:1") {
    TaskChildStart start;
    start.parent_address = address;
    start.child = 12;
    start.secret = "token";
    start.map_outputs.address = "here";
    child = adopt(spawn_task_child(
        system(), start, tools(),
        {&runner, &commit, &background, &notices, [this](const std::string& why) { ends.push_back(why); }}));
    settle();
  }
  void run_map(bool has_output = true) {
    RunAttempt message;
    message.launch.attempt = map_3;
    message.launch.range = {maps, 3, 1, 1, {}};
    message.program.key = maps;
    message.program.name = "map";
    if (has_output) message.program.output.emplace().path = "/left";
    say(parent, child, message);
  }
  void work_on_outputs(AttemptType type, bool is_commit = false) {
    RunAttempt message;
    message.launch.attempt = {JobId{7}, false, 4, 0};
    message.launch.type = type;
    for (const auto& path : both) message.launch.output.outputs.push_back({path, false, {"attempt-0.0-3-1"}});
    message.launch.output.application_attempt = 2;
    message.launch.output.is_commit = is_commit;
    message.launch.range = {maps, 3, 1, 1, {}};
    say(parent, child, message);
  }
  void end(TaskState state, FailureKind failure = FailureKind::none) {
    runner.end(state, failure);
    settle();
  }
};

BOOST_AUTO_TEST_CASE(a_child_shows_its_secret_and_gets_an_attempt) {
  ChildWorld world;
  BOOST_TEST(world.parent.last<GetTask>().child == 12);
  BOOST_TEST(world.parent.last<GetTask>().secret == "token");
  world.run_map();
  BOOST_TEST(world.runner.loaded == std::vector<std::string>{"map"});
  BOOST_TEST_REQUIRE(world.runner.ranges.size() == 1U);
  BOOST_TEST(world.runner.ranges.front().first_index == 3);
  world.run_map();  // one attempt at a time
  BOOST_TEST(world.runner.ranges.size() == 1U);
}

BOOST_AUTO_TEST_CASE(an_attempt_with_output_waits_for_the_permission_to_commit) {
  ChildWorld world;
  world.run_map();
  world.end(TaskState::running);
  BOOST_TEST(world.parent.count<CommitPending>() == 0);
  world.end(TaskState::finished);
  BOOST_TEST((world.parent.last<CommitPending>().attempt == map_3));
  BOOST_TEST(world.parent.count<AttemptDone>() == 0);
  world.say(world.parent, world.child, CommitAttempt{{JobId{7}, false, 3, 0}});  // another attempt
  BOOST_TEST(world.parent.count<AttemptDone>() == 0);
  world.say(world.parent, world.child, CommitAttempt{map_3});
  BOOST_TEST(world.parent.last<AttemptDone>().outcome.records_read == 5);
  BOOST_TEST(world.parent.count<GetTask>() == 2);
  BOOST_TEST((world.runner.unloaded == std::vector<StageKey>{maps}));
  world.advance(1h);
  BOOST_TEST(world.parent.count<AttemptProgress>() == 0);
}

BOOST_AUTO_TEST_CASE(an_attempt_without_output_is_done_when_it_has_run) {
  ChildWorld world;
  world.run_map(false);
  world.end(TaskState::finished);
  BOOST_TEST(world.parent.count<CommitPending>() == 0);
  BOOST_TEST((world.parent.last<AttemptDone>().attempt == map_3));
}

const TaskAttemptId reduce_0{JobId{7}, true, 0, 0};

void run_reduce(ChildWorld& world, std::int32_t map_count) {
  RunAttempt message;
  message.launch.attempt = reduce_0;
  message.launch.type = AttemptType::reduce;
  message.launch.range = {{JobId{7}, StageId{1}, 0}, 0, 1, 0, {}};
  message.program.key = {JobId{7}, StageId{1}, 0};
  message.program.shuffle_inputs = {{ShuffleId{0}, map_count, {}}};
  world.say(world.parent, world.child, message);
}

MapCompletion success(std::int32_t map, std::int32_t attempt, const std::string& address) {
  return {map, attempt, AttemptEnding::succeeded, {NodeId{1}, Epoch{1}, "a", address, "/files"}, 1000 * (map + 1)};
}

BOOST_AUTO_TEST_CASE(attempts_of_a_map_store_their_outputs_apart_and_tell_where) {
  ChildWorld world;
  RunAttempt message;
  message.launch.attempt = map_3;  // attempt 1
  message.launch.range = {maps, 3, 1, 1, {}};
  message.program.shuffle_output = {{ShuffleId{4}, 2, {}}};
  world.say(world.parent, world.child, message);
  BOOST_TEST((world.runner.programs.front()->shuffle_output->shuffle == ShuffleId{5}));
  world.end(TaskState::finished);
  const auto done = world.parent.last<AttemptDone>();
  BOOST_TEST_REQUIRE(done.place.has_value());
  BOOST_TEST(done.place->address == "here");
}

BOOST_AUTO_TEST_CASE(a_reduce_starts_without_locations_and_gets_them_as_maps_end) {
  constexpr auto expected = ports::ShuffleLocations::expected;
  constexpr auto not_wanted = ports::ShuffleLocations::not_wanted;
  ChildWorld world;
  run_reduce(world, 3);
  BOOST_TEST(world.runner.ranges.size() == 1U);
  BOOST_TEST(world.parent.last<GetMapCompletions>().from == 0);
  BOOST_TEST(world.runner.tables.back()->place_of_map == (std::vector<std::int32_t>(3, expected)),
             boost::test_tools::per_element());
  const MapCompletion second = success(1, 2, "s:1");
  world.say(world.parent, world.child, MapCompletions{reduce_0, 0, {second, {0, 0, AttemptEnding::obsolete}}});
  BOOST_TEST(world.parent.last<GetMapCompletions>().from == 2);
  BOOST_TEST(world.runner.tables.back()->place_of_map == (std::vector<std::int32_t>{expected, 0, expected}),
             boost::test_tools::per_element());
  BOOST_TEST(world.runner.tables.back()->attempt_of(1) == 2);
  BOOST_TEST((world.runner.tables.back()->longest_map == 2ms));
  BOOST_TEST(world.runner.tables.back()->places.front().address == "s:1");
  // Repeated, and from elsewhere: ignored.
  world.say(world.parent, world.child, MapCompletions{reduce_0, 0, {second}});
  world.say(world.parent, world.child, MapCompletions{map_3, 2, {second}});
  BOOST_TEST(world.parent.count<GetMapCompletions>() == 2);
  // The loss of another attempt does not matter; that of its own does; a map that is given up is not wanted.
  world.say(world.parent, world.child, MapCompletions{reduce_0, 2, {{1, 0, AttemptEnding::killed}}});
  BOOST_TEST(world.runner.tables.back()->place_of_map.at(1) == 0);
  world.say(world.parent, world.child,
            MapCompletions{reduce_0, 3, {{1, 2, AttemptEnding::failed}, {2, 3, AttemptEnding::task_failed}}});
  BOOST_TEST(world.runner.tables.back()->place_of_map == (std::vector<std::int32_t>{expected, expected, not_wanted}),
             boost::test_tools::per_element());
  // Maps that the job does not have.
  world.say(world.parent, world.child, MapCompletions{reduce_0, 5, {success(3, 0, "x"), success(-1, 0, "x")}});
  BOOST_TEST(world.parent.last<GetMapCompletions>().from == 7);
  BOOST_TEST(world.runner.tables.back()->places.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_copy_that_failed_too_often_is_told_with_the_attempt_of_the_map) {
  ChildWorld world;
  world.say(world.parent, world.child, CopyFailed{1});  // no reduce runs
  BOOST_TEST(world.parent.count<FetchFailed>() == 0);
  run_reduce(world, 3);
  world.say(world.parent, world.child, MapCompletions{reduce_0, 0, {success(1, 2, "s:1")}});
  for (const std::int32_t map : {0, 1, 9}) world.notices.add(map);
  world.settle();
  BOOST_TEST_REQUIRE(world.parent.count<FetchFailed>() == 1);
  BOOST_TEST((world.parent.last<FetchFailed>().map == TaskAttemptId{JobId{7}, false, 1, 2}));
}

BOOST_AUTO_TEST_CASE(a_failed_attempt_is_reported_with_its_reason) {
  ChildWorld world;
  world.run_map();
  world.end(TaskState::failed, FailureKind::command_exit);
  BOOST_TEST((world.parent.last<AttemptFailed>().outcome.failure == FailureKind::command_exit));
  BOOST_TEST(world.parent.count<CommitPending>() == 0);
  BOOST_TEST(world.parent.count<GetTask>() == 2);
}

BOOST_AUTO_TEST_CASE(a_range_of_several_partitions_fails_the_attempt) {
  ChildWorld world;
  RunAttempt message;
  message.launch.attempt = map_3;
  message.launch.range = {maps, 3, 2, 1, {}};
  world.say(world.parent, world.child, message);
  BOOST_TEST(world.parent.last<AttemptFailed>().outcome.text == "the attempt has 2 partitions instead of one");
  BOOST_TEST(world.runner.ranges.empty());
}

BOOST_AUTO_TEST_CASE(a_running_attempt_tells_its_progress) {
  ChildWorld world;
  world.run_map();
  world.advance(7s);
  BOOST_TEST(world.parent.count<AttemptProgress>() == 2);
  BOOST_TEST(world.parent.last<AttemptProgress>().progress == 0.25F);
  world.end(TaskState::finished);
  world.advance(3s);
  BOOST_TEST(world.parent.last<AttemptProgress>().progress == 1.0F);
}

BOOST_AUTO_TEST_CASE(the_interval_of_reports_begins_with_each_attempt) {
  ChildWorld world;
  world.run_map(false);
  world.advance(2s);
  world.end(TaskState::finished);
  world.run_map(false);
  world.advance(2s);
  BOOST_TEST(world.parent.count<AttemptProgress>() == 0);
  world.advance(1s);
  BOOST_TEST(world.parent.count<AttemptProgress>() == 1);
  world.advance(3s);
  BOOST_TEST(world.parent.count<AttemptProgress>() == 2);
}

BOOST_AUTO_TEST_CASE(a_status_of_the_command_is_told_once) {
  ChildWorld world;
  world.run_map();
  world.runner.status = "half of it";
  world.advance(3s);
  BOOST_TEST(world.parent.last<AttemptProgress>().status == "half of it");
  world.advance(3s);
  BOOST_TEST(world.parent.last<AttemptProgress>().status.empty());
  world.runner.status = std::string(5000, 'x');
  world.advance(3s);
  BOOST_TEST(world.parent.last<AttemptProgress>().status.size() == 1024U);
  world.advance(3s);
  BOOST_TEST(world.parent.last<AttemptProgress>().status.empty());
}

BOOST_AUTO_TEST_CASE(a_report_has_the_counters_that_changed_since_the_last_one) {
  ChildWorld world;
  world.run_map();
  const auto& parent = world.parent;
  const std::vector<std::pair<std::string, std::int64_t>> mine{{"Mine\tn", 2}};
  world.runner.counters.user = mine;
  set_counter(world.runner.counters.task, TaskCounter::map_input_records, 5);
  const auto first = world.runner.counters.task;
  world.advance(3s);
  BOOST_TEST((parent.last<AttemptProgress>().counters.task == first));
  BOOST_TEST((parent.last<AttemptProgress>().counters.user == mine));
  set_counter(world.runner.counters.task, TaskCounter::map_input_records, 6);
  world.advance(3s);
  BOOST_TEST((parent.last<AttemptProgress>().counters.task == world.runner.counters.task));
  BOOST_TEST(parent.last<AttemptProgress>().counters.user.empty());
  world.advance(3s);
  BOOST_TEST(parent.last<AttemptProgress>().counters.task.empty());
  // Waits for its commit, with the counters of its outcome.
  world.end(TaskState::finished);
  world.advance(3s);
  BOOST_TEST((parent.last<AttemptProgress>().counters.user == (decltype(mine){{"Mine\tn", 7}})));
  world.advance(3s);
  BOOST_TEST(parent.last<AttemptProgress>().counters.user.empty());
}

BOOST_AUTO_TEST_CASE(a_report_says_whether_the_attempt_has_shown_a_sign_of_life_since_the_last_one) {  // TA-1
  ChildWorld world;
  world.run_map();
  world.advance(3s);
  BOOST_TEST(world.parent.last<AttemptProgress>().is_alive);
  world.advance(3s);  // the runner has seen no other sign
  BOOST_TEST(!world.parent.last<AttemptProgress>().is_alive);
  world.runner.phase = ports::TaskPhase::shuffle;  // waits for map outputs
  world.advance(3s);
  BOOST_TEST(world.parent.last<AttemptProgress>().is_alive);
}

BOOST_AUTO_TEST_CASE(a_killed_attempt_ends_as_killed) {
  ChildWorld running;
  running.run_map();
  running.say(running.parent, running.child, KillAttempt{{JobId{7}, false, 3, 0}, "another attempt"});
  BOOST_TEST(running.runner.killed.empty());
  running.say(running.parent, running.child, KillAttempt{map_3, "not needed"});
  BOOST_TEST(running.runner.killed == std::vector<std::string>{"3.1 not needed"});
  running.end(TaskState::killed, FailureKind::killed);
  BOOST_TEST((running.parent.last<AttemptFailed>().outcome.state == TaskState::killed));

  ChildWorld committing;
  committing.run_map();
  committing.end(TaskState::finished);
  committing.say(committing.parent, committing.child, KillAttempt{map_3, "another attempt commits"});
  BOOST_TEST((committing.parent.last<AttemptFailed>().outcome.state == TaskState::killed));
  BOOST_TEST(committing.parent.last<AttemptFailed>().outcome.text == "another attempt commits");
  BOOST_TEST(committing.parent.count<GetTask>() == 2);
}

BOOST_AUTO_TEST_CASE(a_job_setup_creates_all_outputs_or_none) {
  ChildWorld world;
  world.work_on_outputs(AttemptType::job_setup);
  BOOST_TEST(world.commit.calls == (std::vector<std::string>{"set up /left 2", "set up /right 2"}));
  BOOST_TEST(world.parent.count<AttemptDone>() == 1);
  world.commit.calls.clear();
  world.commit.refused = "/right";
  world.work_on_outputs(AttemptType::job_setup);
  BOOST_TEST(world.commit.calls == (std::vector<std::string>{"set up /left 2", "set up /right 2", "abort 1 2"}));
  BOOST_TEST((world.parent.last<AttemptFailed>().outcome.failure == FailureKind::output));
  world.commit.refusal = Errc::unreachable;
  world.work_on_outputs(AttemptType::job_setup);
  BOOST_TEST((world.parent.last<AttemptFailed>().outcome.failure == FailureKind::unreachable));
  BOOST_TEST(world.parent.last<AttemptFailed>().outcome.text == "/right exists");
}

BOOST_AUTO_TEST_CASE(a_job_cleanup_commits_the_winners_or_removes_the_outputs) {
  ChildWorld world;
  world.work_on_outputs(AttemptType::job_cleanup, true);
  BOOST_TEST(world.parent.last<AttemptDone>().outcome.text == "a folder remains");
  world.work_on_outputs(AttemptType::job_cleanup, false);
  BOOST_TEST(world.commit.calls == (std::vector<std::string>{"commit attempt-0.0-3-1 2", "abort 2 2"}));
  BOOST_TEST(world.parent.count<AttemptDone>() == 2);
  world.commit.refused = "/left";
  world.work_on_outputs(AttemptType::job_cleanup, true);
  BOOST_TEST(world.parent.last<AttemptFailed>().outcome.text == "/left exists");
}

BOOST_AUTO_TEST_CASE(a_task_cleanup_removes_the_files_of_its_attempt) {
  ChildWorld world;
  world.work_on_outputs(AttemptType::task_cleanup);
  BOOST_TEST(world.commit.calls ==
             (std::vector<std::string>{"remove /left attempt-0.0-3-1 2", "remove /right attempt-0.0-3-1 2"}));
  BOOST_TEST(world.parent.count<AttemptDone>() == 1);
}

BOOST_AUTO_TEST_CASE(an_exception_of_the_work_on_outputs_fails_the_attempt) {
  ChildWorld world;
  world.commit.has_memory = false;
  world.work_on_outputs(AttemptType::job_setup);
  BOOST_TEST(world.parent.last<AttemptFailed>().outcome.text == "work on the output failed: no memory");
}

BOOST_AUTO_TEST_CASE(a_stale_tick_and_an_end_without_an_attempt_change_nothing) {
  ChildWorld world;
  world.say(world.child, TaskChildTick{99});
  world.say(world.child, AttemptEnded{});
  BOOST_TEST(world.parent.heard->size() == 1U);  // GetTask
  world.run_map();
  world.end(TaskState::finished);
  world.say(world.child, AttemptEnded{});
  BOOST_TEST(world.parent.count<CommitPending>() == 1);
  BOOST_TEST(world.parent.count<AttemptDone>() == 0);
}

BOOST_AUTO_TEST_CASE(a_child_ends_when_told_and_with_its_parent) {
  ChildWorld told;
  told.say(told.parent, told.child, LeaveChild{"no attempt follows"});
  BOOST_TEST(told.ends == std::vector<std::string>{"no attempt follows"});
  BOOST_TEST(told.has_ended(told.child));

  ChildWorld orphan;
  orphan.run_map();
  orphan.kill(orphan.parent);
  BOOST_TEST(orphan.ends == std::vector<std::string>{"the connection to the TaskTracker or MapReduceMaster is lost"});
  BOOST_TEST(orphan.has_ended(orphan.child));

  ChildWorld alone{"tracker:2"};
  BOOST_TEST(alone.ends ==
             std::vector<std::string>{"the TaskTracker or MapReduceMaster cannot be reached at tracker:2"});
}

}  // namespace
}  // namespace task_child_test
}  // namespace heddle::actors
