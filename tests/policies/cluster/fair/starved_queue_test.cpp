#include "policies/cluster/fair/starved_queue.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

namespace heddle::policies {
namespace starved_queue_test {
namespace {

using Starvation = StarvedQueue::Starvation;

/// Pushes the starvations in row order and returns the rows in the order of the queue.
std::vector<RowIndex> order_of(const std::vector<Resource>& starvations) {
  const auto starvation_of = [&](RowIndex slot) { return Starvation{starvations[static_cast<std::size_t>(slot)], {}}; };
  StarvedQueue queue;
  for (std::size_t i = 0; i < starvations.size(); ++i) {
    queue.push(static_cast<RowIndex>(i), {}, starvation_of);
    queue.push(static_cast<RowIndex>(i), {}, starvation_of);  // an application is in the queue once
  }
  std::vector<RowIndex> order;
  while (!queue.empty()) order.push_back(queue.pop(starvation_of).row);
  return order;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(starved_queue)

BOOST_AUTO_TEST_CASE(the_least_starved_comes_first) {
  BOOST_TEST(order_of({{5, 5}, {1, 1}, {4, 4}, {2, 2}, {3, 3}}) == (std::vector<RowIndex>{1, 3, 4, 2, 0}),
             boost::test_tools::per_element());
}

/// Each step of the heap by hand: a new equal entry passes those above it, and the last one sinks only below smaller
/// ones.
BOOST_AUTO_TEST_CASE(equal_ones_come_as_the_heap_holds_them) {
  BOOST_TEST(order_of({{1, 1}, {1, 1}}) == (std::vector<RowIndex>{1, 0}), boost::test_tools::per_element());
  BOOST_TEST(order_of({{1, 1}, {1, 1}, {1, 1}}) == (std::vector<RowIndex>{2, 1, 0}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(incomparable_ones_come_in_the_order_of_their_arrival) {
  BOOST_TEST(order_of({{2, 1}, {1, 2}}) == (std::vector<RowIndex>{0, 1}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(one_that_was_removed_is_reported_as_it_was) {
  const auto starvation_of = [](RowIndex) { return Starvation{{2, 2}, {}}; };
  StarvedQueue queue;
  queue.push(0, ApplicationId{1, 7}, starvation_of);
  queue.push(1, ApplicationId{1, 8}, starvation_of);
  queue.forget(0, {{0, 0}, {1, 1}});
  BOOST_TEST(queue.pop(starvation_of).row == 1);
  const StarvedQueue::Entry gone = queue.pop(starvation_of);
  BOOST_TEST(gone.row == no_row);
  BOOST_TEST((gone.application == ApplicationId{1, 7}));
  BOOST_TEST(gone.last.minimum_share.memory_mib == 1);
  BOOST_TEST(queue.empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace starved_queue_test
}  // namespace heddle::policies
