// Destination of map outputs in a reduce, and start of merges: the numbered cases of the specification (E3-18 to
// E3-21), then random outputs that must not exceed the memory by more than one of them.
#include "policies/map_reduce/merge_budget.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <numeric>

#include "model/random_stream.hpp"

namespace heddle::policies {
namespace merge_budget_test {
namespace {

using Outputs = std::vector<std::int64_t>;

MergeBudget budget_of(std::int64_t memory, float single, float merge, std::int32_t files = 10) {
  return MergeBudget::make({memory, 1.0F, single, merge, files}).value();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(merge_budget)

// C-E3-18: 10000 bytes, of which one output may use 8000; a merge starts at 9000.
BOOST_AUTO_TEST_CASE(outputs_wait_for_memory_that_a_merge_frees) {
  MergeBudget budget = budget_of(10000, 0.8F, 0.9F);
  BOOST_TEST((budget.reserve(7950) == MergeDestination::memory));
  BOOST_TEST((budget.reserve(7950) == MergeDestination::memory));
  BOOST_TEST((budget.reserve(7950) == MergeDestination::wait));
  BOOST_TEST(budget.commit_in_memory(1, 7950).empty());
  BOOST_TEST((budget.commit_in_memory(2, 7950) == Outputs{1, 2}));
  BOOST_TEST((budget.reserve(7950) == MergeDestination::wait));
  // The first merge has read its outputs but has not written its file yet when the second starts.
  budget.release(7950);
  budget.release(7950);
  BOOST_TEST((budget.reserve(7950) == MergeDestination::memory));
  BOOST_TEST((budget.reserve(7950) == MergeDestination::memory));
  BOOST_TEST(budget.commit_in_memory(3, 7950).empty());
  BOOST_TEST((budget.commit_in_memory(4, 7950) == Outputs{3, 4}));
}

// C-E3-19: ten files of random sizes, five at once.
BOOST_AUTO_TEST_CASE(files_merge_the_smallest_first_a_few_at_once) {
  MergeBudget budget = budget_of(10000, 0.8F, 0.9F, 5);
  Outputs merged;
  const Outputs sizes{70, 20, 90, 10, 50, 30, 80, 60, 40};
  for (const std::int64_t size : sizes) {
    BOOST_TEST(merged.empty());
    merged = budget.commit_on_disk(size, size);
  }
  BOOST_TEST((merged == Outputs{10, 20, 30, 40, 50}));
  BOOST_TEST(budget.commit_on_disk(100, 100).empty());
  BOOST_TEST((budget.pop_smallest_files() == Outputs{60, 70, 80, 90, 100}));
  BOOST_TEST(budget.files() == 0U);
}

// C-E3-20: 8 GiB.
BOOST_AUTO_TEST_CASE(one_output_in_memory_stays_below_two_gibibytes) {
  MergeBudget budget = budget_of(std::int64_t{8} << 30, 0.95F, 1.0F);
  BOOST_TEST(budget.limit() > 2147483647);
  BOOST_TEST(budget.single_limit() == 2147483647);
  BOOST_TEST((budget.reserve(10) == MergeDestination::memory));
  BOOST_TEST((budget.reserve(std::int64_t{1} << 31) == MergeDestination::disk));
}

// C-E3-21.
BOOST_AUTO_TEST_CASE(without_memory_for_one_output_all_go_to_disk) {
  MergeBudget budget = budget_of(10000, 0.0F, 0.9F);
  for (const std::int64_t bytes : {1, 10, 100'000}) BOOST_TEST((budget.reserve(bytes) == MergeDestination::disk));
  BOOST_TEST(budget.used() == 0);
}

BOOST_AUTO_TEST_CASE(limits_that_could_never_merge_are_refused) {
  BOOST_TEST(!MergeBudget::make({10000, 1.0F, 0.9F, 0.9F, 10}));
  BOOST_TEST(!MergeBudget::make({10000, 1.0F, 1.5F, 2.0F, 10}));
  BOOST_TEST(MergeBudget::make({1'000'000, 0.7F, 0.25F, 0.66F, 10}).value().single_limit() == 175'000);
}

BOOST_AUTO_TEST_CASE(random_outputs_merge_once_each_and_exceed_the_limit_by_one_at_most) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    RandomStream random{seed};
    MergeBudget budget = budget_of(10000, 0.25F, 0.66F, 3);
    std::int64_t files = 0;
    std::int64_t merged_files = 0;
    std::vector<std::int64_t> size_of;
    std::vector<bool> is_merged;
    for (int step = 0; step < 300; ++step) {
      const auto bytes = static_cast<std::int64_t>(random.below(3000));
      const MergeDestination place = budget.reserve(bytes);
      BOOST_REQUIRE((place == MergeDestination::disk) == (bytes > 2500));
      BOOST_REQUIRE(budget.used() <= budget.limit() + budget.single_limit());
      if (place == MergeDestination::disk) {
        const Outputs merge = budget.commit_on_disk(files++, bytes);
        merged_files += static_cast<std::int64_t>(merge.size());
        BOOST_REQUIRE(merge.size() <= 3U);
      }
      if (place != MergeDestination::memory) continue;
      size_of.push_back(bytes);
      is_merged.push_back(false);
      for (const std::int64_t output : budget.commit_in_memory(static_cast<std::int64_t>(size_of.size()) - 1, bytes)) {
        BOOST_REQUIRE(!is_merged[static_cast<std::size_t>(output)]);
        is_merged[static_cast<std::size_t>(output)] = true;
        budget.release(size_of[static_cast<std::size_t>(output)]);
      }
      std::int64_t kept = 0;
      for (std::size_t i = 0; i < size_of.size(); ++i) kept += is_merged[i] ? 0 : size_of[i];
      BOOST_REQUIRE(kept == budget.used());
    }
    BOOST_REQUIRE(merged_files + static_cast<std::int64_t>(budget.files()) == files);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace merge_budget_test
}  // namespace heddle::policies
