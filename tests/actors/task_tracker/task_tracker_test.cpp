// Goal: each launched attempt runs in one child, every end is reported once, and nothing runs on after its reason is
// gone. Method: fake JobTracker, children and launcher around one TaskTracker, virtual time.
#include "actors/task_tracker/task_tracker.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/actors/task_tracker/slot_world.hpp"

namespace heddle::actors {
namespace task_tracker_test {
namespace {

BOOST_AUTO_TEST_CASE(registers_and_sends_heartbeats_at_the_interval_of_the_response) {
  SlotWorld world;
  BOOST_TEST(world.last_beat().is_initial_contact);
  BOOST_TEST(world.last_beat().response_id == -1);
  BOOST_TEST(world.last_beat().map_slots == 2);
  world.answer();
  BOOST_TEST(world.beats() == 1);
  world.advance(299ms);
  BOOST_TEST(world.beats() == 1);
  world.advance(1ms);
  BOOST_TEST(world.beats() == 2);
  BOOST_TEST(!world.last_beat().is_initial_contact);
  BOOST_TEST(world.last_beat().response_id == 1);
}

BOOST_AUTO_TEST_CASE(without_heartbeats_on_change_each_waits_for_the_interval) {
  TaskTrackerSettings settings;
  settings.beat_on_change = false;
  SlotWorld world{settings};
  world.answer(SlotWorld::launch_of({SlotWorld::map_launch(0)}));
  BOOST_TEST(world.beats() == 1);  // although a slot is free
  auto& child = world.connect(1);
  BOOST_TEST(child.count<RunAttempt>() == 1);
  world.say(child, world.tracker, CommitPending{1, SlotWorld::attempt(0)});
  world.say(child, world.tracker, AttemptDone{1, SlotWorld::attempt(0), {}});
  world.advance(299ms);
  BOOST_TEST(world.beats() == 1);
  world.advance(1ms);
  BOOST_TEST(world.beats() == 2);
  BOOST_TEST((world.last_beat().attempts.front().state == TaskAttemptState::succeeded));
}

BOOST_AUTO_TEST_CASE(a_heartbeat_without_answer_is_repeated_unchanged) {
  SlotWorld world;
  auto& child = world.run_map();
  world.advance(300ms);
  const auto sent = world.last_beat();
  world.say(child, world.tracker, AttemptDone{1, SlotWorld::attempt(0), {}});
  const int before = world.beats();
  world.advance(10s);
  BOOST_TEST(world.beats() == before + 1);
  BOOST_TEST(world.last_beat().response_id == sent.response_id);
  BOOST_TEST((world.last_beat().attempts.front().state == TaskAttemptState::running));
  world.answer();
  // What changed meanwhile follows at once.
  BOOST_TEST(world.beats() == before + 2);
  BOOST_TEST((world.last_beat().attempts.front().state == TaskAttemptState::succeeded));
  world.say(world.cluster, world.tracker, HeartbeatResponse{5, sent.response_id + 1, 300, NodeId{4}});
  BOOST_TEST(world.events().count("stale_heartbeat_response") == 1);
}

BOOST_AUTO_TEST_CASE(an_attempt_runs_in_a_child_with_a_complete_launch_spec) {
  SlotWorld world;
  auto& child = world.run_map();
  const auto& context = world.launcher.contexts.at(0);
  BOOST_TEST((context.arguments == std::vector<std::string>{"/program"}));
  LaunchSpec expected;
  expected.settings = "heddle.x=1\n";
  expected.container.container = ContainerId{1};
  expected.container.attempt = {{1000, 1}, 1};
  expected.container.node = NodeId{4};
  expected.container.node_epoch = Epoch{5};
  expected.container.host = "a";
  expected.container.shuffle_address = "shuffle:1";
  expected.container.directory = "/files";
  expected.container.token = "secret";
  expected.role = TaskChildLaunch{"a:1", 1, "owner"};
  BOOST_TEST((*context.spec == expected));
  const auto run = child.last<RunAttempt>();
  BOOST_TEST((run.launch.attempt == SlotWorld::attempt(0)));
  BOOST_TEST(run.program.name == "map");
}

BOOST_AUTO_TEST_CASE(an_end_is_reported_at_once_and_only_once) {
  SlotWorld world;
  auto& child = world.run_map();
  const int before = world.beats();
  TaskOutcome outcome;
  outcome.bytes_read = 7;
  world.say(child, world.tracker, AttemptProgress{1, SlotWorld::attempt(0), 0.5F});
  world.say(child, world.tracker, AttemptDone{1, SlotWorld::attempt(0), outcome});
  BOOST_TEST(world.beats() == before + 1);
  const auto status = world.last_beat().attempts.front();
  BOOST_TEST((status.state == TaskAttemptState::succeeded));
  BOOST_TEST(status.outcome->bytes_read == 7);
  world.answer();
  world.connect(1);
  BOOST_TEST(child.count<LeaveChild>() == 1);
  world.end(1, 0);
  world.advance(300ms);
  BOOST_TEST(world.last_beat().attempts.empty());
  BOOST_TEST(world.launcher.stopped.empty());
}

BOOST_AUTO_TEST_CASE(a_commit_waits_for_the_permission_of_the_job_tracker) {
  SlotWorld world;
  auto& child = world.run_map();
  world.say(child, world.tracker, CommitPending{1, SlotWorld::attempt(0)});
  BOOST_TEST((world.last_beat().attempts.front().state == TaskAttemptState::commit_pending));
  HeartbeatResponse response;
  response.commits = {SlotWorld::attempt(0)};
  world.answer(response);
  BOOST_TEST((child.last<CommitAttempt>().attempt == SlotWorld::attempt(0)));
}

// JT-4: the JobTracker counts the slot of an attempt that waits for its commit as free.
BOOST_AUTO_TEST_CASE(a_launch_waits_for_a_slot_of_its_kind) {
  TaskTrackerSettings settings;
  settings.map_slots = settings.reduce_slots = 1;
  SlotWorld world{settings};
  auto reduce = SlotWorld::map_launch(5);
  reduce.attempt.is_reduce = reduce.uses_reduce_slot = true;
  reduce.type = AttemptType::reduce;
  world.answer(
      SlotWorld::launch_of({SlotWorld::map_launch(0), SlotWorld::map_launch(1), SlotWorld::map_launch(2), reduce}));
  BOOST_TEST(world.launcher.contexts.size() == 2U);
  auto& child = world.connect(1);
  world.answer();
  world.say(child, world.tracker, CommitPending{1, SlotWorld::attempt(0)});
  BOOST_TEST(world.last_beat().attempts.size() == 4U);
  BOOST_TEST(world.launcher.contexts.size() == 2U);
  HeartbeatResponse kill;
  kill.kills = {SlotWorld::attempt(1)};
  world.answer(kill);
  BOOST_TEST((world.last_beat().attempts.at(1).state == TaskAttemptState::killed));
  BOOST_TEST(world.launcher.contexts.size() == 2U);
  world.say(child, world.tracker, AttemptDone{1, SlotWorld::attempt(0), {}});
  BOOST_TEST(world.launcher.contexts.size() == 3U);
  BOOST_TEST((world.connect(3).last<RunAttempt>().launch.attempt == SlotWorld::attempt(2)));
}

BOOST_AUTO_TEST_CASE(a_status_of_a_command_is_in_the_event_log) {
  SlotWorld world;
  auto& child = world.run_map();
  AttemptProgress report{1, SlotWorld::attempt(0), 0.5F};
  world.say(child, world.tracker, report);
  BOOST_TEST(world.events().count("attempt_status") == 0);
  report.status = "half of it";
  world.say(child, world.tracker, report);
  BOOST_TEST(world.events().count("attempt_status") == 1);
}

BOOST_AUTO_TEST_CASE(launches_that_wait_end_with_their_job) {
  TaskTrackerSettings settings;
  settings.map_slots = 1;
  SlotWorld world{settings};
  world.answer(SlotWorld::launch_of({SlotWorld::map_launch(0), SlotWorld::map_launch(1)}));
  world.connect(1);
  HeartbeatResponse over;
  over.ended_jobs = {JobId{1}};
  world.advance(300ms);
  world.answer(over);
  world.end(1, 143, 15);
  BOOST_TEST(world.launcher.contexts.size() == 1U);
  world.advance(300ms);
  BOOST_TEST(world.last_beat().attempts.empty());
}

BOOST_AUTO_TEST_CASE(an_attempt_whose_child_dies_has_failed_with_the_exit_status) {
  SlotWorld world;
  world.run_map();
  world.end(1, 137, 9);
  const auto status = world.last_beat().attempts.front();
  BOOST_TEST((status.state == TaskAttemptState::failed_unclean));
  BOOST_TEST(status.outcome->exit_code == 137);
  BOOST_TEST(status.outcome->text == "its child process ended before it: killed by signal 9");
}

BOOST_AUTO_TEST_CASE(a_child_that_cannot_be_started_fails_its_attempt) {
  SlotWorld world;
  world.launcher.is_full = true;
  world.answer(SlotWorld::launch_of({SlotWorld::map_launch(0)}));
  world.answer();
  const auto status = world.last_beat().attempts.front();
  BOOST_TEST((status.state == TaskAttemptState::failed_unclean));
  BOOST_TEST(status.outcome->text == "its child could not be started: no descriptors are left");
}

BOOST_AUTO_TEST_CASE(a_killed_attempt_ends_by_message_or_with_its_process_group) {
  for (const bool child_answers : {true, false}) {
    SlotWorld world;
    auto& child = world.run_map();
    HeartbeatResponse kill;
    kill.kills = {SlotWorld::attempt(0)};
    world.advance(300ms);
    world.answer(kill);
    BOOST_TEST(child.count<KillAttempt>() == 1);
    BOOST_TEST(world.launcher.stopped.empty());
    TaskOutcome outcome;
    outcome.state = TaskState::killed;
    if (child_answers) world.say(child, world.tracker, AttemptFailed{1, SlotWorld::attempt(0), outcome});
    world.advance(2s);
    BOOST_TEST(world.launcher.stopped.contains(1));
    if (!child_answers) world.end(1, 143, 15);
    world.answer();
    const auto beats = world.cluster.all<TrackerHeartbeat>();
    int killed = 0;
    for (const auto& beat : beats)
      for (const auto& status : beat.attempts) killed += status.state == TaskAttemptState::killed_unclean ? 1 : 0;
    BOOST_TEST(killed >= 1);
  }
}

HeartbeatResponse reusing_launch_of(std::int32_t task, std::int32_t tasks_per_process) {
  auto response = SlotWorld::launch_of({SlotWorld::map_launch(task)});
  if (task > 0) response.jobs.clear();
  else response.jobs.front().tasks_per_process = tasks_per_process;
  return response;
}

/// Map 0 has succeeded in child 1, which asks for more.
tests::Peer& run_map_and_ask(SlotWorld& world, std::int32_t tasks_per_process) {
  world.answer(reusing_launch_of(0, tasks_per_process));
  world.answer();
  auto& child = world.connect(1);
  world.say(child, world.tracker, AttemptDone{1, SlotWorld::attempt(0), {}});
  world.connect(1);
  return child;
}

BOOST_AUTO_TEST_CASE(a_child_runs_as_many_attempts_of_its_job_as_the_job_says) {
  SlotWorld world;
  auto& child = run_map_and_ask(world, 2);
  BOOST_TEST(child.count<LeaveChild>() == 0);
  world.answer(reusing_launch_of(1, 2));
  BOOST_TEST(world.launcher.contexts.size() == 1U);
  BOOST_TEST((child.last<RunAttempt>().launch.attempt == SlotWorld::attempt(1)));
  world.say(child, world.tracker, AttemptDone{1, SlotWorld::attempt(1), {}});
  world.connect(1);
  BOOST_TEST(child.count<LeaveChild>() == 1);
}

BOOST_AUTO_TEST_CASE(a_launch_may_come_before_the_child_asks_again) {
  SlotWorld world;
  world.answer(reusing_launch_of(0, -1));
  world.answer();
  auto& child = world.connect(1);
  world.say(child, world.tracker, AttemptDone{1, SlotWorld::attempt(0), {}});
  world.answer(reusing_launch_of(1, -1));
  BOOST_TEST(child.count<RunAttempt>() == 1);
  world.connect(1);
  BOOST_TEST(child.count<RunAttempt>() == 2);
  BOOST_TEST(world.launcher.contexts.size() == 1U);
}

BOOST_AUTO_TEST_CASE(an_idle_child_leaves_when_its_job_has_ended) {
  SlotWorld world;
  auto& child = run_map_and_ask(world, -1);
  HeartbeatResponse ended;
  ended.ended_jobs = {JobId{1}};
  world.answer(ended);
  BOOST_TEST(child.count<LeaveChild>() == 1);
  BOOST_TEST(world.launcher.stopped.empty());
  world.advance(2s);  // it does not exit
  BOOST_TEST(world.launcher.stopped.size() == 1U);
}

BOOST_AUTO_TEST_CASE(an_idle_child_gives_its_place_to_another_job) {
  SlotWorld world;
  auto& child = run_map_and_ask(world, -1);
  auto other = SlotWorld::launch_of({SlotWorld::map_launch(0)});
  other.jobs.front().job = other.launches.front().attempt.job = JobId{2};
  world.answer(other);
  BOOST_TEST(child.count<LeaveChild>() == 1);
  BOOST_TEST(world.launcher.contexts.size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_child_whose_attempt_failed_is_not_used_again) {
  SlotWorld world;
  world.answer(reusing_launch_of(0, -1));
  world.answer();
  auto& child = world.connect(1);
  TaskOutcome failed;
  failed.state = TaskState::failed;
  world.say(child, world.tracker, AttemptFailed{1, SlotWorld::attempt(0), failed});
  world.connect(1);
  BOOST_TEST(child.count<LeaveChild>() == 1);
}

BOOST_AUTO_TEST_CASE(a_report_without_a_sign_of_life_does_not_put_off_the_time_out) {  // TA-1
  SlotWorld world;
  auto& child = world.run_map();
  world.advance(400s);
  world.say(child, world.tracker, AttemptProgress{1, SlotWorld::attempt(0), 0.5F, TaskPhase::map, true});
  world.advance(400s);
  world.say(child, world.tracker, AttemptProgress{1, SlotWorld::attempt(0), 0.5F, TaskPhase::map, false});
  BOOST_TEST(world.launcher.stopped.empty());
  world.advance(200s);
  BOOST_TEST(world.launcher.stopped.size() == 1U);
}

/// A reduce runs as child 1.
tests::Peer& run_reduce(SlotWorld& world) {
  auto launch = SlotWorld::map_launch(0);
  launch.attempt.is_reduce = launch.uses_reduce_slot = true;
  launch.type = AttemptType::reduce;
  world.answer(SlotWorld::launch_of({launch}));
  return world.connect(1);
}

HeartbeatResponse completions_from(std::int32_t from, std::int32_t count) {
  HeartbeatResponse response;
  response.completions = {{JobId{1}, from, {}}};
  for (std::int32_t map = from; map < from + count; ++map)
    response.completions.front().rows.push_back({map, 0, AttemptEnding::succeeded, {}});
  return response;
}

BOOST_AUTO_TEST_CASE(completion_events_are_asked_for_while_a_reduce_runs_and_passed_on) {
  SlotWorld world;
  auto& reduce = run_reduce(world);
  const TaskAttemptId attempt{JobId{1}, true, 0, 0};
  BOOST_TEST_REQUIRE(world.last_beat().completions.size() == 1U);  // at once: the reduce needs them
  BOOST_TEST(world.last_beat().completions.front().from == 0);
  world.say(reduce, world.tracker, GetMapCompletions{1, attempt, 0});
  BOOST_TEST(reduce.count<MapCompletions>() == 0);
  world.answer(completions_from(0, 2));
  BOOST_TEST(reduce.count<MapCompletions>() == 1);
  BOOST_TEST(reduce.last<MapCompletions>().rows.size() == 2U);
  world.say(reduce, world.tracker, GetMapCompletions{1, attempt, 1});
  BOOST_TEST(reduce.last<MapCompletions>().from == 1);
  BOOST_TEST(reduce.last<MapCompletions>().rows.size() == 1U);
  world.say(reduce, world.tracker, GetMapCompletions{1, attempt, 2});
  world.advance(300ms);
  BOOST_TEST(world.last_beat().completions.front().from == 2);
  world.answer(completions_from(0, 2));  // not what was asked for
  BOOST_TEST(reduce.count<MapCompletions>() == 2);
  world.say(reduce, world.tracker, AttemptDone{1, attempt, {}});
  BOOST_TEST(world.last_beat().completions.empty());
}

BOOST_AUTO_TEST_CASE(a_full_response_of_completion_events_is_followed_by_the_next_heartbeat_at_once) {
  SlotWorld world;
  run_reduce(world);
  const int beats = world.beats();
  world.answer(completions_from(0, static_cast<std::int32_t>(map_completions_max)));
  BOOST_TEST(world.beats() == beats + 1);
  BOOST_TEST(world.last_beat().completions.front().from == 500);
}

BOOST_AUTO_TEST_CASE(failed_fetches_are_told_once_with_the_next_heartbeat) {
  SlotWorld world;
  auto& reduce = run_reduce(world);
  world.answer();
  const TaskAttemptId map{JobId{1}, false, 3, 1};
  world.say(reduce, world.tracker, FetchFailed{1, {JobId{1}, true, 0, 0}, map});
  world.advance(300ms);
  BOOST_TEST_REQUIRE(world.last_beat().failed_fetches.size() == 1U);
  BOOST_TEST((world.last_beat().failed_fetches.front() == map));
  world.answer();
  world.advance(300ms);
  BOOST_TEST(world.last_beat().failed_fetches.empty());
}

BOOST_AUTO_TEST_CASE(a_task_cleanup_ends_as_its_attempt_ended) {
  for (const auto& [before, after] : {std::pair{TaskAttemptState::failed_unclean, TaskAttemptState::failed},
                                      std::pair{TaskAttemptState::killed_unclean, TaskAttemptState::killed}}) {
    SlotWorld world;
    auto launch = SlotWorld::map_launch(0);
    launch.type = AttemptType::task_cleanup;
    launch.state = before;
    world.answer(SlotWorld::launch_of({launch}));
    BOOST_TEST((world.last_beat().attempts.front().state == before));
    BOOST_TEST(world.last_beat().attempts.front().is_cleanup);
    world.answer();
    auto& child = world.connect(1);
    world.say(child, world.tracker, AttemptDone{1, SlotWorld::attempt(0), {}});
    BOOST_TEST((world.last_beat().attempts.front().state == after));
  }
}

BOOST_AUTO_TEST_CASE(strangers_and_late_children_are_told_to_exit) {
  SlotWorld world;
  world.run_map();
  auto& stranger = world.peer("stranger");
  world.say(stranger, world.tracker, GetTask{1, "wrong"});
  world.say(stranger, world.tracker, GetTask{9, "secret"});
  world.say(stranger, world.tracker, AttemptDone{1, SlotWorld::attempt(0), {}});
  BOOST_TEST(stranger.count<LeaveChild>() == 3);
  BOOST_TEST(world.events().count("foreign_child") == 3);
  BOOST_TEST(world.events().count("slot_attempt_ended") == 0);
  auto& child = world.peer("child 1");
  world.say(child, world.tracker, AttemptDone{1, SlotWorld::attempt(3), {}});
  BOOST_TEST(child.count<LeaveChild>() == 1);
  BOOST_TEST(world.events().count("stale_attempt") == 1);
  BOOST_TEST(stranger.count<RunAttempt>() == 0);
}

BOOST_AUTO_TEST_CASE(a_child_that_is_silent_or_does_not_connect_is_killed) {  // TA-1
  TaskTrackerSettings settings;
  settings.child_start_wait = 20s;
  settings.attempt_timeout = 1500ms;
  for (const bool connects : {false, true}) {
    SlotWorld world{settings};
    world.answer(SlotWorld::launch_of({SlotWorld::map_launch(0)}));
    world.answer();
    if (connects) world.connect(1);
    world.advance(connects ? 1500ms : 20s);
    BOOST_TEST(world.launcher.stopped.contains(1));
    world.answer();
    const auto text = world.last_beat().attempts.front().outcome->text;
    BOOST_TEST(text ==
               (connects ? "its child did not report progress for 1.5 s" : "its child did not connect for 20 s"));
  }
}

BOOST_AUTO_TEST_CASE(an_ended_job_leaves_no_child_and_no_files) {
  SlotWorld world;
  world.run_map();
  BOOST_TEST(world.files.admitted.size() == 1U);
  HeartbeatResponse response;
  response.ended_jobs = {JobId{1}};
  world.advance(300ms);
  world.answer(response);
  BOOST_TEST(world.launcher.stopped.contains(1));
  BOOST_TEST(world.files.admitted.size() == 1U);  // the child may still write there
  world.end(1, 143, 15);
  BOOST_TEST(world.files.admitted.empty());
  world.advance(300ms);
  BOOST_TEST(world.last_beat().attempts.empty());
}

BOOST_AUTO_TEST_CASE(a_tracker_that_reinitialises_ends_its_children_and_starts_anew) {
  SlotWorld world;
  world.run_map();
  world.advance(300ms);
  world.say(world.cluster, world.tracker, ReinitialiseTracker{5});
  BOOST_TEST(world.launcher.stopped.contains(1));
  BOOST_TEST(!world.last_beat().is_initial_contact);
  world.end(1, 143, 15);
  BOOST_TEST(world.last_beat().is_initial_contact);
  BOOST_TEST(world.last_beat().attempts.empty());
  world.say(world.cluster, world.tracker, ReinitialiseTracker{4});
  BOOST_TEST(world.events().count("stale_reinitialise_tracker") == 1);
}

BOOST_AUTO_TEST_CASE(a_refused_tracker_ends_its_children_and_itself) {
  SlotWorld world;
  world.run_map();
  world.say(world.cluster, world.tracker, TrackerRefused{5, "a later one has its name"});
  BOOST_TEST(world.launcher.stopped.contains(1));
  BOOST_TEST(!world.has_ended(world.tracker));
  world.end(1, 143, 15);
  BOOST_TEST(world.has_ended(world.tracker));
}

BOOST_AUTO_TEST_CASE(without_a_job_tracker_the_tracker_ends_and_its_children_too) {
  SlotWorld world;
  world.run_map();
  const auto job_tracker = world.cluster;
  world.forget_address("jt:1");
  world.kill(job_tracker);
  world.advance(2min);
  world.end(1, 143, 15);
  BOOST_TEST(world.has_ended(world.tracker));
}

BOOST_AUTO_TEST_CASE(a_stale_tick_sends_no_heartbeat) {
  SlotWorld world;
  world.answer();
  world.say(world.tracker, TaskTrackerTick{99});
  BOOST_TEST(world.beats() == 1);
}

BOOST_AUTO_TEST_CASE(a_heartbeat_is_sent_as_soon_as_the_job_tracker_asks) {
  SlotWorld world;
  world.answer();
  world.say(world.cluster, world.tracker, HeartbeatSoon{});
  BOOST_TEST(world.beats() == 2);
  world.say(world.cluster, world.tracker, HeartbeatSoon{});
  BOOST_TEST(world.beats() == 2);  // one at a time
  world.answer();
  BOOST_TEST(world.beats() == 3);
}

}  // namespace
}  // namespace task_tracker_test
}  // namespace heddle::actors
