// Goal: each attempt gets at most one container, near its data if possible, and asks follow from the waiting attempts.
// Method: the numbered cases of the specification with scripted answers, then random histories with invariants after
// each event.
#include "policies/map_reduce/map_reduce_allocator.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "model/random_stream.hpp"
#include "policies/map_reduce/map_reduce_events.hpp"
#include "policies/map_reduce/map_reduce_requests.hpp"

namespace map_reduce_allocator_test {

using namespace heddle;
using namespace heddle::policies;

namespace {

struct World {
  explicit World(MapReduceAllocatorSettings settings) : allocator{settings, racks()} {}

  static RackTable racks() {
    RackTable table;
    for (int i = 1; i <= 6; ++i) table.set("h" + std::to_string(i), "/r" + std::to_string((i + 1) / 2));
    return table;
  }
  static MapReduceAttempt map(std::int32_t index, std::int32_t attempt = 0) { return {false, index, attempt}; }
  static MapReduceAttempt reduce(std::int32_t index) { return {true, index, 0}; }
  void want_map(std::int32_t index, std::vector<std::string> hosts, bool failed = false) {
    allocator.on_map_request(now, map(index, failed ? 1 : 0), {1024, 1}, std::move(hosts), failed, effects);
  }
  void want_reduce(std::int32_t index) { allocator.on_reduce_request(reduce(index), {1024, 1}, false, effects); }
  MapReduceCall beat(std::vector<std::pair<std::string, std::int32_t>> granted = {},
                     std::vector<CompletedContainer> ended = {}) {
    auto call = allocator.next_call();
    MapReduceAnswer answer;
    answer.response_id = ++responses;
    answer.headroom = headroom;
    answer.cluster_nodes = nodes;
    for (const auto& [host, priority] : granted)
      answer.granted.push_back({ContainerId{next_container++}, host, priority, {1024, 1}});
    answer.completed = std::move(ended);
    effects.clear();
    allocator.on_answer(now, answer, effects);
    allocator.check_invariants();
    return call;
  }
  std::string assigned() const {
    std::string line;
    for (const auto& effect : effects)
      if (const auto* one = std::get_if<AssignContainer>(&effect))
        line +=
            to_string(one->container) + (one->attempt.is_reduce ? "r" : "m") + std::to_string(one->attempt.index) + " ";
    return line;
  }
  static std::int32_t count_at(const MapReduceCall& call, const std::string& name,
                               MapReducePriority priority = MapReducePriority::map) {
    for (const auto& ask : call.asks)
      if (ask.name == name && ask.priority == priority) return ask.count;
    return -1;
  }

