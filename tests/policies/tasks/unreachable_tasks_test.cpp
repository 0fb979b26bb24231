// Goal: only a task that fails again after minutes ends its job. Method: instants that the test chooses.
#include "policies/tasks/unreachable_tasks.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle::policies {
namespace unreachable_tasks_test {
namespace {

using namespace std::chrono_literals;

BOOST_AUTO_TEST_CASE(the_second_failure_of_a_task_counts_if_the_first_is_five_minutes_old) {
  const Instant start{1h};
  UnreachableTasks<int> tasks;
  BOOST_TEST(!tasks.stays_unreachable(start, 7));
  BOOST_TEST(!tasks.stays_unreachable(start + 5min - 1us, 7));
  BOOST_TEST(!tasks.stays_unreachable(start + 5min, 8));  // another task
  BOOST_TEST(tasks.stays_unreachable(start + 5min, 7));
  BOOST_TEST(tasks.stays_unreachable(start + 10min, 8));
}

}  // namespace
}  // namespace unreachable_tasks_test
}  // namespace heddle::policies
