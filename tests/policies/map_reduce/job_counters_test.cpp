// Goal: counters of a job have the names of Hadoop. Method: a table.
#include "policies/map_reduce/job_counters.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle::policies {
namespace job_counters_test {
namespace {

using Counters = std::vector<std::pair<std::string, std::int64_t>>;

constexpr std::string_view group = "org.apache.hadoop.mapreduce.JobCounter\t";

std::string named(std::string_view name) { return std::string{group}.append(name); }

BOOST_AUTO_TEST_CASE(counters_that_are_not_zero_are_named) {
  JobCounters job;
  job.add(counter_of(true, MapReduceJobCounter::num_killed_maps), 2);
  job.add(counter_of(false, MapReduceJobCounter::total_launched_maps), 1);
  job.add(MapReduceJobCounter::num_failed_maps, 1);
  job.add(MapReduceJobCounter::num_failed_maps, -1);
  job.add_place(MapPlace::other, 3);
  job.add_place(MapPlace::rack, 4);
  job.add_place(MapPlace::node, 5);
  Counters counters{{"Mine\tn", 7}};
  job.add_to(counters);
  BOOST_TEST((counters == Counters{{"Mine\tn", 7},
                                   {named("TOTAL_LAUNCHED_MAPS"), 1},
                                   {named("NUM_KILLED_REDUCES"), 2},
                                   {named("DATA_LOCAL_MAPS"), 5},
                                   {named("RACK_LOCAL_MAPS"), 4},
                                   {named("OTHER_LOCAL_MAPS"), 3}}));
}

BOOST_AUTO_TEST_CASE(what_a_user_counted_under_a_name_of_hadoop_is_added) {
  JobCounters job;
  job.add(MapReduceJobCounter::num_failed_maps, 1);
  Counters counters{{named("NUM_FAILED_MAPS"), 10}};
  job.add_to(counters);
  BOOST_TEST((counters == Counters{{named("NUM_FAILED_MAPS"), 11}}));
}

}  // namespace
}  // namespace job_counters_test
}  // namespace heddle::policies
