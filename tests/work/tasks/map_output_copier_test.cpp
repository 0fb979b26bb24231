// Goal: each map output is added once, as soon as its location is known; a lost one ends the task or is copied again,
// as the rules say. Method: a fetch that fails as planned, rules that record their calls, tables set from callbacks.
#include "work/tasks/map_output_copier.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <future>
#include <set>
#include <thread>

namespace map_output_copier_test {
namespace {

using namespace heddle;
using namespace heddle::work;
using namespace std::chrono_literals;
using Maps = std::vector<std::int32_t>;

constexpr auto expected = ports::ShuffleLocations::expected;
constexpr auto not_wanted = ports::ShuffleLocations::not_wanted;
const ShuffleId shuffle{5};

MapOutputLocation place(const std::string& host) {
  MapOutputLocation location;
  location.host = host;
  location.address = host + ":1";
  return location;
}

/// Hands out empty segments.
class PlannedFetch final : public ports::ShuffleFetch {
public:
  bool fetch(const ports::FetchRequest& request, const std::function<bool(ports::FetchedSegment)>& on_segment,
             ports::FetchFailure& failure) override {
    ++calls;
    if (on_call) on_call(calls);
    const auto& table = request.locations;
    for (std::size_t map = 0; map < table.place_of_map.size(); ++map) {
      if (table.place_of_map[map] < 0) continue;
      const auto& at = table.places[static_cast<std::size_t>(table.place_of_map[map])];
      if (--failures[at.host] >= 0) {
        failure = {static_cast<std::int32_t>(map), at, at.host + " is gone", true, error};
        return false;
      }
      ports::FetchedSegment segment;
      segment.map = static_cast<std::int32_t>(map);
      if (!on_segment(std::move(segment))) return false;
    }
    return true;
  }

  std::map<std::string, int> failures;  // fetches that fail, by host
  CopyError error = CopyError::read;
  std::function<void(int call)> on_call;
  int calls = 0;
};

class PlannedRules final : public ports::CopyRules {
public:
  void on_longest_map(Duration run_time) override { longest_map = run_time; }
  void on_copied(std::int32_t map, const std::string& host) override { copied.emplace_back(map, host); }
  ports::CopyVerdict on_copy_failed(std::int32_t map, const std::string&, CopyError) override {
    failed.push_back(map);
    return {static_cast<int>(failed.size()) > failures_max ? "too many copies failed" : "", host_wait};
  }
  Duration host_wait = 1ms;
  int failures_max = 1000;
  Duration longest_map{0};
  Maps failed;
  std::vector<std::pair<std::int32_t, std::string>> copied;
};

struct World {
  PlannedFetch fetch;
  PlannedRules rules;
  LocationTables tables;
  std::atomic<bool> is_killed{false};
  Maps added;
  std::set<std::int32_t> damaged;  // next copy of these maps

