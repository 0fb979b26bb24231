// Goal: a JobTracker, TaskTrackers and children run map-only jobs to their end, whatever fails on the way; the output
// is committed once, and no process is left. Method: real roles and scripted children in virtual time.
#include <boost/test/unit_test.hpp>
#include <set>

#include "model/random_stream.hpp"
#include "tests/support/classic_cluster_world.hpp"

namespace heddle::actors {
namespace classic_cluster_test {
namespace {

using namespace std::chrono_literals;
using tests::ChildDeed;
using tests::ClassicWorld;
using tests::map_only_package;
using tests::map_reduce_package;

std::int64_t count(const ClassicWorld& world, AttemptType type) {
  return std::count_if(world.runs.begin(), world.runs.end(), [type](const auto& run) { return run.type == type; });
}

BOOST_AUTO_TEST_CASE(a_map_only_job_runs_to_its_end_without_waiting_for_regular_heartbeats) {
  ClassicWorld world;
  world.add_host("a", 2);
  world.submit(map_only_package({{"a"}, {"a"}, {"a"}}));
  BOOST_REQUIRE(world.run_until_end(10ms, 1ms));
  const auto end = world.client.last<JobFinished>();
  BOOST_TEST((end.status == JobStatus::succeeded), end.text);
  BOOST_TEST(end.totals.tasks == 3);
  BOOST_TEST(end.totals.bytes_read == 300);
  BOOST_TEST(count(world, AttemptType::job_setup) == 1);
  BOOST_TEST(count(world, AttemptType::map) == 3);
  BOOST_REQUIRE(world.commits.size() == 1U);
  BOOST_TEST(world.commits.front().outputs.front().task_attempts.size() == 3U);
  world.advance(3s);
  world.move_processes();
  BOOST_TEST(world.processes() == 0U);
  BOOST_TEST(world.hosts.front()->files.admitted.empty());
}

BOOST_AUTO_TEST_CASE(maps_of_other_hosts_do_not_wait_for_regular_heartbeats) {
  ClassicWorld world;
  world.add_host("a", 2);
  world.submit(map_only_package({{"x"}, {"y"}, {"z"}, {}, {}, {}}));
  BOOST_REQUIRE(world.run_until_end(10ms, 1ms));
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
}

BOOST_AUTO_TEST_CASE(reduces_get_the_locations_of_all_map_outputs_while_maps_run) {
  ClassicWorld world;
  world.add_host("a", 2);
  world.add_host("b", 2);
  world.submit(map_reduce_package({{"a"}, {"b"}, {"a"}}, 2));
  BOOST_REQUIRE(world.run_until_end(50ms, 1ms));
  const auto end = world.client.last<JobFinished>();
  BOOST_TEST((end.status == JobStatus::succeeded), end.text);
  BOOST_TEST(end.totals.tasks == 5);
  BOOST_TEST(world.commits.front().outputs.front().task_attempts.size() == 2U);
  BOOST_TEST(world.copied.size() == 2U);
  for (const auto& [reduce, locations] : world.copied) {
    const auto table = locations.table();
    BOOST_TEST(table->place_of_map.size() == 3U);
    for (const auto place : table->place_of_map) BOOST_TEST(place >= 0);
    for (const auto& place : table->places) BOOST_TEST(place.directory == "/files/shuffle");
  }
}

BOOST_AUTO_TEST_CASE(maps_of_a_lost_tracker_run_again_while_reduces_need_them) {  // JS-6
  ClassicWorld world;
  auto& a = world.add_host("a", 2);
  world.script = [](const AttemptLaunch& launch, const std::string&) {
    return launch.type == AttemptType::reduce && launch.attempt.attempt == 0 ? ChildDeed::hangs : ChildDeed::succeeds;
  };
  world.submit(map_reduce_package({{"a"}, {"a"}}, 1));
  BOOST_TEST(!world.run_until_end(1s));
  BOOST_TEST(count(world, AttemptType::map) == 2);
  world.add_host("b", 2);
  caf::anon_send_exit(a.tracker, caf::exit_reason::kill);
  BOOST_REQUIRE(world.run_until_end(5s));
  const auto end = world.client.last<JobFinished>();
  BOOST_TEST((end.status == JobStatus::succeeded), end.text);
  BOOST_TEST(count(world, AttemptType::map) == 4);
  BOOST_TEST(end.totals.tasks == 3);
  BOOST_TEST(end.totals.bytes_read == 300);
}

BOOST_AUTO_TEST_CASE(a_map_whose_child_dies_runs_again) {
  ClassicWorld world;
  world.add_host("a", 1);
  bool has_died = false;
  world.script = [&](const AttemptLaunch& launch, const std::string&) {
    return launch.type == AttemptType::map && !std::exchange(has_died, true) ? ChildDeed::dies : ChildDeed::succeeds;
  };
  world.submit(map_only_package({{"a"}}));
  BOOST_REQUIRE(world.run_until_end(5s));
  const auto end = world.client.last<JobFinished>();
  BOOST_TEST((end.status == JobStatus::succeeded), end.text);
  BOOST_TEST(end.totals.failed_attempts == 1);
  BOOST_TEST(count(world, AttemptType::task_cleanup) == 1);
  BOOST_TEST(count(world, AttemptType::map) == 2);
}

BOOST_AUTO_TEST_CASE(a_map_that_always_fails_fails_the_job_and_the_output_is_removed) {
  ClassicWorld world;
  world.add_host("a", 1);
  world.script = [](const AttemptLaunch& launch, const std::string&) {
    return launch.type == AttemptType::map ? ChildDeed::fails : ChildDeed::succeeds;
  };
  world.submit(map_only_package({{"a"}, {"a"}}));
  BOOST_REQUIRE(world.run_until_end(10s));
  const auto end = world.client.last<JobFinished>();
  BOOST_TEST((end.status == JobStatus::failed));
  BOOST_TEST(end.text.find("failed 4 times; last on a: exit code 3") != std::string::npos, end.text);
  BOOST_TEST(world.commits.empty());
  BOOST_TEST(world.aborts.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_cancelled_job_leaves_no_process_and_no_output) {
  ClassicWorld world;
  world.add_host("a", 2);
  world.script = [](const AttemptLaunch& launch, const std::string&) {
    return launch.type == AttemptType::map ? ChildDeed::hangs : ChildDeed::succeeds;
  };
  const auto job = world.submit(map_only_package({{"a"}, {"a"}}));
  BOOST_TEST(!world.run_until_end(1s));
  world.say(world.client, world.job_tracker, CancelJob{job, "by Ctrl-C"});
  BOOST_REQUIRE(world.run_until_end(1s));
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::cancelled));
  BOOST_TEST(world.commits.empty());
  BOOST_TEST(world.aborts.size() == 1U);
  world.advance(3s);
  world.move_processes();
  BOOST_TEST(world.processes() == 0U);
}

BOOST_AUTO_TEST_CASE(the_job_outlives_the_tracker_that_runs_it) {
  ClassicWorld world;
  auto& a = world.add_host("a", 1);
  world.script = [](const AttemptLaunch& launch, const std::string& host) {
    return launch.type == AttemptType::map && host == "a" ? ChildDeed::hangs : ChildDeed::succeeds;
  };
  world.submit(map_only_package({{"a"}}));
  BOOST_TEST(!world.run_until_end(1s));
  world.add_host("b", 1);
  caf::anon_send_exit(a.tracker, caf::exit_reason::kill);
  BOOST_REQUIRE(world.run_until_end(2s));
  const auto end = world.client.last<JobFinished>();
  BOOST_TEST((end.status == JobStatus::succeeded), end.text);
  BOOST_TEST(end.totals.tasks == 1);
  BOOST_TEST(world.commits.size() == 1U);
}

BOOST_AUTO_TEST_CASE(random_failures_of_children_neither_lose_nor_double_an_output) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    RandomStream random{seed};
    JobRules rules;
    rules.map_attempts_max = 50;
    rules.tracker_failures_max = 100;
    ClassicWorld world;
    world.add_host("a", 2);
    world.add_host("b", 3);
    world.script = [&](const AttemptLaunch& launch, const std::string&) {
      if (launch.type != AttemptType::map) return ChildDeed::succeeds;
      if (random.chance(1, 6)) return ChildDeed::dies;
      return random.chance(1, 5) ? ChildDeed::fails : ChildDeed::succeeds;
    };
    std::vector<std::vector<std::string>> hosts(1 + random.below(12));
    for (auto& each : hosts) each = {random.chance(1, 2) ? "a" : "c"};
    world.submit(map_only_package(hosts), rules);
    BOOST_TEST_INFO("seed " << seed);
    BOOST_REQUIRE(world.run_until_end(120s));
    const auto end = world.client.last<JobFinished>();
    BOOST_TEST((end.status == JobStatus::succeeded), end.text);
    BOOST_TEST(end.totals.bytes_read == static_cast<std::int64_t>(hosts.size()) * 100);
    BOOST_REQUIRE(world.commits.size() == 1U);
    const auto& winners = world.commits.front().outputs.front().task_attempts;
    BOOST_TEST(winners.size() == hosts.size());
    BOOST_TEST(std::set<std::string>(winners.begin(), winners.end()).size() == hosts.size());
  }
}

}  // namespace
}  // namespace classic_cluster_test
}  // namespace heddle::actors
