// Goal: a job becomes launches, launches become results, and lost or late messages do no harm. Method:
// driver_world.hpp, which replays the log at the end of each test.
#include <boost/test/unit_test.hpp>

#include "actors/driver/driver_settings.hpp"
#include "tests/actors/driver/driver_world.hpp"

namespace heddle::actors {
namespace driver_test {
namespace {

using namespace std::chrono_literals;

BOOST_AUTO_TEST_CASE(sends_the_executor_target_to_an_allocator_that_registers) {
  DriverWorld world;
  world.start();
  world.say(world.allocator, world.driver, RegisterYarnAllocator{});
  BOOST_TEST(world.allocator.last<RequestExecutors>().target_total() == 2);
}

BOOST_AUTO_TEST_CASE(launches_one_task_per_slot_and_the_next_when_one_ends) {
  DriverWorld world;
  world.start();
  auto& executor = world.executor(1, 2);
  world.submit({own_tasks("s", 3)});
  BOOST_TEST(world.client.count<JobAccepted>() == 1);
  auto launched = DriverWorld::launched(executor);
  BOOST_REQUIRE(launched.size() == 1U);
  BOOST_TEST(launched[0].count == 2);
  BOOST_TEST(executor.count<LoadStage>() == 1);
  world.report(executor, 1, {launched[0].stage, 0, 1, 0, {}}, {});
  launched = DriverWorld::launched(executor);
  BOOST_REQUIRE(launched.size() == 2U);
  BOOST_TEST(launched[1].first_index == 2);
  BOOST_TEST(executor.count<LoadStage>() == 1);
  world.report(executor, 1, {launched[0].stage, 1, 2, 0, {}}, {});
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
  BOOST_TEST(world.client.last<JobFinished>().totals.tasks == 3);
  BOOST_TEST(executor.count<UnloadStage>() == 0);
  world.say(executor, world.driver, Heartbeat{ExecutorId{1}, executor.last<RegisteredExecutor>().epoch, {}});
  BOOST_TEST((executor.last<UnloadStage>().stages == std::vector<StageKey>{launched[0].stage}));
}

BOOST_AUTO_TEST_CASE(unloads_the_stage_of_a_cancelled_job_at_once) {
  DriverWorld world;
  world.start();
  auto& executor = world.executor(1, 1);
  world.submit({own_tasks("s", 3)});
  world.say(world.client, world.driver, CancelJob{world.client.last<JobAccepted>().job, "enough"});
  world.advance(std::chrono::seconds{4});
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::cancelled));
  BOOST_TEST(executor.count<UnloadStage>() == 1);
}

BOOST_AUTO_TEST_CASE(passes_clients_that_follow_its_jobs_on_to_the_reporter) {
  DriverWorld world;
  auto& reporter = world.peer("reporter");
  world.reporter = reporter.as<JobReporterActor>();
  world.start();
  world.say(world.client, world.driver, FollowJobs{});
  world.say(world.client, world.driver, StopFollowing{});
  world.say(world.driver, FollowJobs{});  // of nobody
  BOOST_TEST(reporter.count<FollowJobs>() == 1);
  BOOST_TEST(reporter.count<StopFollowing>() == 1);
  DriverWorld without;
  without.start();
  without.say(without.client, without.driver, FollowJobs{});
  BOOST_TEST(without.client.heard->empty());
}

BOOST_AUTO_TEST_CASE(refuses_an_executor_of_another_build_and_notifies_the_client_once_per_host) {
  DriverWorld world;
  world.start();
  world.submit({own_tasks("s", 1)});
  auto& executor = world.peer("stranger");
  for (const std::int64_t id : {9, 10})
    world.say(executor, world.driver, RegisterExecutor{ExecutorId{id}, 1, "h", {}, "other"});
  BOOST_TEST(executor.count<StopExecutor>() == 2);
  BOOST_TEST(executor.last<StopExecutor>().reason == "executor and driver are different builds");
  BOOST_TEST(executor.count<RegisteredExecutor>() == 0);
  BOOST_TEST(world.client.count<Notice>() == 1);
  BOOST_TEST(
      world.client.last<Notice>().text ==
      "an executor on h is refused: executor and driver are different builds; each node must run the build of the "
      "client");
}

BOOST_AUTO_TEST_CASE(notifies_the_client_of_waits_of_running_tasks_but_not_of_each) {
  DriverWorld world;
  world.start();
  auto& executor = world.executor(1, 2);
  world.submit({own_tasks("s", 2)});
  TaskOutcome waits;
  waits.state = TaskState::running;
  waits.text = "the NameNode of hdfs://n is in safe mode";
  auto range = DriverWorld::launched(executor).at(0);
  range.count = 1;
  for (; range.first_index < 2; ++range.first_index) world.report(executor, 1, range, waits);
  BOOST_TEST(world.client.count<Notice>() == 1);
  BOOST_TEST(world.client.last<Notice>().text == "executor 1 on h1: the NameNode of hdfs://n is in safe mode");
  for (range.first_index = 0; range.first_index < 2; ++range.first_index) world.report(executor, 1, range, {});
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
}

BOOST_AUTO_TEST_CASE(sends_map_outputs_before_the_first_reduce_task) {
  DriverWorld world;
  world.start();
  auto& executor = world.executor(1, 1);
  world.submit({own_tasks("map", 1), after("reduce", 0, 1)});
  const auto map = DriverWorld::launched(executor).at(0);
  BOOST_TEST(executor.count<MapOutputs>() == 0);
  world.report(executor, 1, map, {});
  BOOST_REQUIRE(executor.count<MapOutputs>() == 1);
  const auto outputs = executor.last<MapOutputs>();
  BOOST_TEST(outputs.place_of_map.at(0) == 0);
  BOOST_TEST(outputs.places.at(0).directory == "/h1");
  world.report(executor, 1, DriverWorld::launched(executor).at(1), {});
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
}

// C-TSF-27
BOOST_AUTO_TEST_CASE(a_changed_stage_description_affects_the_next_job_only) {
  DriverWorld world;
  world.start();
  auto& first = world.executor(1, 1);
  auto stage = own_tasks("s", 2);
  stage.bodies.emplace_back(CommandBody{{"true"}, {{"A", "1"}}, {"/files/a"}});
  world.submit({stage});
  BOOST_TEST(DriverWorld::launched(first).size() == 1U);
  auto& body = std::get<CommandBody>(stage.bodies.front());
  body.files.emplace_back("/files/b");
  body.environment.emplace_back("B", "2");
  world.submit({stage});
  const auto files_of_last = [](const tests::Peer& executor) {
    return std::get<CommandBody>(executor.last<LoadStage>().work.bodies.front()).files;
  };
  auto& second = world.executor(2, 1);  // gets the second task of the first job
  BOOST_TEST((second.last<LoadStage>().work.key.job == first.last<LoadStage>().work.key.job));
  BOOST_TEST((files_of_last(second) == std::vector<std::string>{"/files/a"}));
  BOOST_TEST(std::get<CommandBody>(second.last<LoadStage>().work.bodies.front()).environment.size() == 1U);
  world.report(first, 1, DriverWorld::launched(first).at(0), {});
  BOOST_TEST((files_of_last(first) == std::vector<std::string>{"/files/a", "/files/b"}));
  BOOST_TEST(std::get<CommandBody>(first.last<LoadStage>().work.bodies.front()).environment.size() == 2U);
}

BOOST_AUTO_TEST_CASE(runs_a_stage_once_for_readers_with_equal_shuffles) {
  DriverWorld world;
  world.start();
  auto& executor = world.executor(1, 4);
  auto third = after("third", 0, 1);
  third.parents = {1, 0};
  world.submit({own_tasks("map", 2), after("second", 0, 1), third, after("wider", 0, 2)});
  for (std::size_t done = 0; done < DriverWorld::launched(executor).size(); ++done)
    world.report(executor, 1, DriverWorld::launched(executor).at(done), {});
  std::map<std::string, std::pair<int, std::vector<std::int64_t>>>
      stages;  // by name: number of LoadStage messages, shuffles read by the last one
  for (const auto& message : *executor.heard) {
    if (!message.match_elements<LoadStage>()) continue;
    auto& [times, inputs] = stages[message.get_as<LoadStage>(0).work.name];
    ++times;
    inputs.clear();
    for (const auto& input : message.get_as<LoadStage>(0).work.shuffle_inputs) inputs.push_back(input.shuffle.value);
  }
  BOOST_TEST(stages.at("map").first == 2);  // once for the two readers with one partition, once for the reader with two
  BOOST_TEST((stages.at("second").second == std::vector<std::int64_t>{0}));
  BOOST_TEST((stages.at("third").second == std::vector<std::int64_t>{1, 0}));
  BOOST_TEST((stages.at("wider").second == std::vector<std::int64_t>{2}));
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
}

BOOST_AUTO_TEST_CASE(sends_only_the_moved_map_output_to_an_executor_that_has_the_table) {
  DriverWorld world;
  world.start();
  world.say(world.allocator, world.driver, RegisterYarnAllocator{});
  auto& first = world.executor(1, 1);
  world.submit({own_tasks("map", 2), after("reduce", 0, 1)});
  auto& second = world.executor(2, 1);
  const auto moving = DriverWorld::launched(second).at(0);
  world.report(second, 2, moving, {});
  world.report(first, 1, DriverWorld::launched(first).at(0), {});
  auto& reader = DriverWorld::launched(first).size() == 2 ? first : second;
  BOOST_TEST(reader.count<MapOutputs>() == 1);
  if (&reader == &second) world.report(second, 2, DriverWorld::launched(second).at(1), failure("elsewhere, please"));
  const auto reduce = DriverWorld::launched(first).at(1);
  world.say(world.allocator, world.driver,
            RemoveExecutor{ExecutorId{2}, {{LossKind::node_lost, false}, {0, "its node is gone"}}});
  world.say(world.allocator, world.driver, RemoveNode{NodeId{2}, "h2"});
  const auto lost = fetch_failure(2, moving.first_index);
  world.report(first, 1, reduce, lost);
  world.advance(1s);
  const auto again = DriverWorld::launched(first).at(2);
  BOOST_TEST(again.first_index == moving.first_index);
  world.report(first, 1, again, {});
  BOOST_TEST(first.count<MapOutputs>() == 1);
  const auto changed = first.last<MapOutputsChanged>();
  BOOST_TEST(changed.maps == std::vector<std::int32_t>{moving.first_index}, boost::test_tools::per_element());
  BOOST_TEST(changed.places.at(0).directory == "/h1");
  BOOST_TEST(changed.place_of_map == std::vector<std::int32_t>{0}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(recomputes_a_map_output_after_a_fetch_failure) {
  DriverWorld world;
  world.start();
  auto& executor = world.executor(1, 1);
  world.submit({own_tasks("map", 1), after("reduce", 0, 1)});
  world.report(executor, 1, DriverWorld::launched(executor).at(0), {});
  const auto lost = fetch_failure(1);
  world.report(executor, 1, DriverWorld::launched(executor).at(1), lost);
  world.advance(1s);
  const auto launched = DriverWorld::launched(executor);
  BOOST_REQUIRE(launched.size() == 3U);
  BOOST_TEST(launched[2].stage.stage.value == launched[0].stage.stage.value);
  BOOST_TEST(launched[2].stage.attempt == 1);
}

BOOST_AUTO_TEST_CASE(fails_a_job_with_the_last_error_of_its_task) {
  DriverWorld world;
  world.settings.task_scheduler.max_failures = 2;
  world.start();
  auto& executor = world.executor(1, 1);
  world.submit({own_tasks("s", 1)});
  world.report(executor, 1, DriverWorld::launched(executor).at(0), failure("exited with code 3"));
  BOOST_TEST(world.client.count<JobFinished>() == 0);
  world.report(executor, 1, DriverWorld::launched(executor).at(1), failure("exited with code 3"));
  const auto end = world.client.last<JobFinished>();
  BOOST_TEST((end.status == JobStatus::failed));
  BOOST_TEST(end.exit_code == 3);
  BOOST_TEST(end.text.find("exited with code 3") != std::string::npos);
  BOOST_TEST(end.totals.failed_attempts == 2);
}

BOOST_AUTO_TEST_CASE(runs_the_tasks_of_a_lost_executor_elsewhere) {
  DriverWorld world;
  world.start();
  auto& first = world.executor(1, 1);
  world.submit({own_tasks("s", 1)});
  BOOST_REQUIRE(DriverWorld::launched(first).size() == 1U);
  auto& second = world.executor(2, 1);
  world.say(world.allocator, world.driver, RemoveExecutor{ExecutorId{1}, {{LossKind::exited, true}, {137, "killed"}}});
  world.advance(10s);
  BOOST_REQUIRE(DriverWorld::launched(second).size() == 1U);
  BOOST_TEST(world.client.count<Notice>() == 1);
}

BOOST_AUTO_TEST_CASE(fails_a_job_with_the_exit_reason_of_the_executors_that_its_task_killed) {
  DriverWorld world;
  world.settings.task_scheduler.max_failures = 2;
  world.start();
  for (std::int64_t id = 1; id <= 2; ++id) {
    auto& executor = world.executor(id, 1);
    if (id == 1) world.submit({own_tasks("s", 1)});
    BOOST_REQUIRE(DriverWorld::launched(executor).size() == 1U);
    world.report(executor, id, DriverWorld::launched(executor).front(), running());
    world.say(world.allocator, world.driver,
              RemoveExecutor{ExecutorId{id}, {{LossKind::exited, true}, {139, "killed by signal 11"}}});
  }
  const auto end = world.client.last<JobFinished>();
  BOOST_TEST((end.status == JobStatus::failed));
  BOOST_TEST(end.text == "stage 's': task 0 failed 2 times; last on h2: its executor was lost: killed by signal 11");
  BOOST_TEST(end.totals.failed_attempts == 2);
}

BOOST_AUTO_TEST_CASE(waits_for_the_reason_of_a_broken_connection_and_then_assumes_a_lost_executor) {
  DriverWorld world;
  world.start();
  auto& first = world.executor(1, 1);
  auto& second = world.executor(2, 1);
  world.submit({own_tasks("s", 1)});
  auto& holder = DriverWorld::launched(first).empty() ? second : first;
  auto& other = &holder == &first ? second : first;
  world.kill(holder);
  world.advance(1s);
  BOOST_TEST(DriverWorld::launched(other).empty());
  world.advance(10s);
  BOOST_TEST(DriverWorld::launched(other).size() == 1U);
}

BOOST_AUTO_TEST_CASE(executors_remove_the_shuffles_of_ended_jobs_and_keep_those_of_others) {
  DriverWorld world;
  world.start();
  auto& executor = world.executor(1, 2);
  world.submit({own_tasks("s", 1), after("t", 0, 1)});  // shuffle 0; ends last
  world.submit({own_tasks("s", 1), after("t", 0, 1)});  // shuffle 1
  auto launched = DriverWorld::launched(executor);
  BOOST_TEST_REQUIRE(launched.size() == 2U);
  world.report(executor, 1, launched[1], {});
  launched = DriverWorld::launched(executor);
  BOOST_TEST_REQUIRE(launched.size() == 3U);
  BOOST_TEST(executor.count<RemoveShuffles>() == 0);
  world.report(executor, 1, launched[2], {});
  BOOST_TEST_REQUIRE(world.client.count<JobFinished>() == 1);
  BOOST_TEST_REQUIRE(executor.count<RemoveShuffles>() == 1);
  auto told = executor.last<RemoveShuffles>();
  BOOST_TEST((told.epoch == executor.last<RegisteredExecutor>().epoch));
  BOOST_TEST(told.before.value == 2);
  BOOST_TEST((told.except == std::vector{ShuffleId{0}}));
  auto& later = world.executor(2, 1);  // maybe the first executor on its node
  BOOST_TEST_REQUIRE(later.count<RemoveShuffles>() == 1);
  BOOST_TEST((later.last<RemoveShuffles>().except == std::vector{ShuffleId{0}}));
  world.submit({own_tasks("plain", 1)});
  BOOST_TEST(executor.count<RemoveShuffles>() == 1);
}

BOOST_AUTO_TEST_CASE(drops_a_status_of_another_epoch) {
  DriverWorld world;
  world.start();
  auto& executor = world.executor(1, 1);
  world.submit({own_tasks("s", 1)});
  const auto range = DriverWorld::launched(executor).at(0);
  world.say(executor, world.driver, StatusUpdate{ExecutorId{1}, Epoch{77}, {{range.stage, 0, 1, 0, {0}, {0}}}, {}});
  BOOST_TEST(world.client.count<JobFinished>() == 0);
  BOOST_TEST(world.events().count("stale_status_update") == 1);
}

BOOST_AUTO_TEST_CASE(commits_the_output_of_successful_attempts) {
  DriverWorld world;
  world.start();
  auto& executor = world.executor(1, 1);
  auto stage = own_tasks("s", 1);
  stage.output = TextOutput{"/out", {}, {}, {}, {}, {}, {}};
  world.submit({stage});
  world.report(executor, 1, DriverWorld::launched(executor).at(0), failure("first try"));
  const auto second = DriverWorld::launched(executor).at(1);
  world.report(executor, 1, second, {});
  BOOST_REQUIRE(world.commit.outputs.size() == 1U);
  BOOST_TEST(world.commit.outputs[0].task_attempts.at(0) == ports::task_attempt_name(second.stage, 0, 1));
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
}

BOOST_AUTO_TEST_CASE(a_commit_that_leaves_working_files_succeeds_with_a_notice) {
  DriverWorld world;
  world.commit.commits = ports::OutputCommitted{"working files stay"};
  world.start();
  auto& executor = world.executor(1, 1);
  auto stage = own_tasks("s", 1);
  stage.output = TextOutput{"/out", {}, {}, {}, {}, {}, {}};
  world.submit({stage});
  world.report(executor, 1, DriverWorld::launched(executor).at(0), {});
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
  BOOST_TEST(world.client.last<Notice>().text == "working files stay");
}

BOOST_AUTO_TEST_CASE(an_exception_while_outputs_are_prepared_committed_or_removed_fails_the_job_with_its_text) {
  for (const auto throws_in : {"prepare", "commit", "abort"}) {
    DriverWorld world;
    world.commit.throws_in = throws_in;
    world.start();
    auto& executor = world.executor(1, 1);
    auto stage = own_tasks("s", 1);
    stage.output = TextOutput{"/out", {}, {}, {}, {}, {}, {}};
    world.submit({stage});
    if (throws_in == std::string{"commit"}) world.report(executor, 1, DriverWorld::launched(executor).at(0), {});
    if (throws_in == std::string{"abort"}) {
      world.say(world.client, world.driver, CancelJob{JobId{0}, "enough"});
      TaskOutcome killed;
      killed.state = TaskState::killed;
      world.report(executor, 1, DriverWorld::launched(executor).at(0), killed);
    }
    const auto end = world.client.last<JobFinished>();
    BOOST_TEST((end.status != JobStatus::succeeded), throws_in);
    BOOST_TEST(end.text.find("work on the output failed: no memory") != std::string::npos,
               throws_in << ": " << end.text);
  }
}

BOOST_AUTO_TEST_CASE(a_client_learns_that_the_file_system_of_an_output_was_unreachable) {
  auto stage = own_tasks("s", 1);
  stage.output = TextOutput{"/out", {}, {}, {}, {}, {}, {}};
  DriverWorld setup;
  setup.commit.is_unreachable = true;
  setup.start();
  setup.submit({stage});
  BOOST_TEST((setup.client.last<JobFinished>().failure == FailureKind::unreachable));
  BOOST_TEST(setup.client.last<JobFinished>().text == "safe mode");

  DriverWorld world;
  world.commit.commits = Error{Errc::unreachable, "safe mode"};
  world.start();
  auto& executor = world.executor(1, 1);
  world.submit({stage});
  world.report(executor, 1, DriverWorld::launched(executor).at(0), {});
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::failed));
  BOOST_TEST((world.client.last<JobFinished>().failure == FailureKind::unreachable));
}

BOOST_AUTO_TEST_CASE(the_job_reports_an_output_that_cannot_be_removed) {
  DriverWorld world;
  world.commit.removes = Error{Errc::io, "cannot remove '/out'"};
  world.start();
  auto stage = own_tasks("s", 1);
  stage.output = TextOutput{"/out", {}, {}, {}, {}, {}, {}};
  world.submit({stage});
  world.say(world.client, world.driver, CancelJob{JobId{0}, "enough"});
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::cancelled));
  BOOST_TEST(world.client.last<JobFinished>().text.find("cannot remove '/out'") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(does_not_remove_an_output_that_it_did_not_create) {
  DriverWorld world;
  world.commit.refuses = true;
  world.start();
  auto stage = own_tasks("s", 1);
  stage.output = TextOutput{"/out", {}, {}, {}, {}, {}, {}};
  world.submit({stage});
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::failed));
  BOOST_TEST(world.client.last<JobFinished>().text == "/out exists");
  BOOST_TEST(world.commit.aborts == 0);
}

