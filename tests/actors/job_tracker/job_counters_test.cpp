// Goal: attempts and tasks are counted by the rules of Hadoop 1.2, and a job with too many counters fails.
// Method: fake clients and TaskTrackers around one JobTracker, virtual time.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <string>

#include "actors/job_tracker/job_tracker_settings.hpp"
#include "tests/actors/job_tracker/tracker_world.hpp"

namespace heddle::actors {
namespace job_counters_test {
namespace {

using tests::map_only_package;

using Counters = std::map<std::string, std::int64_t>;

/// Those of the group JobCounter, by name.
Counters job_counters(const JobFinished& end) {
  const std::string group = "org.apache.hadoop.mapreduce.JobCounter\t";
  Counters found;
  for (const auto& [name, count] : end.totals.counters)
    if (name.starts_with(group)) found.emplace(name.substr(group.size()), count);
  return found;
}

/// A job of heddle mapreduce.
JobPackage with_rules(JobPackage package, std::int32_t counters_max = 120) {
  for (auto& stage : package.graph.stages) {
    stage.map_reduce.emplace();
    stage.map_reduce->counters_max = counters_max;
  }
  return package;
}

BOOST_AUTO_TEST_CASE(the_event_of_an_end_without_success_has_its_counters) {
  TrackerWorld world;
  auto a = world.add_tracker("a");
  world.submit(map_only_package({{"a"}}));
  world.beat(a);
  world.succeed(a);
  TrackerWorld::end_all(a, TaskAttemptState::failed_unclean, "exit code 3");
  set_counter(a.runs.front().outcome->task_counters, TaskCounter::map_input_records, 5);
  world.beat(a);
  const auto& events = world.events();
  const auto end = std::find(events.names.begin(), events.names.end(), "classic_attempt_ended");
  BOOST_TEST_REQUIRE((end != events.names.end()));
  const auto& line = events.lines.at(static_cast<std::size_t>(end - events.names.begin()));
  BOOST_TEST(line.find(R"("counters":["org.apache.hadoop.mapreduce.TaskCounter\tMAP_INPUT_RECORDS=5","g\tn=1"])") !=
                 std::string::npos,
             line);
}

BOOST_AUTO_TEST_CASE(launched_local_and_failed_tasks_are_counted_as_hadoop_1_2_counts_them) {
  TrackerWorld world;
  auto a = world.add_tracker("a");
  JobRules rules;
  rules.map_attempts_max = 2;
  rules.map_failures_percent = 34;
  world.submit(with_rules(map_only_package({{"a"}, {"elsewhere"}, {}})), rules);
  world.beat(a);
  world.advance(1s);
  world.succeed(a);  // the setup took a second; now a local and a far map run
  for (int round = 0; round < 20 && world.client.count<JobFinished>() == 0; ++round) {
    world.advance(1s);
    for (auto& status : a.runs) {
      const bool fails = status.attempt.task == 2 && !status.attempt.is_reduce;
      status.state = fails ? TaskAttemptState::failed : TaskAttemptState::succeeded;
      status.outcome = TaskOutcome{};
    }
    world.beat(a);
  }
  const auto end = world.client.last<JobFinished>();
  BOOST_TEST((end.status == JobStatus::succeeded), end.text);
  const Counters expected{{"TOTAL_LAUNCHED_MAPS", 4},
                          {"DATA_LOCAL_MAPS", 1},         // the other maps are neither on the node nor in its rack
                          {"NUM_FAILED_MAPS", 1},         // a task; its two attempts do not count
                          {"SLOTS_MILLIS_MAPS", 6'000}};  // of the setup, four map attempts and the cleanup
  BOOST_TEST((job_counters(end) == expected));
}

BOOST_AUTO_TEST_CASE(a_job_with_more_counters_than_it_may_have_fails_and_its_output_is_removed) {
  TrackerWorld world;
  auto a = world.add_tracker("a");
  world.submit(with_rules(map_only_package({{"a"}}), 0));
  world.beat(a);
  world.succeed(a);
  const auto cleanup = world.succeed(a);  // its map has one counter
  BOOST_TEST_REQUIRE(cleanup.launches.size() == 1U);
  BOOST_TEST((cleanup.launches.front().type == AttemptType::job_cleanup));
  BOOST_TEST(!cleanup.launches.front().output.is_commit);
  world.succeed(a);
  const auto end = world.client.last<JobFinished>();
  BOOST_TEST((end.status == JobStatus::failed));
  BOOST_TEST(end.text == "the job has more than 0 counters; raise mapreduce.job.counters.max, or use fewer");
}

}  // namespace
}  // namespace job_counters_test
}  // namespace heddle::actors
