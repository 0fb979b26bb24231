// A list with gaps, compared with a plain map of positions: for any history it holds the same slots.
#include "policies/tables/gap_list.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <vector>

#include "model/random_stream.hpp"

namespace heddle::policies {
namespace gap_list_test {

BOOST_AUTO_TEST_SUITE(gap_list)

BOOST_AUTO_TEST_CASE(an_entry_fills_the_last_gap_and_the_order_is_that_of_positions) {
  GapList list;
  for (const std::int32_t slot : {10, 11, 12, 13}) list.insert(slot);
  list.erase(1);
  list.erase(2);
  BOOST_TEST(list.slots() == (std::vector<std::int32_t>{10, 13}), boost::test_tools::per_element());
  BOOST_TEST(list.insert(14) == 2);
  BOOST_TEST(list.insert(0) == 1);
  BOOST_TEST(list.insert(15) == 4);
  BOOST_TEST(list.slots() == (std::vector<std::int32_t>{10, 0, 14, 13, 15}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_empty_list_has_no_gaps_and_begins_again) {
  GapList list;
  BOOST_TEST(list.empty());
  list.insert(1);
  list.insert(2);
  list.erase(0);
  list.erase(1);
  BOOST_TEST(list.empty());
  BOOST_TEST(list.insert(3) == 0);
  BOOST_TEST(list.slots() == std::vector<std::int32_t>{3}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(random_histories_hold_what_a_map_holds) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RandomStream random{seed};
    GapList list;
    std::map<std::int32_t, std::int32_t> plain;  // slots by position
    const std::uint64_t live_max = 1 + random.below(300);
    for (std::int32_t step = 0; step < 5'000; ++step) {
      if (plain.size() < live_max && random.chance(1, 2)) {
        const std::int32_t position = list.insert(step);
        BOOST_REQUIRE(plain.emplace(position, step).second);
        BOOST_REQUIRE(*list.address(position) == step);
      } else if (!plain.empty()) {
        auto gone = plain.lower_bound(static_cast<std::int32_t>(random.below(live_max)));
        if (gone == plain.end()) gone = plain.begin();
        list.erase(gone->first);
        plain.erase(gone);
      }
      BOOST_REQUIRE(list.size() == plain.size());
      if (step % 100 != 0) continue;
      std::vector<std::int32_t> slots;
      for (const auto& [position, slot] : plain) slots.push_back(slot);
      BOOST_REQUIRE(list.slots() == slots);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace gap_list_test
}  // namespace heddle::policies
