// Goal: each partition of a job has the output of its place in the job's list, and finishes once. Method: an example,
// then random lists of ranges.
#include "policies/stages/job_outputs.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <optional>
#include <set>

#include "model/random_stream.hpp"

namespace heddle::policies {
namespace job_outputs_test {
namespace {

using Ranges = std::vector<IndexRange>;

JobOutputs outputs_of(const Ranges& partitions, std::int32_t partitions_of_dataset = 100) {
  return JobOutputs{JobId{1}, partitions, partitions_of_dataset};
}

/// Up to five ranges of up to four of the hundred partitions, apart from each other, in random order.
Ranges random_ranges(RandomStream& random) {
  Ranges ranges;
  std::set<std::int32_t> starts;
  for (std::uint64_t i = random.below(6); i > 0; --i) starts.insert(static_cast<std::int32_t>(random.below(25)) * 4);
  for (const std::int32_t start : starts) {
    const auto position = static_cast<std::ptrdiff_t>(random.below(ranges.size() + 1));
    ranges.emplace(ranges.begin() + position, start, 1 + static_cast<std::int32_t>(random.below(4)));
  }
  return ranges;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(job_outputs)

BOOST_AUTO_TEST_CASE(outputs_are_numbered_in_the_order_of_the_list) {
  JobOutputs outputs = outputs_of({{4, 2}, {2, 1}}, 6);
  BOOST_TEST(!outputs.has_finished_any());
  BOOST_TEST((outputs.finish(2) == std::optional{2}));
  BOOST_TEST((outputs.finish(5) == std::optional{1}));
  BOOST_TEST(outputs.has_finished_any());
  BOOST_TEST(!outputs.has_finished_all());
  BOOST_TEST((outputs.missing_partitions() == Ranges{{4, 1}}));
  BOOST_TEST((outputs.finish(4) == std::optional{0}));
  BOOST_TEST(outputs.has_finished_all());
  BOOST_TEST(outputs.missing_partitions().empty());
}

BOOST_AUTO_TEST_CASE(a_partition_has_no_output_a_second_time_or_if_the_job_does_not_ask_for_it) {
  JobOutputs outputs = outputs_of({{4, 2}, {8, 1}});
  BOOST_TEST((outputs.finish(4) == std::optional{0}));
  for (const std::int32_t partition : {4, 0, 3, 6, 7, 9, 99})
    BOOST_TEST(!outputs.finish(partition).has_value(), "partition " << partition);
  BOOST_TEST((outputs.missing_partitions() == Ranges{{5, 1}, {8, 1}}));
}

BOOST_AUTO_TEST_CASE(a_job_without_partitions_has_finished_all) {
  for (const JobOutputs& outputs : {JobOutputs{}, outputs_of({}, 0)}) {
    BOOST_TEST(outputs.has_finished_all());
    BOOST_TEST(!outputs.has_finished_any());
    BOOST_TEST(outputs.missing_partitions().empty());
  }
}

BOOST_AUTO_TEST_CASE(missing_partitions_keep_the_order_of_the_outputs) {
  const Ranges asked{{6, 2}, {0, 3}};
  JobOutputs outputs = outputs_of(asked);
  BOOST_TEST((outputs.missing_partitions() == asked));
  outputs.finish(1);
  BOOST_TEST((outputs.missing_partitions() == Ranges{{6, 2}, {0, 1}, {2, 1}}));
}

BOOST_AUTO_TEST_CASE(random_lists_finish_each_output_once) {
  RandomStream random{3};
  for (int round = 0; round < 200; ++round) {
    const Ranges asked = random_ranges(random);
    std::vector<std::int32_t> partition_of;  // by output
    for (const IndexRange& range : asked)
      for (std::int32_t offset = 0; offset < range.count; ++offset) partition_of.push_back(range.first + offset);
    JobOutputs outputs = outputs_of(asked);
    std::set<std::int32_t> finished;
    for (int step = 0; step < 300; ++step) {
      const auto partition = static_cast<std::int32_t>(random.below(100));
      const auto found = std::find(partition_of.begin(), partition_of.end(), partition);
      const bool is_new = found != partition_of.end() && finished.insert(partition).second;
      const auto output = outputs.finish(partition);
      BOOST_REQUIRE(output.has_value() == is_new);
      if (is_new) BOOST_REQUIRE(*output == found - partition_of.begin());
      BOOST_REQUIRE(outputs.has_finished_all() == (finished.size() == partition_of.size()));
      BOOST_REQUIRE(outputs.is_consistent());
    }
    std::vector<std::int32_t> missing;
    for (const IndexRange& range : outputs.missing_partitions())
      for (std::int32_t offset = 0; offset < range.count; ++offset) missing.push_back(range.first + offset);
    std::erase_if(partition_of, [&finished](std::int32_t partition) { return finished.contains(partition); });
    BOOST_TEST(missing == partition_of, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace job_outputs_test
}  // namespace heddle::policies
