// Goal: the result bytes of tasks are counted per task set, and too many fail the job with the error text of Spark.
// Method: fake client and executors around one Driver; counters of known length.
#include <boost/test/unit_test.hpp>

#include "tests/actors/driver/driver_world.hpp"

namespace heddle::actors {
namespace driver_results_test {
namespace {

constexpr std::int64_t kib = 1024;

/// An outcome with a result of `bytes`.
TaskOutcome handing_over(std::int64_t bytes) {
  TaskOutcome outcome;
  outcome.counters.emplace_back(std::string(static_cast<std::size_t>(bytes) - sizeof(std::int64_t), 'n'), 1);
  return outcome;
}

TaskRange one_task(const TaskRange& range, std::int32_t index) { return {range.stage, index, 1, range.attempt, {}}; }

struct ResultWorld : DriverWorld {
  explicit ResultWorld(std::int64_t limit) {
    settings.task_scheduler.result_bytes_max = limit;
    start();
  }
};

BOOST_AUTO_TEST_CASE(too_large_results_fail_the_job_with_the_error_text_of_spark_TSM_17) {
  ResultWorld world{2048 * kib};
  auto& executor = world.executor(1, 4);
  world.submit({own_tasks("s", 4)});
  const auto launched = DriverWorld::launched(executor).at(0);
  for (std::int32_t task = 0; task < 2; ++task)
    world.report(executor, 1, one_task(launched, task), handing_over(1024 * kib));
  BOOST_TEST(world.client.count<JobFinished>() == 0);
  world.report(executor, 1, one_task(launched, 2), handing_over(1024 * kib));
  BOOST_TEST(executor.count<KillTask>() == 1);
  world.advance(std::chrono::seconds{4});
  const auto end = world.client.last<JobFinished>();
  BOOST_TEST((end.status == JobStatus::failed));
  BOOST_TEST(end.text ==
             "stage 's': Total size of serialized results of 3 tasks (3.0 MiB) is bigger than "
             "spark.driver.maxResultSize (2.0 MiB)");
}

/// A stage of one task that runs a command with an argument of `bytes`.
StageDescription with_argument(std::string name, std::size_t bytes) {
  auto stage = own_tasks(std::move(name), 1);
  stage.bodies.emplace_back(CommandBody{{"true", std::string(bytes, 'x')}, {}, {}});
  return stage;
}

// C-BE-03b
BOOST_AUTO_TEST_CASE(a_too_large_task_binary_fails_its_job_with_advice_and_the_next_job_runs) {
  DriverWorld world;
  world.settings.task_scheduler.task_binary_bytes_max = 1024 * kib;
  world.start();
  auto& executor = world.executor(1, 4);
  world.submit({with_argument("big", 2048 * kib)});
  world.advance(std::chrono::seconds{4});
  BOOST_TEST(executor.count<LoadStage>() == 0);
  const auto end = world.client.last<JobFinished>();
  BOOST_TEST((end.status == JobStatus::failed));
  BOOST_TEST(end.text ==
             "stage 'big': its task binary (2.0 MiB) is too large to send to executors: heddle.rpc.message.max_size is "
             "1024.0 KiB; pass large values as files, or raise the setting");
  world.submit({with_argument("small", 8)});
  world.report(executor, 1, DriverWorld::launched(executor).at(0), {});
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
}

// C-TSF-06
BOOST_AUTO_TEST_CASE(a_client_is_warned_once_of_a_large_task_binary) {
  for (const std::int64_t bytes : {kib, 1100 * kib}) {
    DriverWorld world;
    world.start();
    auto& executor = world.executor(1, 1);
    auto stage = with_argument("s", static_cast<std::size_t>(bytes));
    stage.partitions = 2;
    world.submit({stage});
    BOOST_TEST(world.client.count<Notice>() == (bytes > kib ? 1 : 0));
    for (std::size_t task = 0; task < 2; ++task)
      world.report(executor, 1, DriverWorld::launched(executor).at(task), {});
    BOOST_TEST(world.client.count<Notice>() == (bytes > kib ? 1 : 0));
    if (bytes > kib) {
      BOOST_TEST(world.client.last<Notice>().text ==
                 "stage 's': its task binary, sent to each executor, is very large (1100 KiB); at most 1000 KiB is "
                 "recommended");
    }
    BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
  }
}

// C-TS-09, C-TSF-07
BOOST_AUTO_TEST_CASE(a_stage_that_no_executor_can_run_fails_its_job_only) {
  DriverWorld world;
  world.task_binary_error = [](const StageProgram& work) {
    return work.name == "bad" ? std::string{"no function is named 'bad'"} : std::string{};
  };
  world.start();
  world.submit({own_tasks("bad", 2)});
  world.submit({own_tasks("good", 2)});
  auto& executor = world.executor(1, 2);
  world.advance(std::chrono::seconds{4});
  BOOST_REQUIRE(executor.count<LoadStage>() == 1);
  BOOST_TEST(executor.last<LoadStage>().work.name == "good");
  const auto end = world.client.last<JobFinished>();
  BOOST_TEST((end.status == JobStatus::failed));
  BOOST_TEST(end.text == "stage 'bad' cannot be sent to executors: no function is named 'bad'");
  world.report(executor, 1, DriverWorld::launched(executor).at(0), {});
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
}

BOOST_AUTO_TEST_CASE(results_of_a_map_stage_are_not_limited_TSM_17) {
  ResultWorld world{kib};
  auto& executor = world.executor(1, 2);
  world.submit({own_tasks("a", 2), after("b", 0, 1)});
  auto written = handing_over(64 * kib);
  written.partition_bytes = {1};
  world.report(executor, 1, DriverWorld::launched(executor).at(0), written);
  BOOST_REQUIRE(DriverWorld::launched(executor).size() == 2U);
  world.report(executor, 1, DriverWorld::launched(executor).at(1), handing_over(kib));
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
}

BOOST_AUTO_TEST_CASE(written_output_is_no_result_and_without_a_limit_all_results_are_accepted_TSM_17) {
  struct Row {
    std::int64_t limit;
    TaskOutcome outcome;
  };
  TaskOutcome output;
  output.bytes_written = 1 << 30;
  output.standard_error = std::string(4096, 'e');
  for (const Row& row : {Row{kib, output}, Row{0, handing_over(64 * kib)}}) {
    ResultWorld world{row.limit};
    auto& executor = world.executor(1, 4);
    world.submit({own_tasks("s", 4)});
    world.report(executor, 1, DriverWorld::launched(executor).at(0), row.outcome);
    BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
  }
}

}  // namespace
}  // namespace driver_results_test
}  // namespace heddle::actors