  MapReduceAllocator allocator;
  MapReduceEffects effects;
  Instant now{};
  Resource headroom{8192, 100};
  std::int32_t nodes = 10;
  std::int32_t responses = 0;
  std::int64_t next_container = 1;
};

MapReduceAllocatorSettings job_of(std::int32_t maps, std::int32_t reduces) {
  MapReduceAllocatorSettings settings;
  settings.total_maps = maps;
  settings.total_reduces = reduces;
  return settings;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(map_reduce_allocator)

BOOST_AUTO_TEST_CASE(asks_are_absolute_and_told_once) {  // C-E2-01
  World world{job_of(3, 0)};
  world.want_map(1, {"h1"});
  world.want_map(2, {"h2"});
  BOOST_TEST(world.beat().asks.size() == 4U);
  world.want_map(3, {"h3"});
  BOOST_TEST(world.beat().asks.size() == 3U);
  BOOST_TEST(world.beat({{"h1", 20}, {"h2", 20}, {"h3", 20}}).asks.empty());
  BOOST_TEST(world.assigned() == "1m1 2m2 3m3 ");
  const auto call = world.beat();
  BOOST_TEST(call.asks.size() == 6U);
  BOOST_TEST(World::count_at(call, "*") == 0);
}

BOOST_AUTO_TEST_CASE(a_killed_reduce_that_waits_for_maps_gets_no_container_later) {
  for (const bool mends : {false, true}) {
    auto settings = job_of(1, 1);
    settings.mends_requests = mends;
    World world{settings};
    world.want_map(1, {});
    world.want_reduce(1);
    world.beat();
    world.allocator.on_deallocate(World::reduce(1));
    world.beat({{"h1", 20}});
    world.allocator.on_job_progress(1, 0);
    world.beat({}, {{ContainerId{1}, {}}});
    const auto call = world.beat();
    BOOST_TEST(World::count_at(call, "*", MapReducePriority::reduce) == (mends ? -1 : 1));
    BOOST_TEST(world.allocator.counts().scheduled_reduces == (mends ? 0 : 1));
  }
}

BOOST_AUTO_TEST_CASE(a_request_whose_container_goes_to_a_failed_map_is_sent_again) {
  for (const bool repeats : {false, true}) {
    auto settings = job_of(2, 0);
    settings.mends_requests = repeats;
    World world{settings};
    world.want_map(1, {}, true);
    world.want_map(2, {"h1"});
    BOOST_TEST(World::count_at(world.beat({{"h1", 20}}), "*", MapReducePriority::failed_map) == 1);
    BOOST_TEST(world.assigned() == "1m2 ");
    world.want_map(3, {"h2"});
    static_cast<void>(world.beat());
    // The ResourceManager granted it before the request of the failed map arrived.
    BOOST_TEST(World::count_at(world.beat({{"h5", 20}}), "*") == -1);
    BOOST_TEST(world.assigned() == "2m1 ");
    const auto call = world.beat();
    BOOST_TEST(World::count_at(call, "*", MapReducePriority::failed_map) == 0);
    BOOST_TEST(World::count_at(call, "*") == (repeats ? 1 : -1));  // map 3 still waits
    BOOST_TEST(World::count_at(call, "h2") == -1);
  }
}

// C-Y-139: room is computed from the resources that the answer to the registration names, and ignores all others.
BOOST_AUTO_TEST_CASE(a_grant_without_cores_will_do_where_cores_are_not_counted) {
  for (const bool counts_cores : {false, true}) {
    World world{job_of(1, 0)};
    ResourceKinds counted{ResourceKind::memory};
    if (counts_cores) counted.push_back(ResourceKind::cores);
    world.allocator.on_registered({2048, 4}, counted);
    world.allocator.on_map_request(world.now, World::map(1), {1024, 2}, {"h1"}, false, world.effects);
    world.beat({{"h1", 20}});
    BOOST_TEST(world.assigned() == (counts_cores ? "" : "1m1 "));
    world.allocator.on_registered({512, 4}, counted);
    world.effects.clear();
    world.allocator.on_map_request(world.now, World::map(2), {1024, 2}, {"h1"}, false, world.effects);
    BOOST_TEST(std::holds_alternative<KillJob>(world.effects.at(0)));
  }
}

BOOST_AUTO_TEST_CASE(hosts_are_matched_before_racks_and_any) {  // C-E2-02
  World world{job_of(3, 0)};
  world.want_map(1, {"h1"});
  world.want_map(2, {"h1"});
  world.want_map(3, {"h2"});
  world.beat({{"h3", 20}, {"h1", 20}, {"h1", 20}});
  BOOST_TEST(world.assigned() == "2m1 3m2 1m3 ");
}

BOOST_AUTO_TEST_CASE(maps_of_excluded_hosts_run_elsewhere) {  // C-E2-16
  auto settings = job_of(3, 0);
  settings.exclusion.failures_per_host_max = 1;
  settings.exclusion.ignore_percent = -1;
  World world{settings};
  world.want_map(1, {"h1"});
  world.want_map(2, {"h2"});
  world.want_map(3, {"h3"});
  const auto asked = world.beat();
  for (const char* host : {"h1", "h2", "h3"}) BOOST_TEST(World::count_at(asked, host) == 1, host);
  world.allocator.on_attempt_failed("h1");
  world.allocator.on_attempt_failed("h2");
  const auto told = world.beat();
  BOOST_TEST((told.exclude == std::vector<std::string>{"h1", "h2"}));
  BOOST_TEST(told.include.empty());
  for (int i = 0; i < 2; ++i) {
    const auto next = world.beat(i == 0 ? std::vector<std::pair<std::string, std::int32_t>>{}
                                        : std::vector<std::pair<std::string, std::int32_t>>(3, {"h3", 20}));
    BOOST_TEST((next.exclude.empty() && next.include.empty()));
  }
  std::string indexes;
  for (const auto& effect : world.effects)
    if (const auto* one = std::get_if<AssignContainer>(&effect)) indexes += std::to_string(one->attempt.index);
  std::sort(indexes.begin(), indexes.end());
  BOOST_TEST(indexes == "123");
}

BOOST_AUTO_TEST_CASE(hosts_with_failures_are_excluded_until_there_are_too_many) {  // C-E2-17
  auto settings = job_of(3, 0);
  settings.exclusion.failures_per_host_max = 1;
  World world{settings};
  const auto changes = [&] {
    const auto call = world.beat();
    return std::to_string(call.exclude.size()) + "," + std::to_string(call.include.size());
  };
  world.nodes = 1;
  world.allocator.on_attempt_failed("h1");
  BOOST_TEST(changes() == "1,0");
  BOOST_TEST(changes() == "0,1");
  for (const std::int32_t nodes : {2, 3}) {
    world.nodes = nodes;
    BOOST_TEST(changes() == "0,0");
  }
  world.nodes = 4;
  BOOST_TEST(changes() == "0,0");
  BOOST_TEST(changes() == "1,0");  // 25 %
  world.allocator.on_attempt_failed("h2");
  BOOST_TEST(changes() == "1,0");
  BOOST_TEST(changes() == "0,2");  // 50 %
  world.allocator.on_attempt_failed("h3");
  for (world.nodes = 5; world.nodes < 10; ++world.nodes) BOOST_TEST(changes() == "0,0", world.nodes << " nodes");
  BOOST_TEST(changes() == "0,0");
  BOOST_TEST(changes() == "3,0");  // 30 %
}

BOOST_AUTO_TEST_CASE(running_limits_bound_what_is_asked_anywhere) {  // C-E2-18, C-E2-19
  auto settings = job_of(5, 0);
  settings.running_map_limit = 3;
  World limited{settings};
  settings.running_map_limit = 5;
  World free{settings};
  for (auto* world : {&limited, &free})
    for (std::int32_t i = 0; i < 5; ++i) world->want_map(i, {"h1"});
  BOOST_TEST(World::count_at(free.beat(), "*") == 5);
  BOOST_TEST(World::count_at(limited.beat({{"h1", 20}}), "*") == 3);
  BOOST_TEST(World::count_at(limited.beat(), "*") == 2);
  limited.beat({}, {{ContainerId{1}, {0}}});
  BOOST_TEST(World::count_at(limited.beat(), "*") == 3);
}

// Failed maps that are no longer requested still count as failed, so that the limit would become negative: then there
// is no limit.
BOOST_AUTO_TEST_CASE(a_limit_that_falls_below_nothing_is_no_limit_and_is_said_each_time) {
  auto settings = job_of(5, 0);
  settings.running_map_limit = 2;
  World world{settings};
  for (std::int32_t i = 0; i < 2; ++i) world.want_map(i, {});
  world.beat({{"h1", 20}, {"h1", 20}});
  for (const std::int32_t i : {2, 3}) {
    world.want_map(i, {}, true);
    world.allocator.on_deallocate(World::map(i, 1));
  }
  world.want_map(4, {});
  for (int i = 0; i < 3; ++i) BOOST_TEST(World::count_at(world.beat(), "*") == 1);
}

BOOST_AUTO_TEST_CASE(scheduled_reduces_are_withdrawn_when_a_map_has_no_room) {  // C-E2-20, C-E2-21, C-E2-22
  World world{job_of(2, 2)};
  world.allocator.on_job_progress(2, 0);
  world.want_reduce(0);
  world.want_reduce(1);
  world.beat();
  BOOST_TEST(world.allocator.counts().scheduled_reduces == 2);
  world.want_map(0, {"h1"}, true);
  world.headroom = {0, 0};
  world.beat();
  BOOST_TEST(world.allocator.counts().scheduled_reduces == 0);
  BOOST_TEST(world.allocator.counts().pending_reduces == 2);
}

BOOST_AUTO_TEST_CASE(a_resync_says_everything_again) {  // C-E2-23
  World world{job_of(2, 0)};
  world.want_map(0, {"h1"});
  world.allocator.on_attempt_failed("h2");
  world.beat({{"h9", 7}});
  world.beat();
  static_cast<void>(world.allocator.next_call());
  world.allocator.on_not_registered(world.now, world.effects);
  const auto call = world.allocator.next_call();
  BOOST_TEST(call.response_id == 0);
  BOOST_TEST(call.asks.size() == 3U);
  BOOST_TEST(call.releases.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_size_that_no_node_has_ends_the_job) {  // C-E2-24
  World world{job_of(1, 1)};
  world.allocator.on_map_request(world.now, World::map(0), {99999, 1}, {}, false, world.effects);
  world.allocator.on_reduce_request(World::reduce(0), {1, 99}, false, world.effects);
  BOOST_TEST(std::get<KillJob>(world.effects.at(0)).is_reduce == false);
  BOOST_TEST(std::get<KillJob>(world.effects.at(1)).is_reduce == true);
  BOOST_TEST(world.beat().asks.empty());
}

BOOST_AUTO_TEST_CASE(an_end_by_the_cluster_is_a_kill) {  // C-E2-26
  const std::vector<std::pair<std::int32_t, bool>> rows{{0, false},   {1, false},   {-100, true},
                                                        {-102, true}, {-108, true}, {-105, false}};
  for (const auto& [status, killed] : rows) {
    World world{job_of(1, 0)};
    world.want_map(0, {});
    world.beat({{"h1", 20}});
    world.beat({}, {{ContainerId{1}, {status}}});
    BOOST_TEST(std::get<NotifyContainerEnded>(world.effects.at(0)).killed == killed);
  }
}

BOOST_AUTO_TEST_CASE(reduces_are_planned_anew_when_something_changed) {  // C-E2-12
  auto settings = job_of(10, 2);
  settings.slow_start = 0.2F;
  World world{settings};
  world.want_map(0, {});
  world.want_reduce(0);
  world.allocator.on_job_progress(1, 0);
  world.beat({{"h1", 20}});
  world.beat();
  BOOST_TEST(!world.allocator.counts().reduce_started);
  // One more map completes: with two of ten complete, reduces start.
  world.allocator.on_job_progress(2, 0);
  world.beat();
  BOOST_TEST(world.allocator.counts().reduce_started);
  BOOST_TEST(world.allocator.counts().scheduled_reduces == 1);
}

BOOST_AUTO_TEST_CASE(an_unusable_node_is_told_once_and_loses_what_runs_there) {  // C-E2-15
  World world{job_of(2, 0)};
  world.want_map(0, {});
  world.want_map(1, {});
  world.beat({{"h1", 20}, {"h1", 20}});
  world.beat({}, {{ContainerId{1}, {0}}});
  MapReduceAnswer answer;
  answer.response_id = ++world.responses;
  answer.headroom = world.headroom;
  answer.cluster_nodes = world.nodes;
  answer.updated_nodes = {{NodeId{1}, "h1", NodeCondition::unhealthy}};
  world.effects.clear();
  world.allocator.on_answer(world.now, answer, world.effects);
  BOOST_TEST_REQUIRE(world.effects.size() == 2U);
  BOOST_TEST(std::holds_alternative<NotifyUpdatedNodes>(world.effects[0]));
  const auto& kill = std::get<KillMapReduceAttempt>(world.effects[1]);
  BOOST_TEST(kill.attempt.index == 1);
  BOOST_TEST((kill.reason == AttemptKillReason::unusable_node));
  BOOST_TEST(kill.reschedule);
  world.beat();
  BOOST_TEST(world.effects.empty());
}

BOOST_AUTO_TEST_CASE(a_reduce_that_makes_room_is_told_why) {  // C-E2-28
  World world{job_of(2, 1)};
  world.headroom = {1024, 100};
  world.allocator.on_job_progress(1, 0);
  world.want_reduce(0);
  world.beat();
  world.beat({{"h1", 10}});
  BOOST_TEST_REQUIRE(world.allocator.counts().assigned_reduces == 1);
  world.headroom = {0, 0};
  world.want_map(0, {});
  world.now += std::chrono::seconds{1};
  world.beat();
  const auto kill = std::find_if(world.effects.begin(), world.effects.end(), [](const auto& effect) {
    return std::holds_alternative<KillMapReduceAttempt>(effect);
  });
  BOOST_TEST_REQUIRE((kill != world.effects.end()));
  const auto& killed = std::get<KillMapReduceAttempt>(*kill);
  BOOST_TEST((killed.attempt == World::reduce(0)));
  BOOST_TEST(diagnostic_text(killed.reason) == "reduce attempt preempted to make room for waiting map attempts");
  BOOST_TEST(!killed.reschedule);
}

BOOST_AUTO_TEST_CASE(explains_what_a_reduce_waits_for) {
  World world{job_of(10, 2)};
  BOOST_TEST((world.allocator.explain(World::reduce(0)) == MapReduceRefusal::unknown));
  world.want_reduce(0);
  world.want_map(0, {});
  BOOST_TEST((world.allocator.explain(World::reduce(0)) == MapReduceRefusal::waits_for_slow_start));
  BOOST_TEST((world.allocator.explain(World::map(0)) == MapReduceRefusal::waits_for_container));
  world.beat({{"h1", 20}});
  BOOST_TEST((world.allocator.explain(World::map(0)) == MapReduceRefusal::has_container));
}

BOOST_AUTO_TEST_CASE(nothing_is_assigned_twice_on_random_histories) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    RandomStream random{seed};
    World world{job_of(30, 8)};
    std::set<ContainerId> used;
    std::set<MapReduceAttempt> served;
    for (std::int32_t step = 0; step < 60; ++step) {
      if (step < 30) world.want_map(step, {"h" + std::to_string(1 + random.below(6))}, random.chance(1, 5));
      if (step < 8) world.want_reduce(step);
      if (random.chance(1, 9)) world.allocator.on_attempt_failed("h" + std::to_string(1 + random.below(6)));
      world.allocator.on_job_progress(step / 2, 0);
      std::vector<std::pair<std::string, std::int32_t>> granted;
      constexpr std::int32_t priorities[] = {5, 10, 20, 20, 7};
      for (std::uint64_t i = random.below(4); i > 0; --i)
        granted.emplace_back("h" + std::to_string(1 + random.below(6)), priorities[random.below(5)]);
      world.beat(granted);
      for (const auto& effect : world.effects) {
        const auto* one = std::get_if<AssignContainer>(&effect);
        if (one == nullptr) continue;
        BOOST_TEST_INFO("seed " << seed << " step " << step);
        BOOST_TEST((used.insert(one->container).second && served.insert(one->attempt).second));
      }
      world.now += std::chrono::seconds{1};
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace map_reduce_allocator_test
