// Goal: a leaf serves by priority and age, or by least memory; an application moves when its leaf is offered again.
// Method: books with applications whose sizes are set by hand, and random changes beside a plain sort.
#include "policies/cluster/capacity/capacity_order.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <numeric>

#include "model/random_stream.hpp"
#include "tests/support/capacity_world.hpp"

namespace heddle::policies {
namespace capacity_order_test {
namespace {

struct Fixture {
  explicit Fixture(CapacityRows more = {}) : books{{}, file_of(rows(std::move(more)))} {
    leaf = books.queues.find("root.a");
  }
  static CapacityRows rows(CapacityRows more) {
    auto all = two_queues("50", "50");
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  RowIndex add(std::int64_t number, std::int32_t priority = 0, std::int64_t memory = 0) {
    ApplicationSubmission submission;
    submission.id = {1, number};
    submission.queue = "root.a";
    submission.user = "u";
    submission.priority = priority;
    const RowIndex row = books.ledger.add_application(Instant{}, submission, leaf);
    auto& made = books.add_application(row);
    made.queue = leaf;
    made.is_running = true;
    made.start = number;
    made.order_usage = {memory, 0};
    books.ledger.application(row).usage = {memory, 0};
    books.ledger.application(row).priority = priority;
    return row;
  }
  CapacityQueue& queue() { return books.queues.at(leaf); }
  void insert(RowIndex row) { insert_served(books, queue(), queue().lists.running, row); }

  CapacityBooks books;
  RowIndex leaf = no_row;
};

BOOST_AUTO_TEST_CASE(a_fifo_leaf_serves_by_priority_then_by_number) {
  Fixture f;
  const RowIndex late = f.add(9);
  const RowIndex early = f.add(2);
  const RowIndex urgent = f.add(7, 3);
  for (const RowIndex row : {late, urgent, early}) f.insert(row);
  BOOST_TEST(f.queue().lists.running == (std::vector<RowIndex>{urgent, early, late}), boost::test_tools::per_element());
  mark_moved(f.books, late);  // a usage that changes moves nobody here
  BOOST_TEST(f.queue().lists.moved.empty());
}

BOOST_AUTO_TEST_CASE(a_fair_leaf_serves_who_holds_least_and_of_equals_who_started_first) {
  Fixture f{{{"root.a.ordering-policy", "fair"}}};
  const RowIndex large = f.add(1, 9, 4096);
  const RowIndex second = f.add(3, 0, 1024);
  const RowIndex first = f.add(2, 0, 1024);
  for (const RowIndex row : {large, second, first}) f.insert(row);
  BOOST_TEST(f.queue().lists.running == (std::vector<RowIndex>{first, second, large}),
             boost::test_tools::per_element());
}

// Per unit of the logarithm of the demand: 4096 of 4096 MiB are less than 1024 of 1024 only by weight.
BOOST_AUTO_TEST_CASE(with_size_based_weight_who_wants_much_may_hold_more) {
  Fixture f{{{"root.a.ordering-policy", "fair"}, {"root.a.ordering-policy.fair.enable-size-based-weight", "true"}}};
  const RowIndex small = f.add(1, 0, 1000);
  const RowIndex large = f.add(2, 0, 1100);
  f.books.application(large).order_pending = {1'000'000, 0};
  BOOST_TEST(is_served_before(f.books, f.queue(), large, small));
  f.books.application(large).order_pending = {};
  BOOST_TEST(is_served_before(f.books, f.queue(), small, large));
}

BOOST_AUTO_TEST_CASE(who_moves_is_found_and_stands_where_a_sort_would_put_it) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    RandomStream random{seed};
    Fixture f{{{"root.a.ordering-policy", "fair"}}};
    std::vector<RowIndex> all;
    for (std::int64_t number = 1; number <= 20; ++number) {
      all.push_back(f.add(number, 0, 1024 * static_cast<std::int64_t>(random.below(4))));
      f.insert(all.back());
    }
    for (int round = 0; round < 20; ++round) {
      for (int change = 0; change < 5; ++change) {
        const RowIndex row = all[random.below(all.size())];
        mark_moved(f.books, row);
        f.books.ledger.application(row).usage = {1024 * static_cast<std::int64_t>(random.below(6)), 0};
      }
      if (random.below(3) == 0) {  // one leaves before it was moved
        const auto gone = static_cast<std::ptrdiff_t>(random.below(all.size()));
        erase_served(f.books, f.queue(), f.queue().lists.running, all[static_cast<std::size_t>(gone)]);
        std::erase(f.queue().lists.moved, all[static_cast<std::size_t>(gone)]);
        all.erase(all.begin() + gone);
      }
      move_in_order(f.books, f.queue());
      BOOST_TEST(f.queue().lists.moved.empty());
      auto expected = all;
      std::sort(expected.begin(), expected.end(), [&](RowIndex a, RowIndex b) {
        const auto key = [&](RowIndex row) {
          return std::pair{f.books.ledger.application(row).usage.memory_mib, f.books.application(row).start};
        };
        return key(a) < key(b);
      });
      BOOST_REQUIRE(f.queue().lists.running == expected);
    }
  }
}

}  // namespace
}  // namespace capacity_order_test
}  // namespace heddle::policies
