// Goal: a MapReduce job counts its attempts and the records of its winners under the names of Hadoop.
// Method: fake client and executors around one Driver.
#include <boost/test/unit_test.hpp>
#include <map>

#include "tests/actors/driver/driver_world.hpp"

namespace heddle::actors {
namespace driver_counters_test {
namespace {

using Counters = std::map<std::string, std::int64_t>;

constexpr std::string_view job_group = "org.apache.hadoop.mapreduce.JobCounter\t";

StageDescription of_map_reduce(StageDescription stage, std::int32_t counters_max = 120) {
  stage.map_reduce.emplace().counters_max = counters_max;
  return stage;
}

TaskOutcome counted(TaskCounter counter, std::int64_t value) {
  TaskOutcome outcome;
  set_counter(outcome.task_counters, counter, value);
  return outcome;
}

/// Counters of the ended job whose names begin with `group`, without it.
Counters counters_of(DriverWorld& world, std::string_view group) {
  Counters counters;
  for (const auto& [name, value] : world.client.last<JobFinished>().totals.counters)
    if (name.starts_with(group)) counters[name.substr(group.size())] = value;
  return counters;
}

std::string_view name_of(TaskCounter counter) { return task_counter_names[static_cast<std::size_t>(counter)]; }

BOOST_AUTO_TEST_CASE(attempts_of_maps_and_reduces_are_counted_and_failed_maps_run_again_elsewhere) {
  DriverWorld world;
  world.start();
  auto& executor = world.executor(1, 1);
  SubmitJob job;
  job.package.graph = {"job", "", {of_map_reduce(own_tasks("map", 0)), of_map_reduce(after("reduce", 0, 1))}};
  job.package.graph.stages[0].inputs.resize(1);
  job.package.splits.resize(2);
  job.package.splits[0].splits = {{0, {"/in/a", 0, 10, {}}}, {0, {"/in/empty", 0, 0, {}}}};
  world.say(world.client, world.driver, std::move(job));
  TaskOutcome map;
  map.partition_bytes = {10};
  world.report(executor, 1, DriverWorld::launched(executor).at(0), failure("broken"));
  for (std::size_t next = 1; next < 4; ++next)
    world.report(executor, 1, DriverWorld::launched(executor).at(next), next < 3 ? map : TaskOutcome{});
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
  BOOST_TEST((counters_of(world, job_group) == Counters{{"NUM_FAILED_MAPS", 1},
                                                        {"TOTAL_LAUNCHED_MAPS", 3},
                                                        {"TOTAL_LAUNCHED_REDUCES", 1},
                                                        {"DATA_LOCAL_MAPS", 1},
                                                        {"OTHER_LOCAL_MAPS", 2}}));
}

BOOST_AUTO_TEST_CASE(task_counters_of_winners_are_summed_under_the_names_of_hadoop) {
  DriverWorld world;
  world.start();
  auto& executor = world.executor(1, 1);
  world.submit({of_map_reduce(own_tasks("s", 2))});
  auto lost = counted(TaskCounter::map_input_records, 100);
  lost.state = TaskState::failed;
  lost.failure = FailureKind::command_exit;
  world.report(executor, 1, DriverWorld::launched(executor).at(0), lost);
  auto first = counted(TaskCounter::map_input_records, 5);
  first.counters = {{std::string{name_of(TaskCounter::map_input_records)}, 1000}, {"Mine\tn", 2}};
  world.report(executor, 1, DriverWorld::launched(executor).at(1), first);
  world.report(executor, 1, DriverWorld::launched(executor).at(2), counted(TaskCounter::map_input_records, 6));
  BOOST_TEST((counters_of(world, name_of(TaskCounter::map_input_records)) == Counters{{"", 1011}}));
  BOOST_TEST((counters_of(world, "Mine\t") == Counters{{"n", 2}}));
}

BOOST_AUTO_TEST_CASE(a_job_of_other_kind_has_no_counters_of_hadoop) {
  DriverWorld world;
  world.start();
  auto& executor = world.executor(1, 1);
  world.submit({own_tasks("s", 1)});
  world.report(executor, 1, DriverWorld::launched(executor).at(0), {});
  BOOST_TEST(world.client.last<JobFinished>().totals.counters.empty());
}

BOOST_AUTO_TEST_CASE(maps_that_a_job_lets_fail_end_without_output) {
  for (const std::int32_t percent : {50, 49}) {
    DriverWorld world;
    world.settings.task_scheduler.max_failures = 2;
    world.start();
    auto& executor = world.executor(1, 1);
    auto map = of_map_reduce(own_tasks("map", 2));
    map.map_reduce->failed_maps_percent = percent;
    world.submit({map, of_map_reduce(after("reduce", 0, 1))});
    TaskOutcome whole;
    whole.partition_bytes = {10};
    for (std::size_t next = 0; next < DriverWorld::launched(executor).size() && next < 4; ++next) {
      const auto range = DriverWorld::launched(executor).at(next);
      const bool is_first_map = range.stage == DriverWorld::launched(executor).at(0).stage && range.first_index == 0;
      world.report(executor, 1, range, is_first_map ? failure("poisoned") : whole);
    }
    const auto end = world.client.last<JobFinished>();
    BOOST_TEST((end.status == JobStatus::succeeded) == (percent == 50));
    BOOST_TEST(counters_of(world, job_group).at("NUM_FAILED_MAPS") == 2);
    if (percent == 49) continue;
    BOOST_TEST(executor.last<MapOutputs>().place_of_map == (std::vector<std::int32_t>{-2, 0}),
               boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(a_job_with_more_counters_than_its_limit_fails) {
  DriverWorld world;
  world.start();
  auto& executor = world.executor(1, 1);
  world.submit({of_map_reduce(own_tasks("s", 3), 2)});
  for (std::size_t task = 0; task < 3; ++task) {
    auto outcome = counted(TaskCounter::map_input_records, 1);
    outcome.counters = {{"Mine\tn" + std::to_string(task), 1}};
    world.report(executor, 1, DriverWorld::launched(executor).at(task), outcome);
  }
  const auto end = world.client.last<JobFinished>();
  BOOST_TEST((end.status == JobStatus::failed));
  BOOST_TEST(end.text == "the job has more than 2 counters; raise mapreduce.job.counters.max, or use fewer");
}

}  // namespace
}  // namespace driver_counters_test
}  // namespace heddle::actors
