// Goal: the numbered cases of Hadoop's tests of its container allocator (E2) hold for the live role: which containers
// it requests, and which reduces give way to maps. Method: a fake ResourceManager that answers with given resources
// around one MapReduceMaster, virtual time.
#include <boost/test/unit_test.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/actors/map_reduce_master/answering_world.hpp"

namespace heddle::actors {
namespace numbered_allocator_cases_test {
namespace {

constexpr std::int64_t gib = 1024;

std::vector<GrantedContainer> grants(std::int64_t first, std::int64_t count, std::int32_t priority = map_priority) {
  std::vector<GrantedContainer> made;
  for (std::int64_t i = 0; i < count; ++i) made.push_back(MasterWorld::grant(first + i, priority));
  return made;
}

BOOST_AUTO_TEST_CASE(containers_are_matched_with_the_hosts_of_the_maps_first) {  // C-E2-02
  AnsweringWorld world;
  world.register_application();
  world.submit_near({{"h1"}, {"h1"}, {"h2"}}, 0);
  world.answer(
      {AnsweringWorld::grant_on(11, "h3"), AnsweringWorld::grant_on(12, "h1"), AnsweringWorld::grant_on(13, "h1")});
  std::vector<std::int32_t> maps;
  for (const std::int64_t container : {11, 12, 13})
    maps.push_back(world.run(container).last<RunAttempt>().launch.attempt.task);
  BOOST_TEST(maps == (std::vector<std::int32_t>{2, 0, 1}), boost::test_tools::per_element());
}

/// One of two maps has ended, the other one has failed and waits for a container; a reduce runs in container 21.
struct WaitingMap : AnsweringWorld {
  explicit WaitingMap(const MapReduceMasterStart& start = {}) : AnsweringWorld{start} {
    begin_with_reduces(2, 1);
    answer(grants(11, 2));
    run(11);
    run(12);
    end_map(11, attempt(0));
    answer({grant(21, reduce_priority)});
    run(21);
  }
  void fail_map(const Resource& room) {
    headroom = room;
    fail(12, attempt(1), "exit code 3");
    answer({}, {ended(12, 1)});
  }
};

// C-E2-03, C-E2-28: the reduce is stopped, and its client hears why.
BOOST_AUTO_TEST_CASE(a_running_reduce_gives_way_to_a_map_without_room) {
  WaitingMap world;
  world.fail_map({0, 4});
  BOOST_TEST_REQUIRE(world.node.count<StopContainer>() == 1);
  BOOST_TEST((world.node.last<StopContainer>().container == ContainerId{21}));
  const std::string reason = "reduce 0 attempt 0: reduce attempt preempted to make room for waiting map attempts: ";
  BOOST_TEST(world.client.last<Notice>().text.find(reason) == 0U);
  WaitingMap roomy;
  roomy.fail_map({512, 4});
  BOOST_TEST(roomy.node.count<StopContainer>() == 0);
}

// C-E2-04: only after the map has waited longer than the delay. C-E2-05: or longer than the unconditional one, with
// room or not.
BOOST_AUTO_TEST_CASE(a_running_reduce_gives_way_only_after_the_delay) {
  for (const bool has_room : {false, true}) {
    MapReduceMasterStart start;
    start.allocator.preempt_delay_sec = has_room ? 4 : 2;
    start.allocator.unconditional_preempt_delay_sec = has_room ? 2 : 300;
    WaitingMap world{start};
    world.fail_map(has_room ? Resource{8192, 4} : Resource{0, 4});
    world.advance(2s);
    world.answer();
    BOOST_TEST(world.node.count<StopContainer>() == 0);
    world.advance(1ms);
    world.answer();
    BOOST_TEST(world.node.count<StopContainer>() == 1);
  }
}

/// Ten maps and 20 reduces of 512 MiB and 1 core each; reduces start after two maps. `ended` maps have ended, the next
/// one runs, and the others wait. There is no room.
struct RampUp : AnsweringWorld {
  explicit RampUp(std::int32_t ended_maps, const ResourceKinds& counted = {ResourceKind::memory})
      : AnsweringWorld{starting_at(0.2F)} {
    headroom = {0, 0};
    say(application, master, StartAllocating{{8192, 4}, "secret", counted});
    submit_near(std::vector<std::vector<std::string>>(10), 20);
    answer(grants(11, ended_maps + 1));
    for (std::int32_t map = 0; map <= ended_maps; ++map) run(11 + map);
    for (std::int32_t map = 0; map < ended_maps; ++map) end_map(11 + map, attempt(map));
  }
  static MapReduceMasterStart starting_at(float part) {
    MapReduceMasterStart start;
    start.allocator.slow_start = part;
    return start;
  }
  std::int64_t reduces_asked_with(const Resource& room) {
    headroom = room;
    answer();
    return asked_with(reduce_priority);
  }
};

// C-E2-06: also if no map waits. C-E2-12: the next completed map changes the decision.
BOOST_AUTO_TEST_CASE(no_reduce_is_requested_before_enough_maps_have_ended) {
  RampUp world{1};
  BOOST_TEST(world.reduces_asked_with({100 * gib, 100}) == 0);
  world.answer(grants(13, 8));
  BOOST_TEST(world.asked_with(map_priority) == 0);
  BOOST_TEST(world.asked_with(reduce_priority) == 0);
  world.end_map(12, MasterWorld::attempt(1));
  BOOST_TEST(world.asked_with(reduce_priority) == 20);
}

BOOST_AUTO_TEST_CASE(reduces_start_once_also_without_room) {  // C-E2-07
  RampUp world{2};
  for (int i = 0; i < 2; ++i) BOOST_TEST(world.reduces_asked_with({0, 0}) == 0);
  BOOST_TEST_REQUIRE(world.client.count<Notice>() == 1);
  BOOST_TEST(world.client.last<Notice>().text ==
             "reduces may request containers: 2 of 10 maps are done, and 2 are needed (rule CA-16)");
}

// C-E2-08: 30 % of 10 GiB and what seven maps leave. C-E2-09: of 6 GiB. C-E2-10: 30 % of 3667 MiB, which maps need.
BOOST_AUTO_TEST_CASE(reduces_get_their_part_and_what_maps_leave) {
  RampUp world{3};
  BOOST_TEST(world.reduces_asked_with({10 * gib - 512, 100}) == 13);
  BOOST_TEST(world.reduces_asked_with({6 * gib - 512, 100}) == 5);
  world.rest();
  world.headroom = {3667 - 3 * 512, 100};
  world.answer(grants(21, 2, reduce_priority));
  BOOST_TEST(world.asked_with(reduce_priority) == 1);  // beside the two that have containers
}

BOOST_AUTO_TEST_CASE(the_scarcer_of_memory_and_cores_decides_about_reduces) {  // C-E2-11
  for (const auto& [room, requested] : {std::pair{Resource{100 * gib, 4}, 1}, {Resource{6 * gib - 512, 100}, 5}}) {
    RampUp world{3, {ResourceKind::memory, ResourceKind::cores}};
    BOOST_TEST(world.reduces_asked_with({10 * gib - 512, 100}) == 13);
    BOOST_TEST(world.reduces_asked_with(room) == requested);
  }
}

BOOST_AUTO_TEST_CASE(maps_and_reduces_share_the_progress_that_the_resource_manager_gets) {  // C-E2-13
  AnsweringWorld world;
  const auto check_progress = [&world](float expected) {
    BOOST_TEST(world.ask().progress == expected, boost::test_tools::tolerance(0.001F));
  };
  world.begin_with_reduces(10, 10);
  world.answer(grants(11, 10));
  for (std::int64_t container = 11; container < 21; ++container) world.run(container);
  check_progress(0.05F);
  for (std::int32_t map = 0; map < 10; ++map) {
    world.end_map(11 + map, MasterWorld::attempt(map));
    if (map == 0) check_progress(0.095F);
    if (map == 7) check_progress(0.41F);
  }
  check_progress(0.5F);
  world.answer(grants(31, 10, reduce_priority));
  for (std::int32_t reduce = 0; reduce < 9; ++reduce) {
    world.run(31 + reduce);
    world.done(31 + reduce, MasterWorld::reduce(reduce));
    if (reduce == 1) check_progress(0.59F);
  }
  check_progress(0.905F);
}

/// Hosts that the job avoids and uses again, as the requests say it: "1,0 " for each request with one of them.
std::string exclusions(const AnsweringWorld& world) {
  std::string text;
  for (const auto& request : world.cluster.all<AllocateRequest>())
    if (!request.exclusion_add.empty() || !request.exclusion_remove.empty())
      text +=
          std::to_string(request.exclusion_add.size()) + "," + std::to_string(request.exclusion_remove.size()) + " ";
  return text;
}

// C-E2-17: one host of one node; of four nodes; two hosts of four; three hosts of ten.
BOOST_AUTO_TEST_CASE(hosts_are_avoided_until_they_are_too_many) {
  MapReduceMasterStart start;
  start.allocator.exclusion.failures_per_host_max = 1;
  start.machines.map_task.attempts_max = 10;
  AnsweringWorld world{start};
  world.begin(1);
  std::int32_t failures = 0;
  const auto fail_on = [&](const std::string& host) {
    const std::int64_t container = 11 + failures;
    world.answer({AnsweringWorld::grant_on(container, host, failures == 0 ? map_priority : failed_map_priority)});
    world.run(container);
    world.fail(container, MasterWorld::attempt(0, failures++), "exit code 3");
  };
  const auto grow_to = [&](std::int32_t nodes) {
    world.nodes = nodes;
    world.answer();
    world.ask();
    return exclusions(world);
  };
  fail_on("h1");
  BOOST_TEST(grow_to(1) == "1,0 0,1 ");
  for (const std::int32_t nodes : {2, 3}) BOOST_TEST(grow_to(nodes) == "1,0 0,1 ");
  BOOST_TEST(grow_to(4) == "1,0 0,1 1,0 ");
  fail_on("h2");
  BOOST_TEST(grow_to(4) == "1,0 0,1 1,0 1,0 0,2 ");
  fail_on("h3");
  for (std::int32_t nodes = 5; nodes < 10; ++nodes) BOOST_TEST(grow_to(nodes) == "1,0 0,1 1,0 1,0 0,2 ", nodes);
  BOOST_TEST(grow_to(10) == "1,0 0,1 1,0 1,0 0,2 3,0 ");
}

// C-E2-18; C-E2-19: no limit if it is not below the number of maps.
BOOST_AUTO_TEST_CASE(a_limit_of_running_maps_bounds_what_is_requested) {
  for (const std::int32_t limit : {5, 3}) {
    MapReduceMasterStart start;
    start.allocator.running_map_limit = limit;
    AnsweringWorld world{start};
    world.begin(5);
    BOOST_TEST(world.asked_with(map_priority) == limit);
    if (limit == 5) continue;
    const auto end = [&world](std::int64_t container) {
      world.run(container);
      world.done(container, world.child(container).last<RunAttempt>().launch.attempt);
    };
    world.answer({MasterWorld::grant(11)});
    BOOST_TEST(world.asked_with(map_priority) == 2);
    end(11);
    world.answer({}, {AnsweringWorld::ended(11)});
    BOOST_TEST(world.asked_with(map_priority) == 3);
    world.answer(grants(12, 3));
    BOOST_TEST(world.asked_with(map_priority) == 0);
    end(12);
    end(13);
    world.answer({}, {AnsweringWorld::ended(12), AnsweringWorld::ended(13)});
    BOOST_TEST(world.asked_with(map_priority) == 1);
  }
}

/// Both maps have ended, two reduces are requested, and then the outputs of the maps are lost with their node.
struct LostMaps : AnsweringWorld {
  LostMaps() {
    begin_with_reduces(2, 2);
    answer(grants(11, 2));
    for (const std::int32_t map : {0, 1}) {
      run(11 + map);
      end_map(11 + map, attempt(map));
    }
    BOOST_TEST(asked_with(reduce_priority) == 2);
  }
  std::int64_t lose_node(const Resource& room) {
    headroom = room;
    answer({}, {}, {{NodeId{5}, "a", NodeCondition::lost}});
    BOOST_TEST(asked_with(failed_map_priority) == 2);
    return asked_with(reduce_priority);
  }
};

// C-E2-20: without any room. C-E2-21: with room for the reduces, but not for a map beside them.
BOOST_AUTO_TEST_CASE(requested_reduces_are_withdrawn_if_a_map_has_no_room_beside_them) {
  for (const auto& [memory_mib, requested] : {std::pair{3 * 512, 2}, {2 * 512, 0}, {0, 0}}) {
    LostMaps world;
    BOOST_TEST(world.lose_node({memory_mib, 4}) == requested, memory_mib);
    BOOST_TEST(world.node.count<StopContainer>() == 0);
  }
}

BOOST_AUTO_TEST_CASE(a_running_reduce_gives_way_if_the_requested_one_is_not_enough) {  // C-E2-22
  LostMaps world;
  world.answer({AnsweringWorld::grant_on(21, "b", reduce_priority)});
  world.run(21);
  BOOST_TEST(world.lose_node({600, 4}) == 0);
  BOOST_TEST(world.node.count<StopContainer>() == 1);
}

}  // namespace
}  // namespace numbered_allocator_cases_test
}  // namespace heddle::actors
