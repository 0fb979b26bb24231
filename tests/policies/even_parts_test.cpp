// Items in parts of almost one size: the numbered case of the specification, and sums and bounds of random ones.
#include "policies/stages/even_parts.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <numeric>
#include <string>

#include "model/random_stream.hpp"

namespace even_parts_test {

BOOST_AUTO_TEST_SUITE(even_parts)

// C-MOT-05: each digit is the size of one of five parts.
BOOST_AUTO_TEST_CASE(the_first_parts_take_what_is_left_over) {
  const std::vector<std::pair<std::int32_t, std::string>> rows{{0, "00000"},  {4, "11110"},  {15, "33333"},
                                                               {16, "43333"}, {17, "44333"}, {18, "44433"},
                                                               {19, "44443"}, {20, "44444"}};
  for (const auto& [items, expected] : rows) {
    std::string sizes;
    for (const std::int32_t size : heddle::policies::even_parts(items, 5)) sizes += std::to_string(size);
    BOOST_TEST(sizes == expected, items);
  }
}

BOOST_AUTO_TEST_CASE(random_parts_hold_all_items_and_differ_by_one_at_most) {
  heddle::RandomStream random{1};
  for (int round = 0; round < 2000; ++round) {
    const auto parts = static_cast<std::int32_t>(1 + random.below(50));
    const auto items = static_cast<std::int32_t>(random.below(1000));
    const auto sizes = heddle::policies::even_parts(items, parts);
    BOOST_REQUIRE(sizes.size() == static_cast<std::size_t>(parts));
    BOOST_REQUIRE(std::accumulate(sizes.begin(), sizes.end(), 0) == items);
    BOOST_REQUIRE(std::is_sorted(sizes.rbegin(), sizes.rend()) && sizes.front() - sizes.back() <= 1);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace even_parts_test
