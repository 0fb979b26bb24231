// Goal: cached places are exactly those that were set last, without lost executors, and lookups do not change until
// they are cleared. Method: small histories, then random ones against a plain map.
#include "policies/stages/cached_partitions.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <utility>

#include "model/random_stream.hpp"

namespace heddle::policies {
namespace cached_partitions_test {
namespace {

using Ids = std::vector<std::int64_t>;

constexpr DatasetId dataset{0};
constexpr DatasetId other{4};
constexpr std::int32_t partitions = 3;

/// Executor n runs on host 100 + n.
std::vector<MapStatusLocation> on(const Ids& executors) {
  std::vector<MapStatusLocation> places;
  for (const std::int64_t executor : executors)
    places.emplace_back(ExecutorId{executor}, HostId{100 + static_cast<std::int32_t>(executor)});
  return places;
}

/// Executors of each partition as a lookup returns them; empty: nothing is cached.
std::vector<Ids> looked_up(CachedPartitions& cached, DatasetId id) {
  std::vector<Ids> executors;
  const CachedPlaces* places = cached.look_up(id);
  if (places == nullptr) return executors;
  for (const auto& of_partition : places->of_partition) {
    Ids& list = executors.emplace_back();
    for (const PreferredLocation& place : of_partition) list.push_back(place.executor.value);
  }
  return executors;
}

/// The present state: that of a lookup after a clear.
std::vector<Ids> present(CachedPartitions& cached, DatasetId id) {
  cached.clear_looked_up();
  const std::vector<Ids> executors = looked_up(cached, id);
  cached.clear_looked_up();
  return executors;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cached_partitions)

BOOST_AUTO_TEST_CASE(a_partition_is_cached_at_the_places_that_were_set_last) {
  CachedPartitions cached;
  BOOST_TEST((cached.look_up(other) == nullptr));
  cached.clear_looked_up();
  cached.set(dataset, partitions, 1, on({1, 2}));
  cached.set(dataset, partitions, 2, on({1}));
  const CachedPlaces* places = cached.look_up(dataset);
  BOOST_REQUIRE((places != nullptr));
  BOOST_TEST(places->partitions_cached == 2);
  BOOST_REQUIRE(places->of_partition.size() == 3U);
  BOOST_TEST(places->of_partition[0].empty());
  BOOST_TEST((places->of_partition[1] == std::vector{PreferredLocation{HostId{101}, ExecutorId{1}},
                                                     PreferredLocation{HostId{102}, ExecutorId{2}}}));
  cached.set(dataset, partitions, 1, on({3}));
  cached.set(dataset, partitions, 2, {});
  cached.clear_looked_up();
  BOOST_TEST(cached.look_up(dataset)->partitions_cached == 1);
  BOOST_TEST((present(cached, dataset) == std::vector<Ids>{{}, {3}, {}}));
}

BOOST_AUTO_TEST_CASE(a_lookup_stays_the_same_until_it_is_cleared) {
  CachedPartitions cached;
  cached.set(dataset, partitions, 0, on({1}));
  BOOST_TEST((looked_up(cached, dataset) == std::vector<Ids>{{1}, {}, {}}));
  BOOST_TEST(looked_up(cached, other).empty());
  cached.set(dataset, partitions, 0, on({2}));
  cached.set(other, partitions, 0, on({1}));
  cached.drop_executor(ExecutorId{1});
  BOOST_TEST((looked_up(cached, dataset) == std::vector<Ids>{{1}, {}, {}}));
  BOOST_TEST(looked_up(cached, other).empty());  // that nothing was cached is kept, too
  cached.clear_looked_up();
  BOOST_TEST((looked_up(cached, dataset) == std::vector<Ids>{{2}, {}, {}}));
  BOOST_TEST((looked_up(cached, other) == std::vector<Ids>{{}, {}, {}}));
}

BOOST_AUTO_TEST_CASE(a_lost_executor_takes_only_its_own_places_along) {
  CachedPartitions cached;
  cached.set(dataset, partitions, 0, on({1}));
  cached.set(dataset, partitions, 1, on({2, 1, 3}));
  cached.set(dataset, partitions, 2, on({1}));
  cached.set(dataset, partitions, 2, on({2}));  // no longer on executor 1
  cached.set(other, 1, 0, on({1, 2}));
  cached.drop_executor(ExecutorId{1});
  cached.drop_executor(ExecutorId{9});
  BOOST_TEST((present(cached, dataset) == std::vector<Ids>{{}, {2, 3}, {2}}));
  BOOST_TEST((present(cached, other) == std::vector<Ids>{{2}}));
  BOOST_TEST(cached.look_up(dataset)->partitions_cached == 2);
}

BOOST_AUTO_TEST_CASE(a_forgotten_dataset_is_cached_nowhere_until_it_is_set_again) {
  CachedPartitions cached;
  cached.set(dataset, partitions, 0, on({1}));
  cached.set(other, 1, 0, on({1}));
  BOOST_TEST((cached.look_up(dataset) != nullptr));
  cached.forget(dataset);
  cached.forget(DatasetId{77});
  BOOST_TEST((cached.look_up(dataset) == nullptr));
  cached.drop_executor(ExecutorId{1});
  BOOST_TEST(present(cached, dataset).empty());
  BOOST_TEST((present(cached, other) == std::vector<Ids>{{}}));
  cached.set(dataset, partitions, 2, on({2}));
  BOOST_TEST((present(cached, dataset) == std::vector<Ids>{{}, {}, {2}}));
}

BOOST_AUTO_TEST_CASE(a_copy_and_its_original_change_apart) {
  CachedPartitions original;
  original.set(dataset, partitions, 0, on({1}));
  CachedPartitions copy = original;
  copy.set(dataset, partitions, 1, on({2}));
  copy.drop_executor(ExecutorId{1});
  BOOST_TEST((present(original, dataset) == std::vector<Ids>{{1}, {}, {}}));
  BOOST_TEST((present(copy, dataset) == std::vector<Ids>{{}, {2}, {}}));
}

BOOST_AUTO_TEST_CASE(random_histories_agree_with_a_plain_map) {
  RandomStream random{11};
  for (int round = 0; round < 50; ++round) {
    CachedPartitions cached;
    std::map<std::int64_t, std::vector<Ids>> expected;  // by dataset
    for (int step = 0; step < 60; ++step) {
      const DatasetId id{static_cast<std::int64_t>(random.below(3))};
      const auto executor = static_cast<std::int64_t>(random.below(4));
      if (random.chance(1, 12)) {
        cached.forget(id);
        expected.erase(id.value);
      } else if (random.chance(1, 6)) {
        cached.drop_executor(ExecutorId{executor});
        for (auto& [_, lists] : expected)
          for (Ids& list : lists) std::erase(list, executor);
      } else {
        const auto partition = static_cast<std::int32_t>(random.below(partitions));
        Ids places;
        for (std::int64_t each = 0; each < 4; ++each)
          if (random.chance(1, 3)) places.push_back(each);
        cached.set(id, partitions, partition, on(places));
        auto& lists = expected[id.value];
        lists.resize(partitions);
        lists[static_cast<std::size_t>(partition)] = places;
      }
      for (std::int64_t each = 0; each < 3; ++each) {
        const std::vector<Ids>& lists = expected.contains(each) ? expected.at(each) : std::vector<Ids>{};
        BOOST_REQUIRE((present(cached, DatasetId{each}) == lists));
        if (lists.empty()) continue;
        const auto filled = std::count_if(lists.begin(), lists.end(), [](const Ids& list) { return !list.empty(); });
        BOOST_REQUIRE(cached.look_up(DatasetId{each})->partitions_cached == filled);
      }
      if (random.chance(1, 2)) cached.clear_looked_up();
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace cached_partitions_test
}  // namespace heddle::policies
