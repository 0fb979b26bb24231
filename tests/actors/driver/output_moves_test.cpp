// Goal: every output is with one target at a time, fails only so often, and what is over is known no more.
// Method: a few moves by hand; then random ends and losses, after which everything was copied once or given up.
#include "actors/driver/output_moves.hpp"

#include <boost/test/unit_test.hpp>

#include "model/random_stream.hpp"

namespace heddle::actors {
namespace output_moves_test {
namespace {

constexpr ShuffleId shuffle{3};
const policies::OutputPlace source{ExecutorId{1}, policies::HostId{0}};
const std::vector<ExecutorId> two{ExecutorId{7}, ExecutorId{8}};

BOOST_AUTO_TEST_CASE(an_output_goes_to_one_target_and_to_another_when_that_failed) {
  OutputMoves moves{8, 2};
  for (const std::int32_t map : {4, 2}) moves.want(shuffle, map, source);
  moves.want(shuffle, 2, source);
  const auto first = moves.assign(two);
  BOOST_REQUIRE(first.size() == 1U);
  BOOST_TEST((first[0].maps == std::vector<std::int32_t>{2, 4}));
  BOOST_TEST((first[0].from == source));
  BOOST_TEST(moves.assign(two).empty());
  const auto copied = moves.on_taken(first[0].target, shuffle, {4});
  BOOST_TEST(copied.size() == 1U);
  BOOST_TEST(copied[0].first == 4);
  const auto second = moves.assign(two);
  BOOST_REQUIRE(second.size() == 1U);
  BOOST_TEST((second[0].target == ExecutorId{8}));
  BOOST_TEST(moves.on_taken(ExecutorId{8}, shuffle, {}).empty());
  BOOST_TEST(moves.waiting() == 0U);  // it has failed twice
  moves.check_invariants();
}

BOOST_AUTO_TEST_CASE(a_lost_target_costs_the_output_nothing_and_late_word_of_it_means_nothing) {
  OutputMoves moves{8, 0};
  moves.want(shuffle, 0, source);
  (void)moves.assign(two);
  moves.on_target_lost(ExecutorId{7});
  BOOST_TEST(moves.on_taken(ExecutorId{7}, shuffle, {0}).empty());
  BOOST_TEST(moves.waiting() == 1U);
  BOOST_TEST(moves.assign(two).size() == 1U);
  moves.forget(shuffle);
  BOOST_TEST(moves.on_taken(ExecutorId{7}, shuffle, {0}).empty());
  moves.check_invariants();
}

BOOST_AUTO_TEST_CASE(nothing_is_tried_again_from_a_place_that_is_lost) {
  OutputMoves moves{4, 3};
  const std::vector<ExecutorId> targets{ExecutorId{7}};
  for (std::int32_t map = 0; map < 3; ++map) moves.want(shuffle, map, {ExecutorId{1}, policies::HostId{0}});
  BOOST_REQUIRE(moves.assign(targets).size() == 1U);
  moves.want(shuffle, 3, {ExecutorId{1}, policies::HostId{0}});
  moves.want(shuffle, 4, {ExecutorId{2}, policies::HostId{1}});
  moves.on_sources_lost({ExecutorId{1}});
  moves.check_invariants();
  BOOST_TEST(moves.waiting() == 1U);
  BOOST_TEST(moves.assign(targets).empty());                             // it still has the order for what is gone
  BOOST_TEST(moves.on_taken(ExecutorId{7}, shuffle, {0}).size() == 1U);  // it was copied before
  moves.check_invariants();
  const auto next = moves.assign(targets);
  BOOST_REQUIRE(next.size() == 1U);
  BOOST_TEST(next[0].maps == (std::vector<std::int32_t>{4}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(random_ends_copy_each_output_once_or_give_it_up) {
  RandomStream random{5};
  for (int round = 0; round < 200; ++round) {
    constexpr std::int32_t maps = 150;
    OutputMoves moves{3, 2};
    std::vector<int> copies(maps);
    for (std::int32_t map = 0; map < maps; ++map)
      moves.want(ShuffleId{map % 2}, map, {ExecutorId{map % 5}, policies::HostId{0}});
    std::vector<ExecutorId> targets;
    for (std::int64_t id = 10; id < 14; ++id) targets.push_back(ExecutorId{id});
    std::vector<OutputMoves::Batch> under_way;
    for (int step = 0; step < 5'000 && moves.waiting() + moves.under_way() > 0; ++step) {
      for (auto& batch : moves.assign(targets)) under_way.push_back(std::move(batch));
      BOOST_REQUIRE(moves.under_way() <= 3U);
      BOOST_REQUIRE(!under_way.empty());
      const auto which = random.below(under_way.size());
      const auto batch = under_way[which];
      under_way.erase(under_way.begin() + static_cast<std::ptrdiff_t>(which));
      if (random.below(4) == 0) {
        moves.on_target_lost(batch.target);
      } else {
        std::vector<std::int32_t> taken;
        for (const auto map : batch.maps)
          if (random.below(3) > 0) taken.push_back(map);
        for (const auto& [map, from] : moves.on_taken(batch.target, batch.shuffle, taken))
          ++copies[static_cast<std::size_t>(map)];
      }
      moves.check_invariants();
    }
    BOOST_TEST(moves.waiting() + moves.under_way() == 0U);
    for (const int count : copies) BOOST_TEST(count <= 1);
  }
}

}  // namespace
}  // namespace output_moves_test
}  // namespace heddle::actors
