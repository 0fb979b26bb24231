#include "apps/roles/budgeted_merges.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle::apps {

// SH-6 with 1,000 bytes: 700 for outputs, at most 175 for one, 462 start a merge.
BOOST_AUTO_TEST_CASE(copied_outputs_stay_in_memory_until_the_rules_of_hadoop_start_a_merge) {
  const auto made = budgeted_merges(1000)(MapReduceRules{});
  BOOST_TEST_REQUIRE(made.has_value());
  auto& rules = **made;
  BOOST_TEST(!rules.keeps_in_memory(176));
  for (int round = 0; round < 2; ++round) {  // a merge frees all of the memory
    for (int output = 0; output < 2; ++output) {
      BOOST_TEST(rules.keeps_in_memory(174));
      BOOST_TEST(!rules.starts_merge(174));
    }
    BOOST_TEST(rules.keeps_in_memory(174));
    BOOST_TEST(rules.starts_merge(174));
  }
}

/// Rules of a job whose reduces have all of the memory for outputs.
MapReduceRules with_parts(float single, float merge) {
  MapReduceRules job;
  job.reduce_memory = std::int64_t{8} << 30;
  job.copy_part = 1;
  job.single_part = single;
  job.merge_part = merge;
  return job;
}

BOOST_AUTO_TEST_CASE(two_large_outputs_start_a_merge_and_the_next_two_another) {  // C-E3-18
  const auto made = budgeted_merges(10000)(with_parts(0.8F, 0.9F));
  BOOST_TEST_REQUIRE(made.has_value());
  auto& rules = **made;
  for (const bool starts : {false, true, false, true}) {
    BOOST_TEST(rules.keeps_in_memory(7950));
    BOOST_TEST(rules.starts_merge(7950) == starts);
  }
}

// C-E3-20: of 8 GiB. C-E3-21: without memory for one output.
BOOST_AUTO_TEST_CASE(an_output_of_two_gibibytes_and_each_one_without_memory_go_to_disk) {
  const auto large = budgeted_merges(std::int64_t{8} << 30)(with_parts(0.95F, 1.0F));
  BOOST_TEST_REQUIRE(large.has_value());
  BOOST_TEST((*large)->keeps_in_memory(10));
  BOOST_TEST(!(*large)->keeps_in_memory(std::int64_t{1} << 31));
  const auto none = budgeted_merges(10000)(with_parts(0, 0.9F));
  BOOST_TEST_REQUIRE(none.has_value());
  for (const std::int64_t bytes : {1, 10, 100'000}) BOOST_TEST(!(*none)->keeps_in_memory(bytes));
}

BOOST_AUTO_TEST_CASE(a_job_lowers_the_memory_of_its_reduces_but_does_not_raise_it) {
  MapReduceRules job;
  job.reduce_memory = 100;
  BOOST_TEST(!(*budgeted_merges(1000)(job))->keeps_in_memory(18));
  job.reduce_memory = 100'000;
  BOOST_TEST(!(*budgeted_merges(1000)(job))->keeps_in_memory(176));
}

BOOST_AUTO_TEST_CASE(parts_of_memory_that_contradict_each_other_are_refused) {
  MapReduceRules job;
  job.single_part = job.merge_part;
  const auto made = budgeted_merges(1'000'000)(job);
  BOOST_TEST_REQUIRE(!made.has_value());
  BOOST_TEST(made.error().text.find("one map output in memory can have") == 0U);
}

}  // namespace heddle::apps
