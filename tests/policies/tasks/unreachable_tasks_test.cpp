// Goal: only a task whose attempts have run for minutes, and failed twice, ends its job. Method: run times that the
// test chooses.
#include "policies/tasks/unreachable_tasks.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle::policies {
namespace unreachable_tasks_test {
namespace {

using namespace std::chrono_literals;

BOOST_AUTO_TEST_CASE(a_failure_after_the_first_one_of_a_task_counts_if_its_attempts_ran_for_five_minutes_in_sum) {
  UnreachableTasks<int> tasks;
  BOOST_TEST(!tasks.stays_unreachable(7, 2min));
  BOOST_TEST(!tasks.stays_unreachable(7, 3min - 1us));
  BOOST_TEST(!tasks.stays_unreachable(8, 10min));  // another task
  BOOST_TEST(tasks.stays_unreachable(7, 1us));
  BOOST_TEST(tasks.stays_unreachable(8, 0min));
}

BOOST_AUTO_TEST_CASE(impossible_run_times_count_as_none_or_as_five_minutes) {
  UnreachableTasks<int> tasks;
  BOOST_TEST(!tasks.stays_unreachable(7, Duration::min()));
  BOOST_TEST(!tasks.stays_unreachable(7, 5min - 1us));
  BOOST_TEST(tasks.stays_unreachable(7, Duration::max()));
  BOOST_TEST(tasks.stays_unreachable(7, Duration::max()));
}

BOOST_AUTO_TEST_CASE(after_a_success_the_failures_before_it_do_not_count) {
  UnreachableTasks<int> tasks;
  BOOST_TEST(!tasks.stays_unreachable(7, 10min));
  tasks.erase(7);
  BOOST_TEST(!tasks.stays_unreachable(7, 10min));
  BOOST_TEST(tasks.stays_unreachable(7, 0min));
}

}  // namespace
}  // namespace unreachable_tasks_test
}  // namespace heddle::policies