  void set(std::vector<std::string> hosts, Maps place_of_map) {
    auto table = std::make_shared<ports::ShuffleLocations>();
    table->shuffle = shuffle;
    for (const auto& host : hosts) table->places.push_back(place(host));
    table->place_of_map = std::move(place_of_map);
    tables.set(std::move(table));
  }
  CopyEnd copy(bool with_rules = true) {
    MapOutputCopier copier{{shuffle, 0, -1, with_rules ? &rules : nullptr},
                           fetch,
                           tables,
                           is_killed,
                           [this](ports::FetchedSegment segment) -> std::optional<SegmentFault> {
                             if (damaged.erase(segment.map) > 0)
                               return SegmentFault{Error{Errc::corrupt, "a wrong checksum"}, true};
                             added.push_back(segment.map);
                             return std::nullopt;
                           }};
    return copier.copy();
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(each_output_is_added_once_when_its_location_arrives) {
  for (const bool with_rules : {false, true}) {
    World world;
    world.set({"a"}, {expected, 0, expected, not_wanted});
    world.fetch.on_call = [&world](int call) {
      if (call == 1) world.set({"a", "b"}, {expected, 0, 1, not_wanted});
      if (call == 2) world.set({"a", "b"}, {1, 0, 1, not_wanted});
    };
    BOOST_TEST((world.copy(with_rules).kind == CopyEnd::Kind::copied));
    BOOST_TEST(world.added == (Maps{1, 2, 0}), boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(the_rules_know_the_longest_map_of_each_table) {
  World world;
  world.set({"a"}, {0, expected});
  world.fetch.on_call = [&world](int call) {
    if (call > 1) return;
    auto table = std::make_shared<ports::ShuffleLocations>(*world.tables.latest(shuffle));
    table->place_of_map[1] = 0;
    table->longest_map = 40s;
    world.tables.set(std::move(table));
  };
  BOOST_TEST((world.copy().kind == CopyEnd::Kind::copied));
  BOOST_TEST((world.rules.longest_map == 40s));
}

BOOST_AUTO_TEST_CASE(without_rules_a_lost_output_ends_the_copying_unless_it_has_another_location) {
  World world;
  world.set({"a", "b"}, {0, 1});
  world.fetch.failures["b"] = 1;
  const auto end = world.copy(false);
  BOOST_TEST((end.kind == CopyEnd::Kind::lost));
  BOOST_TEST(end.failure.map == 1);
  BOOST_TEST(end.failure.at.host == "b");

  World moved;
  moved.set({"a", "b"}, {0, 1});
  moved.fetch.failures["b"] = 1;
  moved.fetch.on_call = [&moved](int call) {
    if (call == 1) moved.set({"a", "c"}, {0, 1});
  };
  BOOST_TEST((moved.copy(false).kind == CopyEnd::Kind::copied));
  BOOST_TEST(moved.added == (Maps{0, 1}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(with_rules_a_host_is_left_alone_and_the_others_are_copied_first) {
  World world;
  world.set({"a", "b"}, {0, 1, 1, 0});
  world.fetch.failures["a"] = 2;
  BOOST_TEST((world.copy().kind == CopyEnd::Kind::copied));
  BOOST_TEST(world.added == (Maps{1, 2, 0, 3}), boost::test_tools::per_element());
  BOOST_TEST(world.rules.failed == (Maps{0, 0}), boost::test_tools::per_element());
  BOOST_TEST(world.rules.copied.size() == 4U);
  BOOST_TEST(world.rules.copied[0].second == "b");
}

BOOST_AUTO_TEST_CASE(a_host_is_asked_again_if_its_wait_ends_during_copies_from_others) {
  World world;
  world.set({"a", "b"}, {0, 1, 1, 0});
  world.fetch.failures["a"] = 1;
  world.rules.host_wait = 1s;
  world.fetch.on_call = [](int call) {
    const auto until = std::chrono::steady_clock::now() + 1s;
    while (call == 2 && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  };
  auto end = std::async(std::launch::async, [&world] { return world.copy(); });
  const bool has_ended = end.wait_for(20s) == std::future_status::ready;
  BOOST_TEST(has_ended, "the copier waits for another table");
  world.is_killed = !has_ended;
  world.tables.wake();
  BOOST_TEST((end.get().kind == CopyEnd::Kind::copied));
  BOOST_TEST(world.added == (Maps{1, 2, 0, 3}), boost::test_tools::per_element());
  BOOST_TEST(world.fetch.calls == 3);
}

BOOST_AUTO_TEST_CASE(a_host_that_cannot_be_reached_counts_for_each_output_that_is_wanted_from_it) {
  World world;
  world.set({"a", "b"}, {1, 0, 1, 1});
  world.fetch.failures["b"] = 1;
  world.fetch.error = CopyError::connect;
  BOOST_TEST((world.copy().kind == CopyEnd::Kind::copied));
  BOOST_TEST(world.rules.failed == (Maps{0, 2, 3}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_rules_end_the_task_with_their_reason_and_the_output) {
  World world;
  world.set({"a"}, {0});
  world.fetch.failures["a"] = 100;
  world.rules.failures_max = 3;
  const auto end = world.copy();
  BOOST_TEST((end.kind == CopyEnd::Kind::lost));
  BOOST_TEST(end.failure.map == 0);
  BOOST_TEST(end.failure.text == "too many copies failed: a is gone");
  BOOST_TEST(world.rules.failed.size() == 4U);
}

BOOST_AUTO_TEST_CASE(a_damaged_output_is_a_failed_copy_with_rules_and_lost_without) {
  World world;
  world.set({"a"}, {0, 0});
  world.damaged = {1};
  BOOST_TEST((world.copy().kind == CopyEnd::Kind::copied));
  BOOST_TEST(world.added == (Maps{0, 1}), boost::test_tools::per_element());
  BOOST_TEST(world.rules.failed == Maps{1}, boost::test_tools::per_element());

  World strict;
  strict.set({"a"}, {0, 0});
  strict.damaged = {1};
  const auto end = strict.copy(false);
  BOOST_TEST((end.kind == CopyEnd::Kind::lost));
  BOOST_TEST(end.failure.map == 1);
  BOOST_TEST(end.failure.at.host == "a");
}

BOOST_AUTO_TEST_CASE(a_map_that_was_given_up_is_not_waited_for) {
  World world;
  world.set({"a"}, {0, expected});
  world.fetch.on_call = [&world](int call) {
    if (call == 1) world.set({"a"}, {0, not_wanted});
  };
  BOOST_TEST((world.copy().kind == CopyEnd::Kind::copied));
  BOOST_TEST(world.added == Maps{0}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_killed_attempt_and_a_removed_shuffle_end_the_wait) {
  World killed;
  killed.set({"a"}, {expected});
  killed.fetch.on_call = [&killed](int) { killed.is_killed = true; };
  BOOST_TEST((killed.copy().kind == CopyEnd::Kind::killed));

  World removed;
  removed.set({"a"}, {expected});
  removed.fetch.on_call = [&removed](int) { removed.tables.erase(shuffle); };
  const auto end = removed.copy();
  BOOST_TEST((end.kind == CopyEnd::Kind::failed));
  BOOST_TEST(end.error.text == "the locations of the map outputs were removed");

  World unknown;
  BOOST_TEST((unknown.copy().kind == CopyEnd::Kind::lost));
}

}  // namespace map_output_copier_test
