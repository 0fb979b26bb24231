// The numbered cases 1 to 19 of YARN: fair shares, and the excess that truncation causes.
#include "policies/cluster/fair/fair_share.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle::policies {
namespace fair_share_test {
namespace {

constexpr std::int64_t most = unbounded_memory;
constexpr std::int64_t big = 4000000000;

struct Row {
  const char* id;
  std::vector<ShareInput> inputs;
  std::int64_t total;
  std::vector<std::int64_t> shares;
};

ShareInput entry(std::int64_t minimum, std::int64_t maximum, float weight) {
  return ShareInput{weight, minimum, maximum, false, true};
}

std::vector<Row> rows() {
  const ShareInput plain = entry(0, most, 1.0F);
  return {
      {"C-Y-001", {plain, plain, plain, plain}, 40, {10, 10, 10, 10}},
      {"C-Y-002", {entry(0, 100, 1), entry(0, 50, 1), entry(0, 11, 1), entry(0, 3, 1)}, 40, {13, 13, 11, 3}},
      {"C-Y-003", {entry(20, most, 1), entry(18, most, 1), plain, entry(2, most, 1)}, 40, {20, 18, 0, 2}},
      {"C-Y-004", {entry(0, most, 2), plain, plain, entry(0, most, 0.5F)}, 45, {20, 10, 10, 5}},
      {"C-Y-005", {entry(0, 10, 2), entry(0, 11, 1), entry(0, 30, 1), entry(0, 20, 0.5F)}, 45, {10, 11, 16, 8}},
      {"C-Y-006", {entry(20, most, 2), plain, entry(5, most, 1), entry(15, most, 0.5F)}, 45, {20, 5, 5, 15}},
      {"C-Y-007",
       {entry(0, big, 1), entry(0, big, 1), entry(0, big, 1), entry(0, big, 1)},
       4 * big,
       {big, big, big, big}},
      {"C-Y-008", {entry(most, most, 1), entry(big, big, 1)}, 4 * big, {most, big}},
      {"C-Y-009", {entry(0, 1000000000, 1), entry(0, most, 1)}, 2000000000, {1000000000, 1000000000}},
      {"C-Y-010",
       {entry(1000000000, 1000000000, 0), entry(most - 1, most, 0), entry(0, 1000000000, 1)},
       1000,
       {1000000000, most - 1, 0}},
      {"C-Y-012",  // case 6 in cores
       {entry(20, unbounded_cores, 2), entry(0, unbounded_cores, 1), entry(5, unbounded_cores, 1),
        entry(15, unbounded_cores, 0.5F)},
       45,
       {20, 5, 5, 15}},
      {"C-Y-011", {}, 40, {}},
      {"C-Y-013", {plain, plain, plain}, 10240, {3414, 3414, 3414}},
      {"C-Y-014", {plain, plain, plain, plain, plain}, 8192, {1639, 1639, 1639, 1639, 1639}},
      {"C-Y-015", {plain, plain, plain}, 7, {3, 3, 3}},
      {"C-Y-016", {plain, plain, plain}, 1, {1, 1, 1}},
      {"C-Y-016", {plain, plain, plain}, 0, {0, 0, 0}},
      {"C-Y-017", {entry(0, 5, 1), entry(0, 6, 1)}, 100, {5, 6}},
      {"C-Y-018", {entry(0, most, 3), entry(0, most, 2), plain}, 1000, {501, 334, 167}},
      {"C-Y-019", {entry(0, most, 0.1F), entry(0, most, 0.1F), entry(0, most, 0.1F)}, 100, {34, 34, 34}},
  };
}

}  // namespace

BOOST_AUTO_TEST_CASE(fair_shares_are_those_of_the_table) {
  for (const Row& row : rows()) {
    std::vector<std::int64_t> shares;
    compute_fair_shares(row.inputs, row.total, ShareKind::instantaneous, shares);
    BOOST_TEST_CONTEXT(row.id) BOOST_TEST(shares == row.shares, boost::test_tools::per_element());
  }
}

}  // namespace fair_share_test
}  // namespace heddle::policies
