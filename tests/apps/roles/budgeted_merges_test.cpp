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
