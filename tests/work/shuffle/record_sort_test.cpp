// Goal: records come out in the order of their keys, equal keys in the order in which they came, whatever keys look
// like. Method: sorted arenas and prefixes, held against std::string and std::stable_sort.
#include "work/shuffle/record_sort.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <random>

#include "work/shuffle/run_merge.hpp"

namespace heddle::work {
namespace record_sort_test {
namespace {

/// Keys of zero to `size` bytes, of which many share their first bytes.
std::vector<std::string> similar_keys(std::size_t count, std::size_t size) {
  std::mt19937_64 random{1};
  const std::string bytes{'\0', 'a', '\xff'};
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < count; ++i) {
    std::string key(random() % (size + 1), 'a');
    for (auto at = key.size() - std::min<std::size_t>(key.size(), random() % 4); at < key.size(); ++at)
      key[at] = bytes[random() % bytes.size()];
    keys.push_back(std::move(key));
  }
  return keys;
}

void check_order(std::vector<std::string> keys) {
  std::size_t cost = 0;
  for (const auto& key : keys) cost += RecordArena::cost(key, {}) + 8;
  RecordArena arena{cost};
  BOOST_REQUIRE(bool{arena.make_room(cost)});
  std::vector<std::pair<std::string, std::string>> expected;
  for (const auto& key : keys) {
    expected.emplace_back(key, std::to_string(expected.size()));
    arena.add(0, key, expected.back().second);
  }
  std::stable_sort(expected.begin(), expected.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  const auto starts = sort_records(arena, 1, KeyComparator{}, true);
  BOOST_TEST((starts == std::vector<std::size_t>{0, keys.size()}));
  std::size_t at = 0;
  bool is_equal = true;
  for (const auto& entry : arena.entries()) {
    const auto record = arena.record(entry);
    is_equal = is_equal && record.key == expected[at].first && record.value == expected[at].second;
    ++at;
  }
  BOOST_TEST(is_equal);
}

BOOST_AUTO_TEST_CASE(a_prefix_orders_keys_as_their_bytes_do_and_says_when_it_holds_the_whole_key) {
  const auto keys = similar_keys(300, 10);
  for (const auto& left : keys) {
    const auto a = key_prefix(left.data(), left.size());
    BOOST_TEST(is_whole_key(a) == (left.size() < 8));
    for (const auto& right : keys) {
      const auto b = key_prefix(right.data(), right.size());
      if (a < b ? !(left < right) : a == b && is_whole_key(a) && left != right)
        BOOST_ERROR("keys of " << left.size() << " and " << right.size() << " bytes");
    }
  }
}

BOOST_AUTO_TEST_CASE(keys_are_in_the_order_of_their_bytes_and_equal_ones_in_the_order_in_which_they_came) {
  for (const std::size_t size : {0U, 1U, 6U, 7U, 8U, 9U, 14U, 15U, 40U}) {
    BOOST_TEST_CONTEXT("keys of up to " << size << " bytes") {
      check_order(similar_keys(20, size));
      check_order(similar_keys(3000, size));
    }
  }
}

// One more level for each key: a recursion as deep as the longest key would exhaust the stack.
BOOST_AUTO_TEST_CASE(keys_of_which_each_continues_the_one_before_take_no_stack) {
  std::vector<std::string> keys;
  for (std::size_t size = 0; size < 6000; ++size) keys.emplace_back(size, 'a');
  std::shuffle(keys.begin(), keys.end(), std::mt19937_64{1});
  check_order(keys);
  check_order(std::vector<std::string>(100, std::string(200'000, 'a')));
}

}  // namespace
}  // namespace record_sort_test
}  // namespace heddle::work
