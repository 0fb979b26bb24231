// Goal: histories show counters under Hadoop's names. Method: groups and counters of Hadoop, of users, and mixed.
#include "ports/history_names.hpp"

#include <boost/test/unit_test.hpp>

namespace history_names_test {

using heddle::history::shown_counter;
using heddle::history::shown_group;

BOOST_AUTO_TEST_CASE(counters_of_hadoop_have_its_names) {
  const std::string_view tasks = "org.apache.hadoop.mapreduce.TaskCounter";
  BOOST_TEST(shown_group(tasks) == "Map-Reduce Framework");
  BOOST_TEST(shown_counter(tasks, "MAP_INPUT_RECORDS") == "Map input records");
  BOOST_TEST(shown_counter(tasks, "UNKNOWN") == "UNKNOWN");
}

BOOST_AUTO_TEST_CASE(counters_of_users_keep_theirs) {
  BOOST_TEST(shown_group("Mine") == "Mine");
  BOOST_TEST(shown_counter("Mine", "BYTES_READ") == "BYTES_READ");
}

}  // namespace history_names_test
