// Goal: the kept order of a queue's children is that of a fresh sort, whatever moved. Method: queues of one parent
// whose usage is set by hand, random changes, for each policy.
#include "policies/cluster/fair/fair_service.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "model/random_stream.hpp"
#include "policies/cluster/fair_order.hpp"
#include "tests/support/fair_world.hpp"

namespace heddle::policies {
namespace fair_service_test {
namespace {

FairTree tree_of(const std::string& policy, int queues) {
  std::string inside = "<defaultQueueSchedulingPolicy>" + policy + "</defaultQueueSchedulingPolicy>";
  for (int i = 0; i < queues; ++i)
    inside += "<queue name=\"q" + std::to_string(i) + "\"><weight>" + std::to_string(1 + i % 3) + "</weight></queue>";
  FairTree tree{allocations(inside), Instant{}};
  tree.set_cluster({100 * 1024, 100});
  return tree;
}

std::vector<RowIndex> sorted(const FairTree& tree, const FairQueue& parent) {
  const auto key = [&](RowIndex row) {
    const FairQueue& queue = tree.at(row);
    return FairSortKey{queue.usage, queue.demand, queue.limits.minimum, queue.limits.weight, 0, queue.name};
  };
  auto children = parent.children;
  std::stable_sort(children.begin(), children.end(),
                   [&](RowIndex a, RowIndex b) { return compare(parent.policy, key(a), key(b), tree.cluster()) < 0; });
  return children;
}

BOOST_AUTO_TEST_CASE(the_kept_order_is_that_of_a_fresh_sort_whatever_moved) {
  const ResourceLedger ledger;
  for (const char* policy : {"fair", "drf"}) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      RandomStream random{seed};
      FairTree tree = tree_of(policy, 14);
      FairQueue& root = tree.at(FairTree::root);
      BOOST_REQUIRE(root.children.size() >= 14U);
      std::uint64_t round = 0;
      for (int offer = 0; offer < 30; ++offer) {
        if (random.below(8) == 0) {  // demands are computed again
          ++round;
          for (const RowIndex child : root.children)
            tree.at(child).demand = {static_cast<std::int64_t>(random.below(20)) * 1024,
                                     static_cast<std::int64_t>(random.below(20))};
        }
        // Few that move are put in their places; many make the order be sorted again.
        const auto changes = random.below(2) == 0 ? random.below(4) : random.below(30);
        for (std::uint64_t change = 0; change < changes; ++change) {
          const RowIndex child = root.children[random.below(root.children.size())];
          tree.at(child).usage = {static_cast<std::int64_t>(random.below(9)) * 1024,
                                  static_cast<std::int64_t>(random.below(9))};
          move_in_order(root, child, round);
        }
        BOOST_REQUIRE(served_children(tree, FairTree::root, ledger, round) == sorted(tree, root));
      }
    }
  }
}

}  // namespace
}  // namespace fair_service_test
}  // namespace heddle::policies
