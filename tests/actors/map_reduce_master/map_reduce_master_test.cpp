// Goal: a MapReduceMaster runs each map in a container of its own, commits the winners once, and ends the application
// with the job. Method: fake parties in virtual time.
#include "actors/map_reduce_master/master_start.hpp"
#include "tests/actors/map_reduce_master/master_world.hpp"

namespace heddle::actors {
namespace map_reduce_master_test {
namespace {

BOOST_AUTO_TEST_CASE(one_map_runs_in_its_container_and_its_output_is_committed) {
  MasterWorld world;
  world.begin(1);
  BOOST_TEST(world.client.last<JobAccepted>().request == 7);
  BOOST_TEST(world.commit.calls == std::vector<std::string>{"set_up /out"});
  world.give({11});
  BOOST_TEST_REQUIRE(world.node.count<StartContainer>() == 1);
  const auto start = world.node.last<StartContainer>();
  BOOST_TEST(start.token == "secret");
  BOOST_TEST((std::get<TaskChildLaunch>(start.launch.role) == TaskChildLaunch{"master:1", 11, "owner"}));
  const auto& child = world.run(11);
  BOOST_TEST_REQUIRE(child.count<RunAttempt>() == 1);
  BOOST_TEST((child.last<RunAttempt>().launch.attempt == MasterWorld::attempt(0)));
  world.done(11, MasterWorld::attempt(0));
  BOOST_TEST((child.last<CommitAttempt>().attempt == MasterWorld::attempt(0)));
  BOOST_TEST_REQUIRE(world.client.count<JobFinished>() == 1);
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
  BOOST_TEST(world.client.last<JobFinished>().totals.records_read == 3);
  BOOST_TEST((world.commit.calls == std::vector<std::string>{"set_up /out", "commit"}));
  BOOST_TEST((world.commit.committed.front().task_attempts == std::vector<std::string>{"attempt-0.0-0-0"}));
  BOOST_TEST(world.application.last<EndApplication>().succeeded);
  BOOST_TEST(world.has_ended(world.master));
  BOOST_TEST(world.events().count("map_reduce_state") > 0);
}

BOOST_AUTO_TEST_CASE(a_child_that_asks_before_its_start_is_reported_gets_its_task) {
  MasterWorld world;
  world.begin(1);
  world.give({11});
  world.say(world.child(11), world.master, GetTask{11, "secret"});
  BOOST_TEST(world.child(11).count<RunAttempt>() == 1);
  world.say(world.node, world.master, ContainerStarted{ContainerId{11}});
  world.done(11, MasterWorld::attempt(0));
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
}

BOOST_AUTO_TEST_CASE(a_slow_map_gets_a_second_attempt_and_the_first_one_that_ends_wins) {
  MasterWorld world;
  world.begin(3);
  world.give({11, 12, 13});
  for (const std::int64_t container : {11, 12, 13}) world.run(container);
  world.pass_seconds(10);
  for (const std::int32_t map : {0, 1}) {
    world.done(11 + map, MasterWorld::attempt(map));
    world.end_container(11 + map);
  }
  world.pass_seconds(60, 13, MasterWorld::attempt(2));
  BOOST_TEST_REQUIRE(world.events().count("map_reduce_speculated") == 1U);
  const auto notice = world.client.last<Notice>().text;
  BOOST_TEST(notice.find("map 2 is slow: a second attempt starts, because it needs about ") == 0U, notice);
  BOOST_TEST(notice.find("and the first one, at 1 %, ") != std::string::npos, notice);
  BOOST_TEST(notice.find(" s more (rule DS-3)") != std::string::npos, notice);
  if (world.asked() == 0) world.respond({});  // an AllocateRequest was under way
  BOOST_TEST(world.asked() == 1);
  world.respond({MasterWorld::grant(14)});
  const auto copy = MasterWorld::attempt(2, 1);
  BOOST_TEST((world.run(14).last<RunAttempt>().launch.attempt == copy));
  world.done(14, copy);
  BOOST_TEST((world.node.last<StopContainer>().container == ContainerId{13}));
  world.end_container(13, 143);
  const auto end = world.client.last<JobFinished>();
  BOOST_TEST((end.status == JobStatus::succeeded), end.text);
  BOOST_TEST(end.totals.records_read == 9);  // of one attempt of each map
  BOOST_TEST(world.commit.committed.front().task_attempts.back() == "attempt-0.0-2-1");
}

BOOST_AUTO_TEST_CASE(without_speculation_a_slow_map_has_one_attempt) {
  MapReduceMasterStart start;
  start.machines.map_task.is_speculative = start.machines.reduce_task.is_speculative = false;
  MasterWorld world{start};
  world.begin(2);
  world.give({11, 12});
  world.run(11);
  world.run(12);
  world.pass_seconds(10);
  world.done(11, MasterWorld::attempt(0));
  world.pass_seconds(60, 12, MasterWorld::attempt(1));
  BOOST_TEST(world.events().count("map_reduce_speculated") == 0U);
  BOOST_TEST(!world.has_ended(world.master));
}

constexpr std::int32_t reduce_priority = 10;

/// Two maps: one has ended, the other runs in container 12; the reduce runs in container 21.
tests::Peer& run_reduce(MasterWorld& world) {
  world.begin_with_reduces(2, 1);
  world.give({11, 12});
  world.run(11);
  world.run(12);
  world.finish_map(11, MasterWorld::attempt(0));
  world.say(world.cluster, world.master, AllocationAvailable{});
  world.respond({MasterWorld::grant(21, reduce_priority)});
  return world.run(21);
}

BOOST_AUTO_TEST_CASE(a_reduce_gets_the_locations_of_map_outputs_while_maps_run) {
  MasterWorld world;
  auto& reduce = run_reduce(world);
  const auto id = MasterWorld::reduce(0);
  BOOST_TEST_REQUIRE(reduce.count<RunAttempt>() == 1);
  BOOST_TEST((reduce.last<RunAttempt>().launch.type == AttemptType::reduce));
  BOOST_TEST(reduce.last<RunAttempt>().program.shuffle_inputs.front().maps == 2);
  world.say(reduce, world.master, GetMapCompletions{21, id, 0});
  BOOST_TEST_REQUIRE(reduce.count<MapCompletions>() == 1);
  BOOST_TEST((reduce.last<MapCompletions>().rows.front().place == MasterWorld::map_output(0)));
  world.say(reduce, world.master, GetMapCompletions{21, id, 1});
  BOOST_TEST(reduce.count<MapCompletions>() == 1);  // until there is another
  world.finish_map(12, MasterWorld::attempt(1));
  BOOST_TEST_REQUIRE(reduce.count<MapCompletions>() == 2);
  BOOST_TEST(reduce.last<MapCompletions>().from == 1);
  BOOST_TEST((reduce.last<MapCompletions>().rows.front().place == MasterWorld::map_output(1)));
  world.done(21, id);
  const auto end = world.client.last<JobFinished>();
  BOOST_TEST((end.status == JobStatus::succeeded), end.text);
  BOOST_TEST(end.totals.tasks == 3);
  BOOST_TEST((world.commit.committed.front().task_attempts == std::vector<std::string>{"attempt-1.0-0-0"}));
  BOOST_TEST(world.client.last<JobProgress>().stages.size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_map_whose_output_cannot_be_copied_runs_again_after_three_notices) {  // JB-5, C-E3-01
  MasterWorld world;
  auto& reduce = run_reduce(world);
  const auto id = MasterWorld::reduce(0);
  world.say(reduce, world.master, GetMapCompletions{21, id, 0});
  world.say(reduce, world.master, GetMapCompletions{21, id, 1});
  world.say(reduce, world.master, FetchFailed{21, id, MasterWorld::attempt(7)});  // no map of the job
  for (int notice = 1; notice <= 3; ++notice) {
    BOOST_TEST(reduce.count<MapCompletions>() == 1);
    world.say(reduce, world.master, FetchFailed{21, id, MasterWorld::attempt(0)});
  }
  BOOST_TEST_REQUIRE(reduce.count<MapCompletions>() == 2);
  BOOST_TEST(world.client.last<Notice>().text == "map 0 runs again: its output was lost");
  const auto lost = reduce.last<MapCompletions>().rows.front();
  BOOST_TEST(lost.map == 0);
  BOOST_TEST((lost.ending == AttemptEnding::failed));
  world.say(world.cluster, world.master, AllocationAvailable{});
  world.respond({MasterWorld::grant(13, 5)});
  BOOST_TEST((world.run(13).last<RunAttempt>().launch.attempt == MasterWorld::attempt(0, 1)));
}

BOOST_AUTO_TEST_CASE(the_client_hears_once_of_an_attempt_that_is_killed_with_its_node) {  // C-E2-15
  MasterWorld world;
  run_reduce(world);
  BOOST_TEST(world.events().count("map_reduce_reduces_scheduled") == 1U);
  for (int repeat = 0; repeat < 2; ++repeat) {
    world.say(world.cluster, world.master, AllocationAvailable{});
    AllocateResponse response;
    response.response_id = ++world.last_response;
    response.updated_nodes = {{NodeId{5}, "a", NodeCondition::lost}};
    world.say(world.cluster, world.master, response);
  }
  std::vector<std::string> texts;
  for (const auto& notice : world.client.all<Notice>()) texts.push_back(notice.text);
  const std::string unusable = ": attempt killed because its node is unusable (rule CA-14)";
  const std::vector<std::string> expected{
      "map 1 attempt 0" + unusable, "reduce 0 attempt 0" + unusable,
      "node a is lost: 2 running attempts there are killed (rule CA-14), and 1 finished map runs again, because 1 of 1 "
      "reduce has not ended (rule JB-7)",
      "map 0 runs again: its output was lost"};
  BOOST_TEST(texts == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_unknown_child_or_a_wrong_secret_is_told_to_leave) {
  MasterWorld world;
  world.begin(1);
  world.give({11});
  world.say(world.child(12), world.master, GetTask{12, "secret"});
  world.say(world.child(11), world.master, GetTask{11, "guess"});
  BOOST_TEST(world.child(12).count<LeaveChild>() == 1);
  BOOST_TEST(world.child(11).count<LeaveChild>() == 1);
  BOOST_TEST(world.child(11).count<RunAttempt>() == 0);
}

BOOST_AUTO_TEST_CASE(the_reason_of_a_wait_names_the_rule_and_its_numbers) {
  MasterWorld world;
  world.begin(3);
  world.respond({});
  world.advance(1s);
  BOOST_TEST(world.client.last<JobProgress>().waiting ==
             "waits for a container: 3 of 512 MiB and 1 core are requested (rule CA-4)");
}

// TA-2.
BOOST_AUTO_TEST_CASE(a_child_with_another_attempt_is_told_to_leave_at_its_next_report) {
  MasterWorld world;
  world.begin(2);
  world.give({11, 12});
  world.run(11);
  world.say(world.child(11), world.master, AttemptProgress{11, MasterWorld::attempt(0)});
  BOOST_TEST(world.child(11).count<LeaveChild>() == 0);
  world.say(world.child(11), world.master, AttemptProgress{11, MasterWorld::attempt(1)});
  BOOST_TEST(world.child(11).count<LeaveChild>() == 1);
  world.say(world.child(13), world.master, AttemptDone{13, MasterWorld::attempt(0), {}});
  BOOST_TEST(world.child(13).count<LeaveChild>() == 1);
  BOOST_TEST(world.events().count("stale_task_child_report") == 2);
  BOOST_TEST(world.client.count<JobFinished>() == 0);
}

BOOST_AUTO_TEST_CASE(a_child_gets_one_attempt_and_then_leaves) {
  MasterWorld world;
  world.begin(2);
  BOOST_TEST(world.commit.calls.size() == 1U);
  world.give({11, 12});
  world.run(11);
  world.done(11, MasterWorld::attempt(0));
  world.say(world.child(11), world.master, GetTask{11, "secret"});
  BOOST_TEST(world.child(11).count<LeaveChild>() == 1);
  BOOST_TEST(world.child(11).count<RunAttempt>() == 1);
  BOOST_TEST(world.client.count<JobFinished>() == 0);
  world.end_container(11);
  world.run(12);
  world.done(12, MasterWorld::attempt(1));
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
}

BOOST_AUTO_TEST_CASE(the_fourth_failure_of_a_task_fails_the_job) {
  MasterWorld world;
  world.begin(1);
  for (std::int32_t number = 0; number < 4; ++number) {
    BOOST_TEST(world.client.count<JobFinished>() == 0);
    const std::int64_t container = 11 + number;
    if (number == 0) world.give({container});
    else world.respond({MasterWorld::grant(container)});
    if (number > 0) world.node.clear();
    world.run(container);
    world.fail(container, MasterWorld::attempt(0, number), "exit code 3");
    world.end_container(container);
    world.advance(1s);
  }
  BOOST_TEST_REQUIRE(world.client.count<JobFinished>() == 1);
  const auto end = world.client.last<JobFinished>();
  BOOST_TEST((end.status == JobStatus::failed));
  BOOST_TEST(end.text == "stage 'map': task 0 failed 4 times; last on a: exit code 3");
  BOOST_TEST(end.exit_code == 3);
  BOOST_TEST(world.commit.calls.back() == "abort");
  BOOST_TEST(!world.application.last<EndApplication>().succeeded);
}

BOOST_AUTO_TEST_CASE(a_lost_container_costs_one_attempt) {
  MasterWorld world;
  world.begin(1);
  world.give({11});
  world.run(11);
  world.end_container(11, 137);
  BOOST_TEST(world.asked() == 1);
  world.respond({MasterWorld::grant(12)});
  world.run(12);
  BOOST_TEST((world.child(12).last<RunAttempt>().launch.attempt == MasterWorld::attempt(0, 1)));
  world.done(12, MasterWorld::attempt(0, 1));
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
  BOOST_TEST(world.client.last<JobFinished>().totals.failed_attempts == 1);
}

BOOST_AUTO_TEST_CASE(a_container_that_is_not_started_costs_one_attempt) {
  MasterWorld world;
  world.begin(1);
  world.give({11});
  world.say(world.node, world.master, ContainerNotStarted{ContainerId{11}, "no memory"});
  world.respond({});  // to the release of the container
  BOOST_TEST(world.asked() == 1);
}

BOOST_AUTO_TEST_CASE(an_attempt_without_a_sign_of_life_is_stopped) {
  MapReduceMasterStart start;
  start.task_timeout = 10s;
  MasterWorld world{start};
  world.begin(1);
  world.give({11});
  world.run(11);
  world.say(world.child(11), world.master, AttemptProgress{11, MasterWorld::attempt(0), 0.5F});
  for (int second = 0; second < 11; ++second) {
    world.advance(1s);
    world.respond({});
  }
  BOOST_TEST((world.node.last<StopContainer>().container == ContainerId{11}));
  world.end_container(11, container_exit_status::killed_by_application_master);
  BOOST_TEST(world.commit.calls.back() == "abort attempt-0.0-0-0");
}

BOOST_AUTO_TEST_CASE(an_attempt_that_never_reports_is_stopped_even_without_a_task_time_out) {  // TA-1
  MapReduceMasterStart start;
  start.task_timeout = 24h;
  start.stuck_timeout = 10s;
  MasterWorld world{start};
  world.begin(2);
  world.give({11, 12});
  for (const std::int32_t map : {0, 1}) world.run(11 + map);
  AttemptProgress report{12, MasterWorld::attempt(1)};
  report.is_alive = false;
  world.say(world.child(12), world.master, report);
  world.pass_seconds(9);
  BOOST_TEST(world.node.count<StopContainer>() == 0);
  world.pass_seconds(30);
  BOOST_TEST_REQUIRE(world.node.count<StopContainer>() == 1);
  BOOST_TEST((world.node.last<StopContainer>().container == ContainerId{11}));
}

BOOST_AUTO_TEST_CASE(a_cancelled_job_stops_its_containers_and_removes_its_output) {
  MasterWorld world;
  world.begin(2);
  world.give({11, 12});
  world.run(11);
  world.say(world.client, world.master, CancelJob{JobId{1}, "cancelled by the user"});
  BOOST_TEST(world.node.count<StopContainer>() == 2);
  BOOST_TEST(world.client.count<JobFinished>() == 0);
  world.end_container(11, container_exit_status::killed_by_application_master);
  world.end_container(12, container_exit_status::killed_by_application_master);
  BOOST_TEST_REQUIRE(world.client.count<JobFinished>() == 1);
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::cancelled));
  BOOST_TEST(world.commit.calls.back() == "abort");
  BOOST_TEST(world.has_ended(world.master));
}

BOOST_AUTO_TEST_CASE(an_output_that_exists_is_refused_and_not_removed) {
  MasterWorld world;
  world.commit.failure = "/out exists";
  world.begin(1);
  BOOST_TEST(world.client.last<JobFinished>().text == "/out exists");
  BOOST_TEST((world.commit.calls == std::vector<std::string>{"set_up /out"}));
}

// TK-3, C-E2-27: what waits goes on with the next answer.
BOOST_AUTO_TEST_CASE(nothing_is_committed_while_the_resource_manager_is_silent) {
  MapReduceMasterStart start;
  start.unanswered_max = 1000;
  MasterWorld world{start};
  world.begin(1);
  world.give({11});
  const auto& child = world.run(11);
  const auto id = MasterWorld::attempt(0);
  world.advance(12s);
  world.say(world.child(11), world.master, CommitPending{11, id});
  BOOST_TEST(child.count<CommitAttempt>() == 0);
  world.respond({});  // to a request of 11 s ago
  BOOST_TEST(child.count<CommitAttempt>() == 0);
  world.advance(1s);
  world.respond({});
  BOOST_TEST_REQUIRE(child.count<CommitAttempt>() == 1);
  world.advance(12s);
  world.say(world.child(11), world.master, AttemptDone{11, id, TaskOutcome{}});
  BOOST_TEST((world.commit.calls == std::vector<std::string>{"set_up /out"}));
  world.respond({});
  world.advance(1s);
  world.respond({});
  BOOST_TEST((world.commit.calls == std::vector<std::string>{"set_up /out", "commit"}));
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
}

BOOST_AUTO_TEST_CASE(a_failed_commit_fails_the_job) {
  MasterWorld world;
  world.begin(1);
  world.give({11});
  world.run(11);
  world.commit.failure = "the disk is full";
  world.done(11, MasterWorld::attempt(0));
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::failed));
  BOOST_TEST(world.client.last<JobFinished>().text == "the disk is full");
  BOOST_TEST((world.client.last<JobFinished>().failure == FailureKind::output));
}

BOOST_AUTO_TEST_CASE(a_client_learns_that_the_file_system_of_the_output_was_unreachable) {
  MasterWorld setup;
  setup.commit.failure = "safe mode";
  setup.commit.code = Errc::unreachable;
  setup.begin(1);
  BOOST_TEST((setup.client.last<JobFinished>().failure == FailureKind::unreachable));
  MasterWorld world;
  world.begin(1);
  world.give({11});
  world.run(11);
  world.commit.failure = "safe mode";
  world.commit.code = Errc::unreachable;
  world.done(11, MasterWorld::attempt(0));
  BOOST_TEST((world.client.last<JobFinished>().failure == FailureKind::unreachable));
}

BOOST_AUTO_TEST_CASE(a_package_that_cannot_be_read_ends_the_application_once_it_is_registered) {
  MasterWorld world;
  SubmitJob message;
  message.package_file = "/gone";
  world.say(world.client, world.master, message);
  BOOST_TEST(world.client.last<JobFinished>().text == "'/gone' does not exist");
  BOOST_TEST(world.application.count<EndApplication>() == 0);
  world.register_application();
  BOOST_TEST(!world.application.last<EndApplication>().succeeded);
}

BOOST_AUTO_TEST_CASE(a_graph_beyond_map_and_reduce_is_refused_with_the_form_that_works) {
  MasterWorld world;
  world.register_application();
  SubmitJob message;
  message.package = tests::map_reduce_package({{"a"}}, 1);
  auto& stages = message.package.graph.stages;
  auto again = stages.back();
  stages.back().output.reset();
  again.name = "again";
  again.parents = {1};
  stages.push_back(again);
  message.package.splits.push_back({});
  world.say(world.client, world.master, message);
  const auto end = world.client.last<JobFinished>();
  BOOST_TEST((end.status == JobStatus::failed));
  BOOST_TEST(end.text.find("--framework driver") != std::string::npos, end.text);
  BOOST_TEST(world.commit.calls.empty());
  BOOST_TEST(!world.application.last<EndApplication>().succeeded);
}

BOOST_AUTO_TEST_CASE(a_second_job_is_refused) {
  MasterWorld world;
  world.begin(1);
  world.submit(1);
  BOOST_TEST(world.client.last<JobFinished>().text == "a MapReduceMaster runs one job; submit another application");
}

BOOST_AUTO_TEST_CASE(a_commit_that_an_earlier_master_decided_ends_the_job) {
  MasterWorld world;
  world.commit.was_committed = true;
  world.register_application();
  world.submit(1, 1);
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
  BOOST_TEST((world.commit.calls == std::vector<std::string>{"recover"}));
}

BOOST_AUTO_TEST_CASE(a_commit_that_an_earlier_master_decided_is_not_cancelled) {
  MasterWorld world;
  world.commit.was_committed = true;
  world.submit(1, 1);
  world.say(world.client, world.master, CancelJob{JobId{1}, "enough"});
  world.register_application();
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
  BOOST_TEST((world.commit.calls == std::vector<std::string>{"recover"}));
}

BOOST_AUTO_TEST_CASE(results_of_work_that_nobody_waits_for_are_ignored) {
  MasterWorld world;
  world.register_application();
  world.say(world.master, PackageRead{JobId{1}, {}, {}});
  world.say(world.master, OutputPrepared{JobId{1}, OutputFound::ready, {}});
  world.say(world.master, JobCommitted{JobId{1}, FailureKind::none, {}});
  world.say(world.master, AttemptOutputRemoved{MasterWorld::attempt(0), {}});
  world.say(world.master, MapReduceMasterTick{99});
  BOOST_TEST(world.events().count("stale_package_read") == 1);
  BOOST_TEST(world.events().count("stale_output_prepared") == 1);
  BOOST_TEST(world.events().count("stale_job_committed") == 1);
}

BOOST_AUTO_TEST_CASE(a_master_that_is_not_registered_registers_and_requests_everything_again) {  // C-E2-23
  MasterWorld world;
  world.begin(2);
  world.give({11});
  world.run(11);
  AllocateResponse lost;
  lost.registration = AttemptRegistration::not_registered;
  world.advance(1s);
  world.say(world.cluster, world.master, lost);
  BOOST_TEST(world.application.count<RegistrationLost>() == 1);
  BOOST_TEST(world.application.count<EndApplication>() == 0);
  const auto requests = world.cluster.count<AllocateRequest>();
  world.advance(5s);
  BOOST_TEST(world.cluster.count<AllocateRequest>() == requests);  // not before it is registered
  world.register_application();
  BOOST_TEST_REQUIRE(world.cluster.count<AllocateRequest>() == requests + 1);
  BOOST_TEST(world.cluster.last<AllocateRequest>().response_id == 0);
  BOOST_TEST(world.asked() == 1);
  world.register_application();
  BOOST_TEST(world.events().count("stale_start_allocating") == 1);
  world.last_response = 0;
  world.respond({MasterWorld::grant(12)});
  world.run(12);
  for (const std::int32_t map : {0, 1}) world.done(11 + map, MasterWorld::attempt(map));
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
}

BOOST_AUTO_TEST_CASE(a_container_that_was_stopped_is_released_again_after_the_registration_is_lost) {
  MasterWorld world;
  world.begin(2);
  world.give({11, 12});
  world.run(11);
  world.say(world.client, world.master, CancelJob{JobId{1}, "enough"});
  world.advance(1s);
  AllocateResponse lost;
  lost.registration = AttemptRegistration::not_registered;
  world.say(world.cluster, world.master, lost);
  world.register_application();
  const auto released = world.cluster.last<AllocateRequest>().release;
  BOOST_TEST((std::find(released.begin(), released.end(), ContainerId{11}) != released.end()));
}

}  // namespace
}  // namespace map_reduce_master_test
}  // namespace heddle::actors
