// Goal: late, repeated and unrequested messages change nothing, and all peers learn the end of the application. Method:
// driver_world.hpp; messages of unknown jobs and stale timers.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <limits>

#include "tests/actors/driver/driver_world.hpp"

namespace heddle::actors {
namespace driver_late_messages_test {

using namespace std::chrono_literals;

BOOST_AUTO_TEST_CASE(late_answers_of_background_work_are_dropped) {
  DriverWorld world;
  world.start();
  world.say(world.driver, OutputPrepared{JobId{7}, OutputFound::ready, {}});
  world.say(world.driver, JobCommitted{JobId{7}, FailureKind::none, {}});
  world.submit({own_tasks("s", 1)});
  world.say(world.driver, JobCommitted{world.client.last<JobAccepted>().job, FailureKind::none, {}});
  BOOST_TEST(world.client.count<JobFinished>() == 0);
}

BOOST_AUTO_TEST_CASE(a_job_without_outputs_ends_before_the_next_message_and_without_a_round) {
  DriverWorld world;
  world.start();
  auto& executor = world.executor(1, 1);
  world.submit({own_tasks("s", 1)});
  const auto range = DriverWorld::launched(executor).at(0);
  const auto rounds = world.events().count("task_scheduler_offers");
  const StatusUpdate update{
      ExecutorId{1}, executor.last<RegisteredExecutor>().epoch, {{range.stage, 0, 1, 0, {1}, {1}}}, {}};
  caf::anon_send(world.driver, update);
  world.say(world.driver, StopDriver{true, "done"});
  const auto& names = world.events().names;
  const auto at = [&names](const char* name) { return std::find(names.begin(), names.end(), name) - names.begin(); };
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
  BOOST_TEST(at("job_finished") < at("driver_stopping"));
  BOOST_TEST(world.events().count("task_scheduler_offers") == rounds);
}

BOOST_AUTO_TEST_CASE(slots_that_were_freed_without_a_job_are_used_by_the_next_one) {
  DriverWorld world;
  world.start();
  auto& executor = world.executor(1, 1);
  for (std::size_t job = 0; job < 3; ++job) {
    world.submit({own_tasks("s", 1)});
    BOOST_TEST_REQUIRE(DriverWorld::launched(executor).size() == job + 1);
    world.report(executor, 1, DriverWorld::launched(executor).back(), TaskOutcome{});
  }
  BOOST_TEST(world.client.count<JobFinished>() == 3);
}

// A status comes from another process: a range that no executor sends ends no task, and costs no loop over its length.
BOOST_AUTO_TEST_CASE(a_finished_range_with_impossible_numbers_is_ignored) {
  DriverWorld world;
  world.start();
  auto& executor = world.executor(1, 2);
  world.submit({own_tasks("s", 2)});
  const auto stage = DriverWorld::launched(executor).at(0).stage;
  const auto epoch = executor.last<RegisteredExecutor>().epoch;
  constexpr auto largest = std::numeric_limits<std::int32_t>::max();
  std::vector<FinishedRange> wrong{{stage, 0, 2, 0, {0}, {0, 0}},    {stage, 0, 2, 0, {0, 0}, {}},
                                   {stage, largest, 1, 0, {0}, {0}}, {stage, -1, 1, 0, {0}, {0}},
                                   {stage, 0, largest, 0, {}, {}},   {stage, 0, -1, 0, {}, {}}};
  for (const auto& range : wrong) world.say(executor, world.driver, StatusUpdate{ExecutorId{1}, epoch, {range}, {}});
  world.say(executor, world.driver, TasksRetracted{ExecutorId{1}, epoch, {{stage, 0, largest, 0, {}, {}}}});
  BOOST_TEST(world.client.count<JobFinished>() == 0);
  world.say(executor, world.driver, StatusUpdate{ExecutorId{1}, epoch, {{stage, 0, 2, 0, {0, 0}, {0, 0}}}, {}});
  BOOST_TEST(world.client.count<JobFinished>() == 1);
}

BOOST_AUTO_TEST_CASE(an_unrequested_round_and_a_stale_tick_launch_nothing) {
  DriverWorld world;
  world.start();
  auto& executor = world.executor(1, 1);
  world.submit({own_tasks("s", 3)});
  world.say(world.driver, ReviveOffers{});
  world.say(world.driver, DriverTick{9999});
  BOOST_TEST(DriverWorld::launched(executor).size() == 1U);
}

BOOST_AUTO_TEST_CASE(heartbeats_keep_an_executor_that_sends_no_status) {
  DriverWorld world;
  world.start();
  auto& live = world.executor(1, 1);
  world.executor(2, 1);
  for (int i = 0; i < 30; ++i) {
    world.advance(5s);
    world.say(live, world.driver, Heartbeat{ExecutorId{1}, live.last<RegisteredExecutor>().epoch, {}});
  }
  world.submit({own_tasks("s", 2)});
  BOOST_TEST(!DriverWorld::launched(live).empty());
  BOOST_TEST(DriverWorld::launched(world.peer("executor-2")).empty());
}

BOOST_AUTO_TEST_CASE(the_client_gets_progress_while_a_job_runs) {
  DriverWorld world;
  world.start();
  world.submit({own_tasks("s", 3)});
  world.advance(1s);
  BOOST_TEST(world.client.last<JobProgress>().executors_wanted == 2);
  BOOST_TEST(!world.client.last<JobProgress>().waiting.empty());
}

BOOST_AUTO_TEST_CASE(progress_is_sent_soon_after_a_change_and_once_per_second_without_one) {
  DriverWorld world;
  world.start();
  world.submit({own_tasks("s", 3)});
  world.advance(2s);
  const int before = world.client.count<JobProgress>();
  world.advance(10s);
  BOOST_TEST(world.client.count<JobProgress>() == before + 10);
  world.advance(1ms);
  world.client.clear();
  world.executor(1, 1);
  world.advance(200ms);
  BOOST_TEST(world.client.count<JobProgress>() == 1);
  BOOST_TEST(world.client.last<JobProgress>().executors == 1);
}

BOOST_AUTO_TEST_CASE(executors_and_their_source_are_stopped_at_the_end_of_the_application) {
  DriverWorld world;
  world.start();
  auto& executor = world.executor(1, 1);
  world.say(world.allocator, world.driver, RegisterYarnAllocator{});
  world.say(world.driver, StopDriver{true, "done"});
  BOOST_TEST(executor.count<StopExecutor>() == 1);
  BOOST_TEST(world.allocator.last<StopAllocator>().text == "done");
  auto& late = world.executor(2, 1);
  BOOST_TEST(late.count<StopExecutor>() == 1);
}

namespace {

TaskOutcome killed() {
  TaskOutcome outcome;
  outcome.state = TaskState::killed;
  return outcome;
}

StageDescription writes_to(const std::string& path) {
  auto stage = own_tasks(path, 1);
  stage.output = TextOutput{};
  stage.output->path = path;
  return stage;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_task_attempt_that_outlives_its_cancelled_job_releases_its_slot_when_it_ends) {
  DriverWorld world;
  world.start();
  auto& executor = world.executor(1, 1);
  world.submit({own_tasks("stubborn", 1)});
  world.say(world.driver, CancelJob{world.client.last<JobAccepted>().job, "enough"});
  world.advance(4s);
  BOOST_TEST(world.client.count<JobFinished>() == 1);
  world.submit({own_tasks("next", 1)});
  BOOST_TEST(DriverWorld::launched(executor).size() == 1U);
  world.report(executor, 1, DriverWorld::launched(executor).front(), killed());
  BOOST_TEST(DriverWorld::launched(executor).size() == 2U);
  BOOST_TEST(executor.count<UnloadStage>() == 1);
}

BOOST_AUTO_TEST_CASE(the_state_of_the_shuffles_of_an_ended_job_is_removed) {
  DriverWorld world;
  world.start();
  auto& executor = world.executor(1, 2);
  world.submit({own_tasks("map", 2), after("reduce", 0, 1)});
  for (const auto& range : DriverWorld::launched(executor)) world.report(executor, 1, range, TaskOutcome{});
  world.report(executor, 1, DriverWorld::launched(executor).back(), TaskOutcome{});
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
  BOOST_TEST(world.events().count("stage_scheduler_forget_dataset") == 2);
  world.say(executor, world.driver, Heartbeat{ExecutorId{1}, executor.last<RegisteredExecutor>().epoch, {}});
  BOOST_TEST(executor.last<UnloadStage>().stages.size() == 2U);
}

BOOST_AUTO_TEST_CASE(retracted_task_attempts_end_a_cancelled_job_at_once) {
  DriverWorld world;
  world.settings.queue_ahead = 4;
  world.start();
  auto& executor = world.executor(1, 1);
  world.submit({own_tasks("s", 3)});
  const auto stage = DriverWorld::launched(executor).front().stage;
  world.say(world.driver, CancelJob{world.client.last<JobAccepted>().job, "enough"});
  world.report(executor, 1, {stage, 0, 1, 0, {}}, killed());
  world.say(executor, world.driver,
            TasksRetracted{ExecutorId{1}, executor.last<RegisteredExecutor>().epoch, {{stage, 1, 2, 0, {}}}});
  BOOST_TEST(world.client.count<JobFinished>() == 1);
}

BOOST_AUTO_TEST_CASE(running_jobs_fail_and_a_late_source_is_stopped_at_the_end_of_the_application) {
  DriverWorld world;
  world.start();
  world.executor(1, 1);
  world.submit({own_tasks("s", 1)});
  world.say(world.driver, StopDriver{false, "over"});
  world.say(world.allocator, world.driver, RegisterYarnAllocator{});
  BOOST_TEST(world.allocator.last<StopAllocator>().text == "over");
  world.advance(4s);
  BOOST_TEST(world.client.last<JobFinished>().text == "the application was stopped before the job finished");
}

BOOST_AUTO_TEST_CASE(outputs_that_are_prepared_while_their_job_is_cancelled_are_removed) {
  DriverWorld world;
  world.start(true);
  world.submit({writes_to("/out")});
  world.say(world.driver, CancelJob{world.client.last<JobAccepted>().job, "enough"});
  world.advance(10s);
  BOOST_TEST(world.client.count<JobFinished>() == 0);
  world.patient_background.let_go();
  world.settle();
  world.patient_background.let_go();
  world.settle();
  BOOST_TEST(world.commit.aborts == 1);
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::cancelled));
}

BOOST_AUTO_TEST_CASE(a_commit_under_way_completes_although_the_cluster_is_lost) {
  DriverWorld world;
  world.start(true);
  auto& executor = world.executor(1, 1);
  world.submit({writes_to("/out")});
  world.patient_background.let_go();
  world.settle();
  world.report(executor, 1, DriverWorld::launched(executor).at(0), TaskOutcome{});
  BOOST_TEST_REQUIRE(world.patient_background.waiting.size() == 1U);
  world.say(world.client, world.driver, FailJobs{"lost"});
  world.advance(10s);
  BOOST_TEST(world.client.count<JobFinished>() == 0);
  world.patient_background.let_go();
  world.settle();
  BOOST_TEST_REQUIRE(world.client.count<JobFinished>() == 1);
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
  BOOST_TEST(world.commit.outputs.size() == 1U);
  BOOST_TEST(world.commit.aborts == 0);
}

BOOST_AUTO_TEST_CASE(prepared_outputs_are_removed_if_another_one_is_refused) {
  DriverWorld world;
  world.commit.refused_path = "/second";
  world.start();
  world.submit({writes_to("/first"), writes_to("/second")});
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::failed));
  BOOST_TEST(world.commit.aborts == 1);
  BOOST_TEST((world.commit.aborted == std::vector<std::string>{"/first"}));
}

}  // namespace driver_late_messages_test
}  // namespace heddle::actors
