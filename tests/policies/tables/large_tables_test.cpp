// Goal: lists and tables that avoid cache misses have the content that vectors would have. Method: random histories
// compared with a vector; a table that grows beyond a huge page.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <vector>

#include "model/large_table.hpp"
#include "model/random_stream.hpp"
#include "policies/tables/slot_list.hpp"

namespace heddle::policies {
namespace large_tables_test {
namespace {

bool is_same(const SlotList& list, const std::vector<std::int32_t>& beside) {
  return list.empty() == beside.empty() && list.size() == beside.size() &&
         std::equal(list.begin(), list.end(), beside.begin());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(large_tables)

BOOST_AUTO_TEST_CASE(a_slot_list_holds_what_a_vector_holds) {
  RandomStream random{1};
  SlotList list;
  std::vector<std::int32_t> beside;
  for (std::int32_t step = 0; step < 5'000; ++step) {
    // Fills and empties in turns, to pass the inline size many times.
    if (random.below(10) < (step / 100 % 2 == 0 ? 7U : 3U)) {
      list.push_back(step);
      beside.push_back(step);
    } else if (!list.empty()) {
      BOOST_REQUIRE(list.back() == beside.back());
      *list.begin() = beside.front() = list.back();
      list.pop_back();
      beside.pop_back();
    }
    BOOST_REQUIRE(is_same(list, beside));
    if (step % 50 != 0) continue;
    SlotList copy = list;
    BOOST_REQUIRE(is_same(copy, beside));
    copy.push_back(-1);
    BOOST_REQUIRE(is_same(list, beside));
    copy = list;
    const SlotList moved = std::move(copy);
    BOOST_REQUIRE(is_same(moved, beside));
    list = moved;
  }
}

BOOST_AUTO_TEST_CASE(a_table_keeps_its_records_as_it_grows_beyond_a_huge_page) {
  LargeTable<std::int64_t> table;
  constexpr std::int64_t count = 3 * static_cast<std::int64_t>(huge_page) / 8;
  for (std::int64_t i = 0; i < count; ++i) table.push_back(i);
  BOOST_TEST(reinterpret_cast<std::uintptr_t>(table.data()) % huge_page == 0);
  const LargeTable<std::int64_t> copy = table;
  table.clear();
  table.shrink_to_fit();
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < count; ++i) wrong += copy[static_cast<std::size_t>(i)] == i ? 0 : 1;
  BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace large_tables_test
}  // namespace heddle::policies
