// The tree of capacity queues: names, absolute capacities, usage up to the root, and the order of children, on random
// trees compared with plain sums and a plain sort.
#include "policies/cluster/capacity/capacity_queues.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "model/random_stream.hpp"
#include "tests/support/capacity_world.hpp"

namespace heddle::policies {
namespace capacity_queues_test {
namespace {

CapacityQueues tree(const CapacityRows& rows, Resource cluster = {102'400, 100}) {
  CapacityQueues queues{file_of(rows), {1024, 1}};
  queues.set_cluster(cluster);
  return queues;
}

const CapacityRows two_levels{
    {"root.queues", "a,b"},      {"root.a.capacity", "40"},   {"root.a.maximum-capacity", "50"},
    {"root.b.capacity", "60"},   {"root.b.queues", "x,y,a2"}, {"root.b.x.capacity", "50"},
    {"root.b.y.capacity", "25"}, {"root.b.a2.capacity", "25"}};

}  // namespace

BOOST_AUTO_TEST_SUITE(capacity_queues)

BOOST_AUTO_TEST_CASE(a_queue_is_found_by_its_full_name_or_by_a_last_part_that_one_queue_has) {
  const CapacityQueues queues = tree(two_levels);
  BOOST_TEST(queues.at(queues.find("root.b.x")).name == "root.b.x");
  BOOST_TEST(queues.at(queues.find("y")).name == "root.b.y");
  BOOST_TEST(queues.find("b.x") == no_row);
  BOOST_TEST(queues.find("z") == no_row);
  CapacityRows doubled = two_levels;
  doubled[0].second = "a,b,x";
  doubled[3].second = "30";
  doubled.emplace_back("root.x.capacity", "30");
  BOOST_TEST(tree(doubled).find("x") == no_row);
}

BOOST_AUTO_TEST_CASE(capacities_are_parts_of_their_parents) {
  const CapacityQueues queues = tree(two_levels);
  BOOST_TEST((queues.at(queues.find("a")).guaranteed == Resource{40'960, 40}));
  BOOST_TEST((queues.at(queues.find("a")).maximum == Resource{51'200, 50}));
  BOOST_TEST((queues.at(queues.find("x")).guaranteed == Resource{30'720, 30}));
  BOOST_TEST((queues.at(queues.find("a2")).guaranteed == Resource{15'360, 15}));
  BOOST_TEST((queues.at(queues.find("x")).maximum == Resource{102'400, 100}));
}

BOOST_AUTO_TEST_CASE(maximums_hold_on_the_whole_way_up) {
  CapacityQueues queues = tree(two_levels);
  BOOST_TEST(queues.fits_maximum(queues.find("a"), {51'200, 1}));
  BOOST_TEST(!queues.fits_maximum(queues.find("a"), {52'224, 1}));
  queues.change_usage(queues.find("a"), {51'200, 50});
  BOOST_TEST(!queues.fits_maximum(queues.find("x"), {52'224, 1}));
  BOOST_TEST(queues.fits_maximum(queues.find("x"), {51'200, 1}));
}

BOOST_AUTO_TEST_CASE(random_usage_climbs_to_the_root_and_keeps_children_in_order) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    RandomStream random{seed};
    CapacityQueues queues = tree(two_levels);
    std::vector<RowIndex> leaves;
    for (const char* name : {"root.a", "root.b.x", "root.b.y", "root.b.a2"}) leaves.push_back(queues.find(name));
    std::vector<Resource> used(queues.size());
    std::vector<Resource> pending(queues.size());
    for (int step = 0; step < 300; ++step) {
      const RowIndex leaf = leaves[random.below(leaves.size())];
      const auto at = static_cast<std::size_t>(leaf);
      const Resource size{1024 * static_cast<std::int64_t>(1 + random.below(5)), 1};
      std::vector<Resource>& books = random.chance(1, 2) ? used : pending;
      const bool leaves_it = fits_in(size, books[at]) && random.chance(1, 2);
      const Resource by = leaves_it ? Resource{} - size : size;
      books[at] += by;
      if (&books == &used) queues.change_usage(leaf, by);
      else queues.change_pending(leaf, by);
      queues.check_invariants();
      Resource all;
      for (const RowIndex each : leaves) {
        BOOST_REQUIRE((queues.at(each).used == used[static_cast<std::size_t>(each)]));
        BOOST_REQUIRE((queues.at(each).pending == pending[static_cast<std::size_t>(each)]));
        all += used[static_cast<std::size_t>(each)];
      }
      BOOST_REQUIRE((queues.at(CapacityQueues::root).used == all));
      const CapacityQueue& parent = queues.at(queues.find("root.b"));
      std::vector<RowIndex> expected;
      for (const RowIndex child : parent.children)
        if (queues.is_asking(queues.at(child))) expected.push_back(child);
      std::stable_sort(expected.begin(), expected.end(), [&](RowIndex a, RowIndex b) {
        if (queues.at(a).used_capacity != queues.at(b).used_capacity)
          return queues.at(a).used_capacity < queues.at(b).used_capacity;
        return queues.at(a).shares.absolute_capacity > queues.at(b).shares.absolute_capacity;
      });
      BOOST_REQUIRE((parent.order == expected));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace capacity_queues_test
}  // namespace heddle::policies
