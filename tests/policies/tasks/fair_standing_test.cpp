// Goal: the fair order of rounds is the same at every level of a tree of pools. Method: a tree of two levels over task
// sets, walked in that order; random standings.
#include "policies/tasks/fair_standing.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "model/random_stream.hpp"
#include "policies/tasks/task_set.hpp"

namespace heddle::policies {
namespace fair_standing_test {
namespace {

/// A pool, or a task set if it has no children.
struct Node {
  std::string name;
  std::int32_t min_share = 0;
  std::int32_t weight = 1;
  std::vector<Node> children{};
  std::int32_t running = 0;
  std::int32_t waiting = 0;  // waiting tasks of a set
};

std::int32_t waiting_in(const Node& node) {
  std::int32_t all = node.waiting;
  for (const Node& child : node.children) all += waiting_in(child);
  return all;
}

/// Launches one task below the node; returns the name of its set.
std::string launch(Node& node) {
  node.running += 1;
  if (node.children.empty()) {
    node.waiting -= 1;
    return node.name;
  }
  Node* first = nullptr;
  FairStanding standing_of_first;
  for (Node& child : node.children) {
    if (waiting_in(child) == 0) continue;
    FairStanding standing = fair_standing(child.running, child.min_share, child.weight);
    standing.name_key = name_key_of(child.name);
    const auto is_later_of_equal = [&](std::uint32_t, std::uint32_t) { return first->name > child.name; };
    if (first != nullptr && !comes_after(standing_of_first, standing, is_later_of_equal)) continue;
    first = &child;
    standing_of_first = standing;
  }
  return launch(*first);
}

Node leaf(std::string name, std::int32_t min_share, std::int32_t weight, const std::string& first,
          const std::string& second) {
  return {std::move(name), min_share, weight, {{first, 0, 1, {}, 0, 5}, {second, 0, 1, {}, 0, 5}}};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(fair_standings)

// C-POOL-03
BOOST_AUTO_TEST_CASE(nested_pools_take_turns_by_the_same_order_at_both_levels) {
  Node root{"root",
            0,
            1,
            {{"pool0",
              3,
              1,
              {leaf("00", 2, 2, "TaskSet_0.0", "TaskSet_1.0"), leaf("01", 1, 1, "TaskSet_2.0", "TaskSet_3.0")}},
             {"pool1",
              4,
              1,
              {leaf("10", 2, 2, "TaskSet_4.0", "TaskSet_5.0"), leaf("11", 2, 1, "TaskSet_6.0", "TaskSet_7.0")}}}};
  for (const char* expected : {"TaskSet_0.0", "TaskSet_4.0", "TaskSet_6.0", "TaskSet_2.0"})
    BOOST_TEST(launch(root) == expected);
}

BOOST_AUTO_TEST_CASE(the_needy_come_first_and_ties_are_left_to_names) {
  const auto by_number = [](std::uint32_t a, std::uint32_t b) { return a > b; };
  BOOST_TEST(comes_after(fair_standing(0, 0, 9), fair_standing(4, 5, 1), by_number));
  BOOST_TEST(comes_after(fair_standing(1, 2, 1), fair_standing(1, 3, 1), by_number));
  BOOST_TEST(comes_after(fair_standing(2, 0, 1), fair_standing(3, 0, 2), by_number));
  FairStanding second = fair_standing(1, 0, 1);
  second.number = 1;
  BOOST_TEST(comes_after(second, fair_standing(1, 0, 1), by_number));
  second.name_key = name_key_of("a");
  FairStanding other = fair_standing(1, 0, 1);
  other.name_key = name_key_of("b");
  BOOST_TEST(!comes_after(second, other, by_number));
}

BOOST_AUTO_TEST_CASE(the_order_of_random_standings_is_total_and_that_of_their_names_in_a_tie) {
  RandomStream random{11};
  const auto by_number = [](std::uint32_t a, std::uint32_t b) { return a > b; };
  const auto number = [&](std::uint64_t bound) { return static_cast<std::int32_t>(random.below(bound)); };
  for (int history = 0; history < 300; ++history) {
    std::vector<std::string> names;
    std::vector<FairStanding> all;
    for (std::uint32_t i = 0; i < 12; ++i) {
      names.emplace_back();
      while (names.back().empty() || random.chance(1, 2)) names.back() += static_cast<char>('a' + random.below(2));
      all.push_back(fair_standing(number(4), number(3), 1 + number(2)));
      all.back().name_key = name_key_of(names.back());
      all.back().number = i;
    }
    for (const FairStanding& a : all)
      for (const FairStanding& b : all) {
        BOOST_REQUIRE(comes_after(a, b, by_number) == (a.number != b.number && !comes_after(b, a, by_number)));
        if (a.is_needy == b.is_needy && a.ratio == b.ratio && a.name_key != b.name_key)
          BOOST_REQUIRE(comes_after(a, b, by_number) == (names[a.number] > names[b.number]));
        for (const FairStanding& c : all)
          if (comes_after(a, b, by_number) && comes_after(b, c, by_number)) BOOST_REQUIRE(comes_after(a, c, by_number));
      }
  }
}

BOOST_AUTO_TEST_CASE(ratios_are_compared_as_java_does) {
  BOOST_TEST(java_compare(-0.0, 0.0) < 0);
  BOOST_TEST(java_compare(std::numeric_limits<double>::quiet_NaN(), 1e300) > 0);
  BOOST_TEST(java_compare(std::nan(""), std::nan("")) == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fair_standing_test
}  // namespace heddle::policies
