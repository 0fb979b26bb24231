// Goal: each output has one target at a time and a limited number of failures, and answers of ended batches are
// ignored. Method: a few migrations by hand; then random results and losses, after which each output was copied once or
// given up.
#include "actors/driver/shuffle_migration.hpp"

#include <boost/test/unit_test.hpp>

#include "model/random_stream.hpp"

namespace heddle::actors {
namespace shuffle_migration_test {
namespace {

constexpr ShuffleId shuffle{3};
const policies::MapStatusLocation source{ExecutorId{1}, HostId{0}};
const std::vector<ExecutorId> two{ExecutorId{7}, ExecutorId{8}};

BOOST_AUTO_TEST_CASE(an_output_goes_to_another_target_if_the_first_one_fails) {
  ShuffleMigration migration{8, 2};
  for (const std::int32_t map : {4, 2}) migration.add(shuffle, map, source);
  migration.add(shuffle, 2, source);
  const auto first = migration.assign(two);
  BOOST_REQUIRE(first.size() == 1U);
  BOOST_TEST((first[0].maps == std::vector<std::int32_t>{2, 4}));
  BOOST_TEST((first[0].from == source));
  BOOST_TEST(migration.assign(two).empty());
  const auto copied = migration.end_batch(first[0].target, shuffle, {4});
  BOOST_TEST(copied.size() == 1U);
  BOOST_TEST(copied[0].first == 4);
  const auto second = migration.assign(two);
  BOOST_REQUIRE(second.size() == 1U);
  BOOST_TEST((second[0].target == ExecutorId{8}));
  BOOST_TEST(migration.end_batch(ExecutorId{8}, shuffle, {}).empty());
  BOOST_TEST(migration.waiting() == 0U);  // it has failed twice
  migration.check_invariants();
}

BOOST_AUTO_TEST_CASE(a_lost_target_counts_no_failure_and_its_late_answer_is_ignored) {
  ShuffleMigration migration{8, 0};
  migration.add(shuffle, 0, source);
  (void)migration.assign(two);
  migration.remove_target(ExecutorId{7});
  BOOST_TEST(migration.end_batch(ExecutorId{7}, shuffle, {0}).empty());
  BOOST_TEST(migration.waiting() == 1U);
  BOOST_TEST(migration.assign(two).size() == 1U);
  migration.forget(shuffle);
  BOOST_TEST(migration.end_batch(ExecutorId{7}, shuffle, {0}).empty());
  migration.check_invariants();
}

BOOST_AUTO_TEST_CASE(an_output_of_a_lost_source_is_not_retried) {
  ShuffleMigration migration{4, 3};
  const std::vector<ExecutorId> targets{ExecutorId{7}};
  for (std::int32_t map = 0; map < 3; ++map) migration.add(shuffle, map, {ExecutorId{1}, HostId{0}});
  BOOST_REQUIRE(migration.assign(targets).size() == 1U);
  migration.add(shuffle, 3, {ExecutorId{1}, HostId{0}});
  migration.add(shuffle, 4, {ExecutorId{2}, HostId{1}});
  migration.remove_sources({ExecutorId{1}});
  migration.check_invariants();
  BOOST_TEST(migration.waiting() == 1U);
  BOOST_TEST(migration.assign(targets).empty());  // target 7 still has a batch of the lost source
  BOOST_TEST(migration.end_batch(ExecutorId{7}, shuffle, {0}).size() == 1U);  // it was copied before the loss
  migration.check_invariants();
  const auto next = migration.assign(targets);
  BOOST_REQUIRE(next.size() == 1U);
  BOOST_TEST(next[0].maps == (std::vector<std::int32_t>{4}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_host_is_due_once_and_only_with_a_kill_deadline) {
  ShuffleMigration migration{8, 2};
  const HostId patient{1};
  const HostId doomed{2};
  BOOST_TEST(migration.add_host(patient, std::nullopt));
  BOOST_TEST(migration.add_host(doomed, Instant{Duration{50}}));
  BOOST_TEST(!migration.add_host(doomed, Instant{Duration{10}}));
  BOOST_TEST((migration.next_due() == std::optional{Instant{Duration{50}}}));
  BOOST_TEST(migration.pop_hosts_due(Instant{Duration{49}}).empty());
  BOOST_TEST((migration.pop_hosts_due(Instant{Duration{50}}) == std::vector{doomed}));
  BOOST_TEST(migration.pop_hosts_due(Instant{Duration{60}}).empty());
  BOOST_TEST(!migration.next_due().has_value());
  BOOST_TEST(migration.is_leaving(doomed));
  migration.remove_host(doomed);
  BOOST_TEST(!migration.is_leaving(doomed));
  BOOST_TEST(migration.is_leaving(patient));
}

BOOST_AUTO_TEST_CASE(random_results_copy_each_output_once_or_give_it_up) {
  RandomStream random{5};
  for (int round = 0; round < 200; ++round) {
    constexpr std::int32_t maps = 150;
    ShuffleMigration migration{3, 2};
    std::vector<int> copies(maps);
    for (std::int32_t map = 0; map < maps; ++map)
      migration.add(ShuffleId{map % 2}, map, {ExecutorId{map % 5}, HostId{0}});
    std::vector<ExecutorId> targets;
    for (std::int64_t id = 10; id < 14; ++id) targets.push_back(ExecutorId{id});
    std::vector<ShuffleMigration::Batch> under_way;
    for (int step = 0; step < 5'000 && migration.waiting() + migration.being_copied() > 0; ++step) {
      for (auto& batch : migration.assign(targets)) under_way.push_back(std::move(batch));
      BOOST_REQUIRE(migration.being_copied() <= 3U);
      BOOST_REQUIRE(!under_way.empty());
      const auto which = random.below(under_way.size());
      const auto batch = under_way[which];
      under_way.erase(under_way.begin() + static_cast<std::ptrdiff_t>(which));
      if (random.below(4) == 0) {
        migration.remove_target(batch.target);
      } else {
        std::vector<std::int32_t> taken;
        for (const auto map : batch.maps)
          if (random.below(3) > 0) taken.push_back(map);
        for (const auto& [map, from] : migration.end_batch(batch.target, batch.shuffle, taken))
          ++copies[static_cast<std::size_t>(map)];
      }
      migration.check_invariants();
    }
    BOOST_TEST(migration.waiting() + migration.being_copied() == 0U);
    for (const int count : copies) BOOST_TEST(count <= 1);
  }
}

}  // namespace
}  // namespace shuffle_migration_test
}  // namespace heddle::actors
