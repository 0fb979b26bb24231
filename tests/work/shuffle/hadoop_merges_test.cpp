// Goal: the records that merges of Hadoop would write or read.
// Method: sizes of recorded jobs of Hadoop Streaming 3.4.2, and tables.
#include "work/shuffle/hadoop_merges.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

namespace heddle::work {
namespace hadoop_merges_test {
namespace {

std::vector<SegmentSize> segments(const std::vector<std::int64_t>& records) {
  std::vector<SegmentSize> made;
  for (const auto count : records) made.push_back({count, count * 12});
  return made;
}

BOOST_AUTO_TEST_CASE(early_merges_take_the_smallest_segments_and_leave_full_merges) {
  struct Row {
    std::vector<std::int64_t> records;
    std::int32_t factor;
    std::int64_t merged;
  };
  const std::vector<Row> rows{{{}, 10, 0},
                              {{5, 6, 7}, 10, 0},
                              {{5, 6, 7}, 3, 0},
                              {{1958, 1958, 1610}, 2, 3568},    // recorded: merge-passes-factor-two
                              {{4, 3, 2, 1}, 3, 1 + 2},         // one merge of two leaves three
                              {{1, 2, 3, 4, 5}, 3, 6},          // one merge of three leaves three
                              {{1, 2, 3, 4, 5, 6}, 3, 3 + 10},  // two (1, 2), then three (3, 3, 4)
                              {{1, 0, 2, 0, 3}, 3, 0},          // empty segments need no merge
                              {{7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7}, 10, 14}};
  for (const auto& row : rows) BOOST_TEST(records_of_early_merges(segments(row.records), row.factor) == row.merged);
}

// twelve-files-factor-three: all outputs fit into the memory, are written once for the reducer, and read once.
BOOST_AUTO_TEST_CASE(a_reduce_reads_each_record_once_if_its_memory_suffices) {
  MapReduceRules rules;
  rules.sort_factor = 3;
  BOOST_TEST(reduce_spilled_records(segments({20, 16, 15, 15, 15, 12, 12, 12, 10, 9, 9, 7}), rules) == 152);
  BOOST_TEST(reduce_spilled_records({}, rules) == 0);
  BOOST_TEST(reduce_spilled_records(segments({0, 0}), rules) == 0);
}

// reduce-input-kept-in-memory
BOOST_AUTO_TEST_CASE(a_reduce_that_keeps_its_input_in_memory_reads_no_file) {
  MapReduceRules rules;
  rules.kept_part = 0.7F;
  BOOST_TEST(reduce_spilled_records(segments({18, 14, 13}), rules) == 0);
  rules.reduce_memory = 600;  // the largest output is kept: 18 x 14 + 2 = 254 bytes of 420
  rules.single_part = 1;
  rules.merge_part = 3;
  BOOST_TEST(reduce_spilled_records(segments({18, 14, 13}), rules) == 13 + 14);
}

// reduce-fetches-to-disk: five files start a merge of the three smallest.
BOOST_AUTO_TEST_CASE(files_of_copied_outputs_merge_while_others_are_copied) {
  MapReduceRules rules;
  rules.reduce_memory = 100;
  rules.sort_factor = 3;
  BOOST_TEST(reduce_spilled_records(segments({13, 13, 11, 7, 6}), rules) == 50 + 24);
}

BOOST_AUTO_TEST_CASE(outputs_in_memory_become_a_file_when_they_fill_their_part) {
  MapReduceRules rules;
  rules.reduce_memory = 1000;  // 700 for outputs, 175 for one, 462 start a merge
  // 10 records are 142 bytes: the fourth output starts the merge of 40 records; the rest is written for the reducer.
  BOOST_TEST(reduce_spilled_records(segments({10, 10, 10, 10, 10}), rules) == 50);
  rules.kept_part = 1;
  BOOST_TEST(reduce_spilled_records(segments({10, 10, 10, 10, 10}), rules) == 40);
}

BOOST_AUTO_TEST_CASE(outputs_in_memory_join_the_first_merge_of_many_files) {
  MapReduceRules rules;
  rules.reduce_memory = 400;  // 280 for outputs, 70 for one
  rules.sort_factor = 3;
  // Four files of 10 records and an output of 4 in memory: the first merge takes two files and the output.
  BOOST_TEST(reduce_spilled_records(segments({10, 10, 10, 10, 4}), rules) == 20 + 4 + 40);
}

}  // namespace
}  // namespace hadoop_merges_test
}  // namespace heddle::work
