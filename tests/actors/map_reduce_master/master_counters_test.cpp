// Goal: a MapReduceMaster counts the attempts of its job and the records of the winners under the names of Hadoop.
// Method: fake parties in virtual time.
#include <map>
#include <string>
#include <string_view>

#include "tests/actors/map_reduce_master/master_world.hpp"

namespace heddle::actors {
namespace master_counters_test {
namespace {

using Counters = std::map<std::string, std::int64_t>;

constexpr std::string_view job_group = "org.apache.hadoop.mapreduce.JobCounter\t";

/// Counters of the ended job whose names begin with `group`, without it; no times.
Counters counters_of(const MasterWorld& world, std::string_view group) {
  Counters counters;
  for (const auto& [name, value] : world.client.last<JobFinished>().totals.counters)
    if (name.starts_with(group) && name.find("MILLIS") == std::string::npos)
      counters[name.substr(group.size())] = value;
  return counters;
}

TaskOutcome counted(std::vector<std::pair<std::string, std::int64_t>> counters) {
  TaskOutcome outcome;
  outcome.counters = std::move(counters);
  return outcome;
}

void finish(MasterWorld& world, std::int64_t container, const TaskAttemptId& id, const TaskOutcome& outcome) {
  world.say(world.child(container), world.master, CommitPending{container, id});
  world.say(world.child(container), world.master, AttemptDone{container, id, outcome});
}

BOOST_AUTO_TEST_CASE(attempts_and_the_places_of_maps_are_counted) {
  MasterWorld world;
  world.begin(1);
  world.give({11});
  world.run(11);
  world.fail(11, MasterWorld::attempt(0), "exit code 3");
  world.end_container(11);
  world.advance(1s);
  world.respond({MasterWorld::grant(12, 5)});
  world.advance(2s);
  world.run(12);
  world.advance(3s);
  finish(world, 12, MasterWorld::attempt(0, 1), {});
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
  BOOST_TEST(
      (counters_of(world, job_group) ==
       Counters{{"TOTAL_LAUNCHED_MAPS", 2}, {"NUM_FAILED_MAPS", 1}, {"DATA_LOCAL_MAPS", 1}, {"OTHER_LOCAL_MAPS", 1}}));
  for (const auto& [name, value] : world.client.last<JobFinished>().totals.counters)
    if (name == std::string{job_group} + "MILLIS_MAPS") BOOST_TEST(value == 3000);
}

BOOST_AUTO_TEST_CASE(maps_with_hosts_are_counted_by_the_place_of_their_container) {
  MasterWorld world;
  world.register_application();
  SubmitJob message;
  message.package = tests::map_only_package({{"a"}, {"elsewhere"}});
  world.say(world.client, world.master, message);
  world.give({11, 12});
  for (const std::int32_t map : {0, 1}) {
    world.run(11 + map);
    finish(world, 11 + map, MasterWorld::attempt(map), {});
    world.end_container(11 + map);
  }
  // Both hosts are on the default rack.
  BOOST_TEST((counters_of(world, job_group) ==
              Counters{{"TOTAL_LAUNCHED_MAPS", 2}, {"DATA_LOCAL_MAPS", 1}, {"RACK_LOCAL_MAPS", 1}}));
}

BOOST_AUTO_TEST_CASE(counters_of_the_user_are_summed_over_maps_and_reduces) {
  MasterWorld world;
  world.begin_with_reduces(1, 1);
  world.give({11});
  world.run(11);
  AttemptDone done{11, MasterWorld::attempt(0), counted({{"Mine\tn", 2}, {"Mine\tmaps", 1}})};
  done.place = MasterWorld::map_output(0);
  world.say(world.child(11), world.master, done);
  world.end_container(11);
  world.say(world.cluster, world.master, AllocationAvailable{});
  world.respond({MasterWorld::grant(21, 10)});
  world.run(21);
  finish(world, 21, MasterWorld::reduce(0), counted({{"Mine\tn", 5}}));
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
  BOOST_TEST((counters_of(world, "Mine\t") == Counters{{"n", 7}, {"maps", 1}}));
  BOOST_TEST((counters_of(world, job_group) ==
              Counters{{"TOTAL_LAUNCHED_MAPS", 1}, {"TOTAL_LAUNCHED_REDUCES", 1}, {"DATA_LOCAL_MAPS", 1}}));
}

/// A job of three maps with two counters at most; each map that ends counts under a name of its own.
void end_maps_with_counters(MasterWorld& world, std::int32_t maps, std::int32_t ended) {
  world.register_application();
  SubmitJob message;
  message.package = tests::map_only_package(std::vector<std::vector<std::string>>(static_cast<std::size_t>(maps)));
  message.package.graph.stages.front().map_reduce.emplace().counters_max = 2;
  world.say(world.client, world.master, message);
  world.give({11, 12, 13, 14});
  for (std::int32_t map = 0; map < ended; ++map) {
    world.run(11 + map);
    finish(world, 11 + map, MasterWorld::attempt(map), counted({{"Mine\tn" + std::to_string(map), 1}}));
    if (map + 1 < ended) world.end_container(11 + map);
  }
}

BOOST_AUTO_TEST_CASE(a_job_with_more_counters_than_its_limit_fails_and_kills_what_runs) {
  MasterWorld world;
  end_maps_with_counters(world, 4, 3);
  BOOST_TEST(world.client.count<JobFinished>() == 0);
  BOOST_TEST((world.node.last<StopContainer>().container == ContainerId{14}));
  world.end_container(14, container_exit_status::killed_by_application_master);
  BOOST_TEST_REQUIRE(world.client.count<JobFinished>() == 1);
  const auto end = world.client.last<JobFinished>();
  BOOST_TEST((end.status == JobStatus::failed));
  BOOST_TEST(end.text == "the job has more than 2 counters; raise mapreduce.job.counters.max, or use fewer");
  BOOST_TEST((world.commit.calls == std::vector<std::string>{"set_up /out", "abort attempt-0.0-3-0", "abort"}));
}

BOOST_AUTO_TEST_CASE(the_last_task_can_exceed_the_limit_of_counters_and_then_nothing_is_committed) {
  MasterWorld world;
  end_maps_with_counters(world, 3, 3);
  BOOST_TEST_REQUIRE(world.client.count<JobFinished>() == 1);
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::failed));
  BOOST_TEST((world.commit.calls == std::vector<std::string>{"set_up /out", "abort"}));
}

}  // namespace
}  // namespace master_counters_test
}  // namespace heddle::actors
