// Goal: the client gets rule, numbers and decision of each kind of decision, once. Method: fake parties around a
// MapReduceMaster in virtual time; the texts alone for numbers that are hard to reach.
#include "actors/map_reduce_master/decision_texts.hpp"

#include "tests/actors/map_reduce_master/master_world.hpp"

namespace heddle::actors {
namespace decision_texts_test {
namespace {

constexpr std::int32_t reduce_priority = 10;

std::vector<std::string> notices(MasterWorld& world) {
  std::vector<std::string> texts;
  for (const auto& notice : world.client.all<Notice>()) texts.push_back(notice.text);
  return texts;
}

BOOST_AUTO_TEST_CASE(the_ramp_up_of_reduces_is_reported_once_with_its_part) {
  MapReduceMasterStart start;
  start.allocator.slow_start = 0.1F;
  start.allocator.ramp_up_limit = 0.25F;
  MasterWorld world{start};
  world.begin_with_reduces(40, 8);
  world.give({11, 12, 13, 14});
  for (std::int32_t map = 0; map < 4; ++map) world.run(11 + map);
  for (std::int32_t map = 0; map < 3; ++map) world.finish_map(11 + map, MasterWorld::attempt(map));
  BOOST_TEST(world.client.count<Notice>() == 0);
  world.finish_map(14, MasterWorld::attempt(3));
  world.say(world.cluster, world.master, AllocationAvailable{});
  world.respond({});
  const std::vector<std::string> expected{
      "reduces may request containers: 4 of 40 maps are done, and 4 are needed (rule CA-16)",
      "1 of 8 reduces request containers of 512 MiB: 4 of 40 maps are done, so reduces get 10 % (at most 25 %) of 8192 "
      "MiB until no map waits (rule CA-18)"};
  BOOST_TEST(notices(world) == expected, boost::test_tools::per_element());
  std::vector<GrantedContainer> grants;
  for (std::int64_t container = 15; container < 51; ++container) grants.push_back(MasterWorld::grant(container));
  world.say(world.cluster, world.master, AllocationAvailable{});
  world.respond(std::move(grants));
  BOOST_TEST(world.client.last<Notice>().text ==
             "no map waits for a container: all 8 reduces request containers (rule CA-17)");
  BOOST_TEST(world.client.count<Notice>() == 3);
}

BOOST_AUTO_TEST_CASE(a_wait_for_one_map_is_not_reported) {
  MasterWorld world;
  world.begin_with_reduces(2, 1);
  world.give({11, 12});
  world.run(11);
  world.run(12);
  world.finish_map(11, MasterWorld::attempt(0));
  world.say(world.cluster, world.master, AllocationAvailable{});
  world.respond({});
  BOOST_TEST(world.events().count("map_reduce_reduces_scheduled") == 1U);
  BOOST_TEST(world.client.count<Notice>() == 0);
}

BOOST_AUTO_TEST_CASE(a_preempted_reduce_is_reported_with_what_waits_and_what_is_free) {  // CA-25, C-E2-28
  MasterWorld world;
  world.begin_with_reduces(2, 1);
  world.give({11, 12});
  world.run(11);
  world.run(12);
  world.finish_map(11, MasterWorld::attempt(0));
  world.say(world.cluster, world.master, AllocationAvailable{});
  world.respond({MasterWorld::grant(21, reduce_priority)});
  world.say(world.run(21), world.master, AttemptProgress{21, MasterWorld::reduce(0), 0.25F});
  world.fail(12, MasterWorld::attempt(1), "command ended with code 3");
  world.say(world.cluster, world.master, AllocationAvailable{});
  AllocateResponse response;
  response.response_id = ++world.last_response;
  response.completed = {{ContainerId{12}, {1, {}, {}, {}}}};
  response.headroom = {100, 4};
  world.say(world.cluster, world.master, response);
  BOOST_TEST(world.client.last<Notice>().text ==
             "reduce 0 attempt 0: reduce attempt preempted to make room for waiting map attempts: 1 map waits for 512 "
             "MiB, and 100 MiB are free; of 1 running reduce 1 is preempted, least progress first, here 25 % (rule "
             "CA-25)");
}

BOOST_AUTO_TEST_CASE(the_wait_for_the_output_names_the_maps_that_wait) {
  MasterWorld world;
  world.background.is_held = true;
  world.begin(3);
  world.advance(1s);
  BOOST_TEST(world.client.last<JobProgress>().waiting == "its output is being set up: 3 maps wait for it (rule JB-8)");
}

BOOST_AUTO_TEST_CASE(a_job_that_is_cancelled_before_the_registration_names_the_maps_that_waited) {
  MasterWorld world;
  world.submit(1);
  world.say(world.client, world.master, CancelJob{JobId{1}, "cancelled"});
  BOOST_TEST(world.client.last<JobProgress>().waiting ==
             "the application is not registered yet: 1 map waits for it (rule JB-8)");
}

/// An answer of a cluster that has so many nodes.
void answer(MasterWorld& world, std::int32_t nodes, std::vector<GrantedContainer> grants = {},
            std::vector<CompletedContainer> ends = {}) {
  world.say(world.cluster, world.master, AllocationAvailable{});
  AllocateResponse response;
  response.response_id = ++world.last_response;
  response.allocated = std::move(grants);
  response.completed = std::move(ends);
  response.cluster_nodes = nodes;
  response.headroom = {8192, 4};
  world.say(world.cluster, world.master, response);
}

BOOST_AUTO_TEST_CASE(a_job_tells_that_it_avoids_a_host_and_when_it_uses_all_hosts_again) {
  MapReduceMasterStart start;
  start.allocator.exclusion.failures_per_host_max = 1;
  MasterWorld world{start};
  world.begin(1);
  answer(world, 4);
  answer(world, 4, {MasterWorld::grant(11)});
  world.run(11);
  world.fail(11, MasterWorld::attempt(0), "command ended with code 3");
  answer(world, 4, {}, {{ContainerId{11}, {}}});
  std::vector<std::string> expected{"the job avoids host a after 1 failed attempt there: 1 of 4 nodes (rule RR-4)"};
  BOOST_TEST(notices(world) == expected, boost::test_tools::per_element());
  answer(world, 3);
  answer(world, 3);
  expected.emplace_back(
      "the job uses all hosts again: 1 of 3 nodes has too many failed attempts, not less than 33 % (rule RR-5)");
  BOOST_TEST(notices(world) == expected, boost::test_tools::per_element());
  answer(world, 4);
  expected.emplace_back(
      "the job avoids hosts again: 1 of 4 nodes has too many failed attempts, less than 33 % (rule RR-5)");
  BOOST_TEST(notices(world) == expected, boost::test_tools::per_element());
  BOOST_TEST(world.events().count("map_reduce_hosts_avoided") == 3U);
}

/// A map fails on host a, which the job then avoids, in a cluster of so many nodes; two answers follow.
void fail_on_a(MasterWorld& world, std::int32_t nodes) {
  world.begin(1);
  answer(world, nodes);
  answer(world, nodes, {MasterWorld::grant(11)});
  world.run(11);
  world.fail(11, MasterWorld::attempt(0), "command ended with code 3");
  answer(world, nodes, {}, {{ContainerId{11}, {}}});
  answer(world, nodes);
}

BOOST_AUTO_TEST_CASE(in_a_cluster_of_three_nodes_one_notice_says_that_a_failing_host_stays_in_use) {
  for (const std::int32_t nodes : {1, 2, 3}) {
    MapReduceMasterStart start;
    start.allocator.exclusion.failures_per_host_max = 1;
    MasterWorld world{start};
    fail_on_a(world, nodes);
    const auto of = "1 of " + std::to_string(nodes) + (nodes == 1 ? " node" : " nodes");
    std::vector<std::string> expected{"host a has 1 failed attempt (rule RR-4), but the job uses all hosts: " + of +
                                      " has so many, not less than 33 % (rule RR-5)"};
    BOOST_TEST(notices(world) == expected, boost::test_tools::per_element());
    BOOST_TEST(world.events().count("map_reduce_hosts_avoided") == 2U);
    answer(world, 4);
    expected.emplace_back(
        "the job avoids hosts again: 1 of 4 nodes has too many failed attempts, less than 33 % (rule RR-5)");
    BOOST_TEST(notices(world) == expected, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(without_a_bound_for_exclusions_a_small_cluster_avoids_a_host_too) {
  MapReduceMasterStart start;
  start.allocator.exclusion = {true, 1, -1};
  MasterWorld world{start};
  fail_on_a(world, 2);
  const std::vector<std::string> expected{
      "the job avoids host a after 1 failed attempt there: 1 of 2 nodes (rule RR-4)"};
  BOOST_TEST(notices(world) == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_host_that_fails_while_exclusions_are_ignored_stays_in_use) {
  BOOST_TEST(
      avoided_host_text("b", {2, 3, true}, {}) ==
      "host b has 3 failed attempts (rule RR-4), but the job uses all hosts: 2 of 3 nodes have so many, not less than "
      "33 % (rule RR-5)");
}

BOOST_AUTO_TEST_CASE(the_text_about_lost_nodes_names_each_node_and_counts_attempts_and_maps) {
  LostWork lost{{{NodeId{1}, "a", NodeCondition::lost}, {NodeId{2}, "b", NodeCondition::unhealthy}}, 1, 0, 3, 4};
  BOOST_TEST(lost_work_text(lost) ==
             "node a is lost, node b is unhealthy: 1 running attempt there is killed (rule CA-14)");
  lost.maps = 5;
  BOOST_TEST(lost_work_text(lost) ==
             "node a is lost, node b is unhealthy: 1 running attempt there is killed (rule CA-14), and 5 finished maps "
             "run again, because 3 of 4 reduces have not ended (rule JB-7)");
}

BOOST_AUTO_TEST_CASE(what_maps_leave_free_is_named_beside_the_part_of_reduces) {
  policies::ReduceScheduleInput input;
  input.load.map = {256, 1};
  input.load.reduce = {256, 2};
  input.load.headroom = {2048, 16};
  input.load.scheduled_maps = 2;
  input.load.scheduled_reduces = 3;
  input.load.schedule_cores = true;
  input.total_maps = 4;
  input.completed_maps = 2;
  input.pending_reduces = 1;
  input.ramp_up_limit = 0.25F;
  BOOST_TEST(ramp_up_text(input) ==
             "3 of 4 reduces request containers of 256 MiB and 2 cores: 2 of 4 maps are done, so reduces get 25 % (at "
             "most 25 %) of 2048 MiB and 16 cores and 1024 MiB and 10 cores that maps leave until no map waits (rules "
             "CA-18, CA-19)");
}

}  // namespace
}  // namespace decision_texts_test
}  // namespace heddle::actors
