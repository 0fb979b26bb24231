// Goal: of a report only the parts that an attempt can have are kept, and an outcome gets only what it lacks.
// Method: tables of reports and outcomes.
#include "model/attempt_work.hpp"

#include <boost/test/unit_test.hpp>
#include <limits>

namespace attempt_work_test {
namespace {

using namespace heddle;

using UserCounters = std::vector<std::pair<std::string, std::int64_t>>;

TaskCounters task_counters(std::int64_t records) {
  TaskCounters counters;
  set_counter(counters, TaskCounter::map_input_records, records);
  return counters;
}

const UserCounters mine{{"Mine\tn", 2}};

AttemptCounters updated(AttemptCounters report, std::int32_t counters_max = 2) {
  AttemptCounters known{task_counters(1), mine};
  update_counters(known, std::move(report), counters_max);
  return known;
}

BOOST_AUTO_TEST_CASE(each_part_of_a_report_replaces_the_one_before_and_an_empty_part_does_not) {
  const UserCounters more{{"Mine\tm", -7}, {"Mine\tn", std::numeric_limits<std::int64_t>::max()}};
  BOOST_TEST((updated({task_counters(5), {}}).task == task_counters(5)));
  BOOST_TEST((updated({task_counters(5), {}}).user == mine));
  BOOST_TEST((updated({{}, more}).task == task_counters(1)));
  BOOST_TEST((updated({{}, more}).user == more));
}

BOOST_AUTO_TEST_CASE(parts_that_no_attempt_reports_are_ignored) {
  auto too_long = task_counters(5);
  too_long.push_back(0);
  for (const auto& wrong : {TaskCounters{5}, too_long, task_counters(-1)})
    BOOST_TEST((updated({wrong, {}}).task == task_counters(1)));
  BOOST_TEST((updated({{}, {{"a", 1}, {"b", 1}, {"c", 1}}}).user == mine));
  BOOST_TEST((updated({{}, {{"a", 1}}}, 0).user == mine));
  BOOST_TEST((updated({{}, {{std::string(user_counter_bytes_max, 'x'), 1}}}).user == mine));
}

BOOST_AUTO_TEST_CASE(an_outcome_gets_the_parts_that_it_lacks) {
  TaskOutcome bare;
  add_missing_counters(bare, {task_counters(5), mine});
  BOOST_TEST((bare.task_counters == task_counters(5)));
  BOOST_TEST((bare.counters == mine));
  TaskOutcome counted;
  counted.task_counters = task_counters(6);
  add_missing_counters(counted, {task_counters(5), mine});
  BOOST_TEST((counted.task_counters == task_counters(6)));
  BOOST_TEST((counted.counters == mine));
}

}  // namespace
}  // namespace attempt_work_test
