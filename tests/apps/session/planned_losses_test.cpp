// Goal: processes are killed at their times, and the end of the cluster does not wait for later ones.
// Method: a loss that is due at once, and one that is never due.
#include "apps/session/planned_losses.hpp"

#include <boost/test/unit_test.hpp>
#include <future>

namespace heddle::apps {
namespace planned_losses_test {
namespace {

BOOST_AUTO_TEST_CASE(a_due_loss_kills_its_process_and_a_later_one_ends_with_the_cluster) {
  std::promise<PlannedLosses::ProcessNumber> killed;
  auto first = killed.get_future();
  {
    PlannedLosses losses{[&killed](PlannedLosses::ProcessNumber process) { killed.set_value(process); }};
    losses.add(std::chrono::hours{1}, 8);  // a second set_value would throw
    losses.add(Duration{0}, 7);
    losses.begin();
    BOOST_TEST(first.get() == 7);
  }
}

BOOST_AUTO_TEST_CASE(without_a_loss_nothing_is_killed) {
  int kills = 0;
  {
    PlannedLosses losses{[&kills](PlannedLosses::ProcessNumber) { ++kills; }};
    losses.begin();
  }
  BOOST_TEST(kills == 0);
}

}  // namespace
}  // namespace planned_losses_test
}  // namespace heddle::apps
