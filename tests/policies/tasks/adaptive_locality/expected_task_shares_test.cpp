// Goal: a task that reads twice the bytes of another is expected to take twice the time, and unknown sizes give no
// shares. Method: tables; then order and mean of the shares of random sizes.
#include "policies/tasks/adaptive_locality/expected_task_shares.hpp"

#include <boost/test/unit_test.hpp>
#include <numeric>

#include "model/random_stream.hpp"

namespace heddle::policies {
namespace expected_task_shares_test {
namespace {

using Sizes = std::vector<std::int64_t>;

BOOST_AUTO_TEST_SUITE(task_shares)

BOOST_AUTO_TEST_CASE(a_task_takes_its_part_of_the_mean) {
  struct Row {
    Sizes bytes;
    std::vector<std::int32_t> shares;
  };
  const std::vector<Row> rows{{{100, 300}, {500, 1500}},
                              {{1, 2, 3}, {500, 1000, 1500}},
                              {{0, 10, 10, 20}, {1, 1000, 1000, 2000}},
                              {{std::int64_t{1} << 61, 3 * (std::int64_t{1} << 61)}, {500, 1500}}};
  for (const Row& row : rows) {
    const auto made = expected_task_shares(row.bytes);
    BOOST_REQUIRE(made != nullptr);
    BOOST_TEST(*made == row.shares, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(nothing_is_said_of_unknown_equal_or_empty_sizes) {
  for (const Sizes& bytes : {Sizes{}, Sizes{7}, Sizes{0, 0}, Sizes{5, 5, 5}, Sizes{5, -1, 9}})
    BOOST_TEST(!expected_task_shares(bytes));
}

BOOST_AUTO_TEST_CASE(shares_keep_the_order_of_sizes_and_their_mean) {
  RandomStream random{20'150};
  for (int round = 0; round < 200; ++round) {
    Sizes bytes(2 + random.below(50));
    for (auto& one : bytes) one = static_cast<std::int64_t>(1'000 + random.below(100'000));
    bytes.front() = 101'000;  // never all equal
    const auto shares = expected_task_shares(bytes);
    BOOST_REQUIRE(shares != nullptr);
    for (std::size_t i = 1; i < bytes.size(); ++i)
      BOOST_TEST(((bytes[i - 1] <= bytes[i]) ? (*shares)[i - 1] <= (*shares)[i] : (*shares)[i - 1] >= (*shares)[i]));
    const double mean = std::accumulate(shares->begin(), shares->end(), 0.0) / static_cast<double>(shares->size());
    BOOST_TEST(std::abs(mean - 1000) <= 0.5);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace expected_task_shares_test
}  // namespace heddle::policies
