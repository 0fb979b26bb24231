// Goal: a later MapReduceMaster reads from a history what an earlier one wrote about an attempt.
#include "actors/map_reduce_master/history_values.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle::actors {
namespace history_values_test {
namespace {

BOOST_AUTO_TEST_CASE(bytes_records_and_counters_of_an_outcome_return) {
  TaskOutcome outcome;
  outcome.bytes_read = 1;
  outcome.records_read = 2;
  outcome.bytes_shuffled_in = 3;
  outcome.bytes_written = 4;
  outcome.bytes_spilled = 5;
  outcome.counters = {{"Mine\tn", 6}, {"no group", 7}};
  set_counter(outcome.task_counters, TaskCounter::map_input_records, 8);
  const auto back = outcome_of(history_counters(outcome));
  BOOST_TEST(back.bytes_read == 1);
  BOOST_TEST(back.records_read == 2);
  BOOST_TEST(back.bytes_shuffled_in == 3);
  BOOST_TEST(back.bytes_written == 4);
  BOOST_TEST(back.bytes_spilled == 5);
  BOOST_TEST(
      (back.counters ==
       std::vector<std::pair<std::string, std::int64_t>>{
           {"org.apache.hadoop.mapreduce.TaskCounter\tMAP_INPUT_RECORDS", 8}, {"Mine\tn", 6}, {"no group\t", 7}}));
}

BOOST_AUTO_TEST_CASE(counters_are_in_groups_that_hadoop_shows_by_their_names) {
  const auto made = history_counters(
      "TOTAL_COUNTERS", {{"org.apache.hadoop.mapreduce.JobCounter\tMILLIS_MAPS", 3}, {"Mine\ta", 1}, {"Mine\tb", 2}});
  BOOST_TEST((made == history::Counters{"TOTAL_COUNTERS",
                                        {{"org.apache.hadoop.mapreduce.JobCounter",
                                          "Job Counters ",
                                          {{"MILLIS_MAPS", "Total time spent by all map tasks (ms)", 3}}},
                                         {"Mine", "Mine", {{"a", "a", 1}, {"b", "b", 2}}}}}));
}

BOOST_AUTO_TEST_CASE(the_place_of_a_map_output_returns) {
  const MapOutputLocation place{NodeId{5}, Epoch{7}, "host-1", "127.0.0.1:4711", "/tmp/in a folder/x"};
  BOOST_TEST(place_text(place) == "map output on node 5 of registration 7 at 127.0.0.1:4711 in /tmp/in a folder/x");
  const auto back = read_place(place_text(place), "host-1");
  BOOST_TEST_REQUIRE(back.has_value());
  BOOST_TEST((*back == place));
}

BOOST_AUTO_TEST_CASE(another_text_is_no_place) {
  for (const auto* text :
       {"", "map", "map output on node x of registration 7 at a in b", "map output on node 5 of registration at a in b",
        "map output on node 5 of registration 7", "map output on node 5 of registration 7 at a"})
    BOOST_TEST(!read_place(text, "h").has_value(), text);
}

}  // namespace
}  // namespace history_values_test
}  // namespace heddle::actors
