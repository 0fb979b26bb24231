// Goal: the numbered cases of Hadoop's tests of its MapReduce master hold for the live role, not only for its deciders.
// Method: fake ResourceManager, nodes, children and client around one MapReduceMaster, virtual time.
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "tests/actors/map_reduce_master/master_world.hpp"

namespace heddle::actors {
namespace numbered_cases_test {
namespace {

GrantedContainer grant_on(std::int64_t container, const std::string& host) {
  return {ContainerId{container}, NodeId{5}, host, "node:1", 20, {512, 1}};
}

/// Containers at any host that the request asks for, with this priority; -1: it does not say.
std::int64_t asked_with(const AllocateRequest& request, std::int32_t priority) {
  for (const auto& ask : request.asks)
    if (ask.place == "*" && ask.priority == priority) return ask.count;
  return -1;
}

// C-E2-01: requests have absolute counts, and only those that changed.
BOOST_AUTO_TEST_CASE(a_request_tells_what_has_changed_in_absolute_counts) {
  MasterWorld world;
  world.begin(3);
  world.respond({});  // to the first request, which had no asks
  BOOST_TEST(world.asked() == 3);
  world.respond({MasterWorld::grant(11)});
  world.say(world.cluster, world.master, AllocationAvailable{});
  BOOST_TEST(world.asked() == 2);
  world.respond({});
  world.advance(1s);
  BOOST_TEST(world.cluster.last<AllocateRequest>().asks.empty());
}

BOOST_AUTO_TEST_CASE(the_progress_of_the_job_reaches_the_resource_manager) {  // C-E2-14
  MasterWorld world;
  world.begin(10);
  std::vector<std::int64_t> containers;
  for (std::int64_t container = 11; container < 21; ++container) containers.push_back(container);
  world.give(containers);
  for (std::int32_t map = 0; map < 10; ++map) {
    world.run(11 + map);
    world.done(11 + map, MasterWorld::attempt(map));
    if (map != 5) continue;
    world.say(world.cluster, world.master, AllocationAvailable{});
    world.respond({});
    world.advance(1s);
    BOOST_TEST(world.cluster.last<AllocateRequest>().progress > 0.58F);
    BOOST_TEST(world.cluster.last<AllocateRequest>().progress < 0.60F);
  }
}

BOOST_AUTO_TEST_CASE(a_host_with_failures_is_excluded) {  // C-E2-16
  MapReduceMasterStart start;
  start.allocator.exclusion.failures_per_host_max = 1;
  start.allocator.exclusion.ignore_percent = 100;
  MasterWorld world{start};
  world.begin(1);
  world.respond({});
  world.respond({grant_on(11, "bad")});
  world.run(11);
  world.fail(11, MasterWorld::attempt(0), "exit code 3");
  world.say(world.cluster, world.master, AllocationAvailable{});
  world.respond({});
  world.advance(1s);
  std::vector<std::string> excluded;
  for (const auto& request : world.cluster.all<AllocateRequest>())
    excluded.insert(excluded.end(), request.exclusion_add.begin(), request.exclusion_add.end());
  BOOST_TEST(excluded == std::vector<std::string>{"bad"}, boost::test_tools::per_element());
}

// C-E2-24: no node has room for a container of a map.
BOOST_AUTO_TEST_CASE(a_container_above_the_maximum_ends_the_job) {
  MasterWorld world;
  world.say(world.application, world.master, StartAllocating{{256, 4}, "secret"});
  world.submit(1);
  world.respond({});
  BOOST_TEST_REQUIRE(world.client.count<JobFinished>() == 1);
  BOOST_TEST((world.client.last<JobFinished>().status != JobStatus::succeeded));
  for (const auto& request : world.cluster.all<AllocateRequest>()) BOOST_TEST(request.asks.empty());
}

// C-E2-26: -100, -102 and -108 are no failures of the attempt.
BOOST_AUTO_TEST_CASE(an_end_by_the_cluster_is_a_kill_and_any_other_a_failure) {
  for (const std::int32_t status : {-100, -102, -108, 137, 1}) {
    MapReduceMasterStart start;
    start.machines.map_task.attempts_max = 1;
    MasterWorld world{start};
    world.begin(1);
    world.give({11});
    world.run(11);
    world.end_container(11, status);
    world.advance(1s);
    BOOST_TEST(world.client.count<JobFinished>() == (status < 0 ? 0 : 1), status);
    BOOST_TEST(world.client.last<JobProgress>().stages.front().failed_attempts == (status < 0 ? 0 : 1), status);
  }
}

BOOST_AUTO_TEST_CASE(a_task_that_has_succeeded_is_not_killed_with_its_container) {  // C-E3-04
  MasterWorld world;
  world.begin(2);
  world.give({11, 12});
  world.run(11);
  world.run(12);
  world.done(11, MasterWorld::attempt(0));
  world.end_container(11, -100);
  world.done(12, MasterWorld::attempt(1));
  const auto end = world.client.last<JobFinished>();
  BOOST_TEST((end.status == JobStatus::succeeded), end.text);
  BOOST_TEST(world.commit.committed.front().task_attempts.size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_finished_map_on_a_lost_node_runs_again_ahead_of_others) {  // C-E3-05
  MasterWorld world;
  world.begin_with_reduces(2, 1);
  world.give({11});
  world.run(11);
  world.finish_map(11, MasterWorld::attempt(0));
  world.say(world.cluster, world.master, AllocationAvailable{});
  AllocateResponse response;
  response.response_id = ++world.last_response;
  response.updated_nodes = {{NodeId{5}, "a", NodeCondition::lost}};
  world.say(world.cluster, world.master, response);
  world.advance(1s);
  constexpr std::int32_t priority_of_failed_maps = 5;
  BOOST_TEST(asked_with(world.cluster.last<AllocateRequest>(), priority_of_failed_maps) == 1);
}

BOOST_AUTO_TEST_CASE(after_a_failure_while_committing_the_next_attempt_commits) {  // C-E3-08
  MasterWorld world;
  world.begin(1);
  world.give({11});
  world.run(11);
  world.say(world.child(11), world.master, CommitPending{11, MasterWorld::attempt(0)});
  BOOST_TEST(world.child(11).count<CommitAttempt>() == 1);
  world.fail(11, MasterWorld::attempt(0), "no space");
  world.end_container(11);
  world.respond({MasterWorld::grant(12, 5)});
  world.run(12);
  world.say(world.child(12), world.master, CommitPending{12, MasterWorld::attempt(0, 1)});
  BOOST_TEST(world.child(12).count<CommitAttempt>() == 1);
  world.done(12, MasterWorld::attempt(0, 1));
  BOOST_TEST((world.client.last<JobFinished>().status == JobStatus::succeeded));
  BOOST_TEST((world.commit.committed.front().task_attempts == std::vector<std::string>{"attempt-0.0-0-1"}));
}

BOOST_AUTO_TEST_CASE(an_attempt_that_is_killed_may_no_longer_commit) {  // C-E3-07
  MasterWorld world;
  world.begin(1);
  world.give({11});
  world.run(11);
  world.end_container(11, -100);  // lost with its node
  world.say(world.child(11), world.master, CommitPending{11, MasterWorld::attempt(0)});
  BOOST_TEST(world.child(11).count<CommitAttempt>() == 0);
  BOOST_TEST(world.child(11).count<LeaveChild>() == 1);
}

/// Without an end of the application, its next attempt goes on with the outputs that are there (CA-26).
void check_left_without_verdict(MasterWorld& world) {
  BOOST_TEST(world.has_ended(world.master));
  BOOST_TEST(world.application.count<EndApplication>() == 0);
  BOOST_TEST(world.client.count<JobFinished>() == 0);
  BOOST_TEST(world.client.count<Notice>() == 1);
  BOOST_TEST((world.commit.calls == std::vector<std::string>{"set_up /out"}));
}

BOOST_AUTO_TEST_CASE(a_master_that_loses_the_resource_manager_leaves_the_job_to_the_next_attempt) {  // C-E2-25
  MasterWorld world;
  world.begin(1);
  world.kill(world.cluster);
  check_left_without_verdict(world);
}

BOOST_AUTO_TEST_CASE(a_master_without_answers_leaves_the_job_to_the_next_attempt) {  // C-E2-25
  MapReduceMasterStart start;
  start.unanswered_max = 3;
  MasterWorld world{start};
  world.begin(2);
  world.give({11});
  world.run(11);
  world.advance(2s);
  BOOST_TEST(!world.has_ended(world.master));
  world.advance(3s);
  check_left_without_verdict(world);
  BOOST_TEST(world.client.last<Notice>().text ==
             "the MapReduceMaster ends: the ResourceManager has not answered for 3000 ms; "
             "the next application attempt continues the job if there is one");
}

BOOST_AUTO_TEST_CASE(a_master_whose_attempt_is_unknown_leaves_the_job_to_the_next_attempt) {  // C-E2-25
  MasterWorld world;
  world.begin(1);
  AllocateResponse unknown;
  unknown.registration = AttemptRegistration::unknown_attempt;
  world.say(world.cluster, world.master, unknown);
  check_left_without_verdict(world);
}

BOOST_AUTO_TEST_CASE(a_master_that_loses_its_application_master_leaves_the_job_to_the_next_attempt) {
  MasterWorld world;
  world.begin(1);
  world.kill(world.application);
  check_left_without_verdict(world);
}

BOOST_AUTO_TEST_CASE(a_master_that_cannot_reach_the_resource_manager_ends_before_it_is_registered) {
  MapReduceMasterStart start;
  MasterWorld world;
  start.attempt = {{1000, 2}, 1};
  start.resource_manager_address = "nowhere:1";
  MapReduceMasterPorts ports;
  ports.commit = &world.commit;
  ports.background = &world.background;
  const auto lonely = world.adopt(spawn_map_reduce_master(world.system(), start, world.tools(), ports));
  world.settle();
  BOOST_TEST(world.has_ended(lonely));
}

}  // namespace
}  // namespace numbered_cases_test
}  // namespace heddle::actors
