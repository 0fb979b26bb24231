// Arithmetic of the capacity rules: tables of both calculators, then properties for any amounts.
#include "policies/cluster/resource_calculator.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "model/random_stream.hpp"
#include "policies/cluster/memory_and_cores.hpp"

namespace heddle::policies {
namespace resource_calculator_test {
namespace {

const ResourceCalculator by_memory{CalculatorKind::memory_only};
const ResourceCalculator by_both{CalculatorKind::dominant};
constexpr MemoryAndCores cluster{100 * 1024, 100};

MemoryAndCores random_resource(RandomStream& random, std::uint64_t memory, std::uint64_t cores) {
  const auto memory_mib = static_cast<std::int64_t>(random.below(memory));
  return {memory_mib, static_cast<std::int64_t>(random.below(cores))};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(resource_calculator)

BOOST_AUTO_TEST_CASE(memory_alone_decides_or_the_dominant_share) {
  const MemoryAndCores much_memory{2048, 1};
  const MemoryAndCores many_cores{1024, 50};
  BOOST_TEST(by_memory.compare(cluster, much_memory, many_cores) > 0);
  BOOST_TEST(by_both.compare(cluster, much_memory, many_cores) < 0);
  BOOST_TEST(by_memory.compare(cluster, {1024, 1}, {1024, 9}) == 0);
  BOOST_TEST((by_memory.larger(cluster, much_memory, many_cores) == much_memory));
  BOOST_TEST((by_both.larger(cluster, much_memory, many_cores) == many_cores));
  BOOST_TEST((by_both.smaller(cluster, much_memory, many_cores) == much_memory));
}

BOOST_AUTO_TEST_CASE(containers_are_counted_by_what_runs_out_first) {
  BOOST_TEST(by_memory.count_fitting({8192, 2}, {1024, 1}) == 8);
  BOOST_TEST(by_both.count_fitting({8192, 2}, {1024, 1}) == 2);
  BOOST_TEST(by_both.count_fitting({8192, 20}, {1024, 0}) == 8);
  BOOST_TEST(by_memory.count_fitting({8192, 20}, {0, 1}) == 2147483647);
}

BOOST_AUTO_TEST_CASE(memory_only_results_have_one_core_if_they_have_memory) {
  BOOST_TEST((by_memory.rounded_up({1500, 7}, {1024, 1}) == MemoryAndCores{2048, 1}));
  BOOST_TEST((by_memory.rounded_down({500, 7}, {1024, 1}) == MemoryAndCores{0, 0}));
  BOOST_TEST((by_memory.divided_up({1025, 7}, std::int64_t{2}) == MemoryAndCores{513, 1}));
  BOOST_TEST((by_memory.multiplied_up({1000, 7}, 1.5, {1024, 1}) == MemoryAndCores{2048, 1}));
  BOOST_TEST((by_both.rounded_up({1500, 7}, {1024, 2}) == MemoryAndCores{2048, 8}));
  BOOST_TEST((by_both.rounded_down({1500, 7}, {1024, 2}) == MemoryAndCores{1024, 6}));
  BOOST_TEST((by_both.divided_up({1025, 7}, std::int64_t{2}) == MemoryAndCores{513, 4}));
  BOOST_TEST((by_both.multiplied_up({1000, 7}, 1.5, {1024, 1}) == MemoryAndCores{2048, 11}));
  BOOST_TEST((by_both.multiplied_down({1000, 7}, 1.5, {1024, 1}) == MemoryAndCores{1024, 10}));
}

BOOST_AUTO_TEST_CASE(asks_are_raised_rounded_and_cut) {
  for (const auto& calculator : {by_memory, by_both}) {
    BOOST_TEST((calculator.normalized({1, 1}, {1024, 1}, {1024, 1}, {8192, 4}) == MemoryAndCores{1024, 1}));
    BOOST_TEST((calculator.normalized({1025, 1}, {1024, 1}, {1024, 1}, {8192, 4}) == MemoryAndCores{2048, 1}));
    BOOST_TEST((calculator.normalized({9000, 1}, {1024, 1}, {1024, 1}, {8192, 4}) == MemoryAndCores{8192, 1}));
  }
  BOOST_TEST((by_both.normalized({1024, 9}, {1024, 1}, {1024, 1}, {8192, 4}) == MemoryAndCores{1024, 4}));
}

BOOST_AUTO_TEST_CASE(shares_of_an_empty_cluster_are_equal_and_quotients_of_nothing_are_nothing) {
  BOOST_TEST(by_both.ratio({0, 0}, {0, 0}) == 0.0F);
  BOOST_TEST(by_both.ratio({512, 3}, {1024, 4}) == 0.75F);
  BOOST_TEST(by_memory.ratio({512, 3}, {1024, 4}) == 0.5F);
  BOOST_TEST(std::isinf(by_memory.ratio({1, 0}, {0, 0})));
  BOOST_TEST(by_both.divide(cluster, {1024, 50}, {1024, 25}) == 2.0F);
}

BOOST_AUTO_TEST_CASE(random_amounts_round_to_steps_around_them_and_compare_both_ways) {
  RandomStream random{12};
  for (int round = 0; round < 20'000; ++round) {
    const MemoryAndCores a = random_resource(random, 20'000, 60);
    const MemoryAndCores b = random_resource(random, 20'000, 60);
    const MemoryAndCores step{static_cast<std::int64_t>(1 + random.below(2000)),
                              static_cast<std::int64_t>(1 + random.below(5))};
    for (const auto& calculator : {by_memory, by_both}) {
      BOOST_REQUIRE(calculator.compare(cluster, a, b) == -calculator.compare(cluster, b, a));
      BOOST_REQUIRE(calculator.compare(cluster, calculator.smaller(cluster, a, b), calculator.larger(cluster, a, b)) <=
                    0);
      const MemoryAndCores up = calculator.rounded_up(a, step);
      const MemoryAndCores down = calculator.rounded_down(a, step);
      BOOST_REQUIRE(up.memory_mib % step.memory_mib == 0 && down.memory_mib % step.memory_mib == 0);
      BOOST_REQUIRE(down.memory_mib <= a.memory_mib && a.memory_mib <= up.memory_mib &&
                    up.memory_mib - down.memory_mib <= step.memory_mib);
      const std::int64_t fitting = calculator.count_fitting(a, step);
      BOOST_REQUIRE(calculator.fits({step.memory_mib * fitting, step.cores * fitting}, a));
      BOOST_REQUIRE(!calculator.fits({step.memory_mib * (fitting + 1), step.cores * (fitting + 1)}, a));
    }
    BOOST_REQUIRE(fits_in(smaller_of_each(a, b), a) && fits_in(a, larger_of_each(a, b)));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace resource_calculator_test
}  // namespace heddle::policies
