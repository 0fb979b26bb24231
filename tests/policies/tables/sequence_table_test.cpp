// Slots by number in pages, compared with a plain map: for any order of removals each live number is found, and no
// other.
#include "policies/tables/sequence_table.hpp"

#include <boost/test/unit_test.hpp>
#include <map>

#include "model/random_stream.hpp"

namespace heddle::policies {
namespace sequence_table_test {

BOOST_AUTO_TEST_SUITE(sequence_table)

BOOST_AUTO_TEST_CASE(numbers_that_were_never_in_it_are_absent) {
  const SequenceTable table;
  for (const std::int64_t number : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 40, INT64_MAX, INT64_MIN})
    BOOST_TEST(table.find(number) == SequenceTable::absent);
}

BOOST_AUTO_TEST_CASE(a_number_goes_once_and_may_come_again_on_a_page_that_is_there) {
  SequenceTable table;
  table.insert(5, 7);
  BOOST_TEST(table.find(5) == 7);
  table.erase(5);
  table.erase(5);
  BOOST_TEST(table.find(5) == SequenceTable::absent);
  table.insert(5, 8);
  BOOST_TEST(table.find(5) == 8);
}

// A cluster that is idle between two containers: the last page becomes empty again and again.
BOOST_AUTO_TEST_CASE(a_number_follows_when_nothing_is_left) {
  SequenceTable table;
  for (std::int32_t number = 1; number <= 5'000; ++number) {
    table.insert(number, number);
    BOOST_REQUIRE(table.find(number) == number);
    table.erase(number);
    BOOST_REQUIRE(table.find(number) == SequenceTable::absent);
  }
}

// Containers are added in order and removed in any order. Some are never removed, so that old pages stay while later
// ones are freed.
BOOST_AUTO_TEST_CASE(random_lives_are_found_as_in_a_map) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RandomStream random{seed};
    SequenceTable table;
    std::map<std::int64_t, std::int32_t> plain;
    std::int64_t next = 1;
    const std::uint64_t live_max = 1 + random.below(3000);
    for (int step = 0; step < 20'000; ++step) {
      if (plain.size() < live_max && random.chance(2, 3)) {
        next += static_cast<std::int64_t>(random.chance(1, 500) ? random.below(5000) : 0);  // numbers may be skipped
        table.insert(next, step);
        plain.emplace(next++, step);
      } else if (!plain.empty()) {
        auto gone = plain.lower_bound(static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(next))));
        if (gone == plain.end()) gone = plain.begin();
        table.erase(gone->first);
        plain.erase(gone);
      }
      const auto asked = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(next + 2000)));
      const auto row = plain.find(asked);
      BOOST_REQUIRE(table.find(asked) == (row == plain.end() ? SequenceTable::absent : row->second));
    }
    for (const auto& [number, slot] : plain) BOOST_REQUIRE(table.find(number) == slot);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sequence_table_test
}  // namespace heddle::policies
