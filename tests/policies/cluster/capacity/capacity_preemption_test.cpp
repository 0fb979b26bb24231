// Goal: preemption between capacity queues follows their guarantees and the limits of a round. Method: tables of small
// trees; then properties of random trees. There are no recorded cases.
#include "policies/cluster/capacity/capacity_preemption.hpp"

#include <boost/test/unit_test.hpp>

#include "model/random_stream.hpp"

namespace heddle::policies {
namespace capacity_preemption_test {
namespace {

constexpr CapacityPreemptionSettings at_once{true, std::chrono::seconds{3}, std::chrono::seconds{15}, 1.0F, 0.0F, 1.0F};

PreemptionQueue leaf(std::int64_t guaranteed, std::int64_t used, std::int64_t pending, std::int64_t maximum = 1000) {
  return {0, true, true, {guaranteed, guaranteed}, {maximum, maximum}, {used, used}, {pending, pending}};
}

std::vector<PreemptionShare> shares_of(std::vector<PreemptionQueue> children,
                                       const CapacityPreemptionSettings& settings = at_once) {
  children.insert(children.begin(), PreemptionQueue{-1, false, true, {100, 100}, {100, 100}, {}, {}});
  return compute_preemption(children, {100, 100}, settings);
}

// CS-8
BOOST_AUTO_TEST_CASE(a_queue_that_asks_gets_its_guarantee_back) {
  const auto shares = shares_of({leaf(40, 100, 0), leaf(60, 0, 100)});
  BOOST_TEST(shares[1].ideal.memory_mib == 40);
  BOOST_TEST(shares[2].ideal.memory_mib == 60);
  BOOST_TEST(shares[1].to_preempt.memory_mib == 60);
  BOOST_TEST(shares[2].to_preempt.memory_mib == 0);
}

BOOST_AUTO_TEST_CASE(nothing_is_taken_while_nobody_asks) {
  BOOST_TEST(shares_of({leaf(40, 100, 0), leaf(60, 0, 0)})[1].to_preempt.memory_mib == 0);
}

BOOST_AUTO_TEST_CASE(a_queue_a_little_over_its_guarantee_is_left_alone) {
  auto tolerant = at_once;
  tolerant.ignored_over_capacity = 0.1F;
  BOOST_TEST(shares_of({leaf(40, 44, 0), leaf(60, 56, 50)}, tolerant)[1].to_preempt.memory_mib == 0);
  BOOST_TEST(shares_of({leaf(40, 46, 0), leaf(60, 54, 50)}, tolerant)[1].to_preempt.memory_mib == 6);
}

BOOST_AUTO_TEST_CASE(a_round_takes_a_part_of_the_excess_and_of_the_cluster) {
  auto slow = at_once;
  slow.natural_termination_factor = 0.2F;
  BOOST_TEST(shares_of({leaf(40, 100, 0), leaf(60, 0, 100)}, slow)[1].to_preempt.memory_mib == 12);
  slow.part_per_round = 0.1F;
  BOOST_TEST(shares_of({leaf(40, 100, 0), leaf(60, 0, 100)}, slow)[1].to_preempt.memory_mib == 10);
}

BOOST_AUTO_TEST_CASE(what_may_not_be_preempted_stays) {
  auto kept = leaf(40, 100, 0);
  kept.is_preemptable = false;
  BOOST_TEST(shares_of({kept, leaf(60, 0, 100)})[1].to_preempt.memory_mib == 0);
}

BOOST_AUTO_TEST_CASE(random_trees_keep_within_guarantees_maxima_and_rounds) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      RandomStream random{seed};
      std::vector<PreemptionQueue> queues;
      std::int64_t guaranteed = 100;
      std::int64_t used = 100;
      for (int i = 0; i < 5; ++i) {
        const auto mine = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(guaranteed) + 1));
        const auto held = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(used) + 1));
        guaranteed -= mine;
        used -= held;
        queues.push_back(leaf(mine, held, static_cast<std::int64_t>(random.below(60)),
                              std::max<std::int64_t>(mine, 20 + static_cast<std::int64_t>(random.below(80)))));
        queues.back().is_preemptable = random.below(4) != 0;
      }
      auto settings = at_once;
      settings.part_per_round = 0.1F * static_cast<float>(1 + random.below(10));
      settings.ignored_over_capacity = 0.1F * static_cast<float>(random.below(3));
      const auto shares = shares_of(queues, settings);
      std::int64_t ideal = 0;
      std::int64_t taken = 0;
      for (std::size_t i = 0; i < queues.size(); ++i) {
        const PreemptionShare& share = shares[i + 1];
        ideal += share.ideal.memory_mib;
        taken += share.to_preempt.memory_mib;
        BOOST_TEST(share.to_preempt.memory_mib >= 0);
        BOOST_TEST(queues[i].used.memory_mib - share.to_preempt.memory_mib >=
                   std::min(queues[i].guaranteed.memory_mib, queues[i].used.memory_mib));
        if (!queues[i].is_preemptable) BOOST_TEST(share.to_preempt.memory_mib == 0);
      }
      BOOST_TEST(ideal <= 100);
      BOOST_TEST(taken <= static_cast<std::int64_t>(100.0 * static_cast<double>(settings.part_per_round)) + 1);
    }
  }
}

}  // namespace
}  // namespace capacity_preemption_test
}  // namespace heddle::policies