BOOST_AUTO_TEST_CASE(kills_running_tasks_when_a_job_is_cancelled) {
  DriverWorld world;
  world.start();
  auto& executor = world.executor(1, 1);
  world.submit({own_tasks("s", 5)});
  world.say(world.client, world.driver, CancelJob{world.client.last<JobAccepted>().job, "cancelled by the user"});
  BOOST_TEST(executor.count<KillTask>() == 1);
  BOOST_TEST(world.client.count<JobFinished>() == 0);
  TaskOutcome killed;
  killed.state = TaskState::killed;
  world.report(executor, 1, DriverWorld::launched(executor).at(0), killed);
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::cancelled));
  BOOST_TEST(DriverWorld::launched(executor).size() == 1U);
}

BOOST_AUTO_TEST_CASE(retracts_queued_tasks_that_an_idle_slot_can_run) {
  DriverWorld world;
  world.settings.queue_ahead = 10;
  world.start();
  auto& first = world.executor(1, 1);
  world.submit({own_tasks("s", 11)});
  BOOST_TEST(DriverWorld::tasks_on(first) == 11);
  world.executor(2, 1);
  world.advance(2s);
  BOOST_REQUIRE(first.count<RetractTasks>() >= 1);
  const auto epoch = first.last<RegisteredExecutor>().epoch;
  world.say(first, world.driver,
            TasksRetracted{ExecutorId{1}, epoch, {{DriverWorld::launched(first).at(0).stage, 9, 2, 0, {}}}});
  BOOST_TEST(!DriverWorld::launched(world.peer("executor-2")).empty());
}

}  // namespace
}  // namespace driver_test
}  // namespace heddle::actors
