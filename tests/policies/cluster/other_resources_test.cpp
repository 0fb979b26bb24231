// Goal: the books have the other resources of nodes minus those of their containers. Method: random containers on
// random nodes compared with a table of plain counts.
#include "policies/cluster/other_resources.hpp"

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>

#include "model/random_stream.hpp"

namespace heddle::policies {
namespace other_resources_test {
namespace {

constexpr std::array<const char*, 3> kinds{"fpga", "gpu", "licence"};
using Counts = std::array<std::int64_t, 3>;

Counts draw(RandomStream& random, std::uint64_t bound) {
  Counts counts{};
  for (auto& count : counts) count = static_cast<std::int64_t>(random.below(bound));
  return counts;
}

ResourceAmounts as_list(const Counts& counts) {
  ResourceAmounts list;
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) list.set(kinds[kind], counts[kind]);
  return list;
}

bool fits(const Counts& wanted, const Counts& there) {
  return std::equal(wanted.begin(), wanted.end(), there.begin(), [](auto one, auto other) { return one <= other; });
}

BOOST_AUTO_TEST_SUITE(other_resources)

BOOST_AUTO_TEST_CASE(a_list_has_one_number_whatever_its_order) {
  OtherResources books;
  const auto id = books.intern({{"gpu", 2}, {"fpga", 1}, {"licence", 0}});
  BOOST_TEST(books.intern({{"fpga", 1}, {"gpu", 2}}) == id);
  BOOST_TEST(books.intern({{"fpga", 2}, {"gpu", 1}}) != id);
  BOOST_TEST(books.intern({{"gpu", 0}}) == no_others);
  BOOST_TEST(books.in_words(id).find("gpu=2") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(whatever_containers_come_and_go_a_node_has_what_they_leave) {
  RandomStream random{47};
  OtherResources books;
  std::vector<Counts> capacity;
  std::vector<Counts> left;
  for (std::size_t node = 0; node < 4; ++node) {
    capacity.push_back(draw(random, 6));
    left.push_back(capacity.back());
    books.add_node(node, as_list(capacity.back()));
  }
  std::vector<std::pair<std::size_t, Counts>> held;
  for (int step = 0; step < 2000; ++step) {
    const auto node = static_cast<std::size_t>(random.below(4));
    const auto wanted = draw(random, 3);
    const auto id = books.intern(as_list(wanted));
    BOOST_TEST_REQUIRE(books.fits_empty(node, id) == fits(wanted, capacity[node]));
    BOOST_TEST_REQUIRE(books.fits(node, id) == fits(wanted, left[node]));
    if (fits(wanted, left[node])) {
      books.charge(node, id);
      held.emplace_back(node, wanted);
      for (std::size_t kind = 0; kind < kinds.size(); ++kind) left[node][kind] -= wanted[kind];
    }
    if (held.empty() || random.chance(1, 2)) continue;
    const auto one = held.begin() + static_cast<std::ptrdiff_t>(random.below(held.size()));
    books.release(one->first, books.intern(as_list(one->second)));
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) left[one->first][kind] += one->second[kind];
    held.erase(one);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace other_resources_test
}  // namespace heddle::policies
