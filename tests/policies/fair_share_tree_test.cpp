// Goal: shares that are read lazily after changes are those of a computation from scratch.
// Method: random trees, random changes, each read compared with compute_fair_shares from the root down.
#include "policies/cluster/fair/fair_share_tree.hpp"

#include <boost/test/unit_test.hpp>

#include "model/random_stream.hpp"

namespace heddle::policies {
namespace fair_share_tree_test {
namespace {

struct Tree {
  std::vector<std::int32_t> parents;
  std::vector<ShareInput> inputs;
};

ShareInput random_input(RandomStream& random) {
  ShareInput input;
  input.weight = static_cast<float>(random.below(5));
  input.minimum = static_cast<std::int64_t>(random.below(3) == 0 ? random.below(2000) : 0);
  if (random.below(3) == 0) input.maximum = static_cast<std::int64_t>(random.below(5000));
  input.is_queue = true;
  input.is_active = random.below(4) != 0;
  return input;
}

std::vector<std::int64_t> from_scratch(const Tree& tree, std::int64_t total, ShareKind kind) {
  std::vector<std::int64_t> shares(tree.parents.size());
  shares[0] = total;
  for (std::size_t parent = 0; parent < tree.parents.size(); ++parent) {
    std::vector<std::size_t> children;
    std::vector<ShareInput> inputs;
    for (std::size_t i = 1; i < tree.parents.size(); ++i)
      if (tree.parents[i] == static_cast<std::int32_t>(parent)) {
        children.push_back(i);
        inputs.push_back(tree.inputs[i]);
      }
    std::vector<std::int64_t> result;
    compute_fair_shares(inputs, shares[parent], kind, result);
    for (std::size_t i = 0; i < children.size(); ++i) shares[children[i]] = result[i];
  }
  return shares;
}

BOOST_AUTO_TEST_CASE(lazy_shares_equal_those_from_scratch_after_any_change) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      RandomStream random{seed};
      const ShareKind kind = seed % 2 == 0 ? ShareKind::steady : ShareKind::instantaneous;
      Tree tree;
      FairShareTree lazy{kind};
      for (std::int32_t i = 0; i < 40; ++i) {
        tree.parents.push_back(i == 0 ? -1 : static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(i))));
        tree.inputs.push_back(random_input(random));
        lazy.add(tree.parents.back(), tree.inputs.back());
      }
      std::int64_t total = 10'000;
      lazy.set_total(total);
      for (int step = 0; step < 60; ++step) {
        if (random.below(10) == 0) lazy.set_total(total = static_cast<std::int64_t>(random.below(100'000)));
        const auto changed = static_cast<std::size_t>(random.below(40));
        tree.inputs[changed] = random_input(random);
        lazy.set(static_cast<std::int32_t>(changed), tree.inputs[changed]);
        const std::vector<std::int64_t> expected = from_scratch(tree, total, kind);
        for (int read = 0; read < 3; ++read) {
          const auto which = static_cast<std::size_t>(random.below(40));
          BOOST_TEST(lazy.share(static_cast<std::int32_t>(which)) == expected[which]);
        }
      }
    }
  }
}

}  // namespace
}  // namespace fair_share_tree_test
}  // namespace heddle::policies
