// Goal: each end of a master leads to one start, up to a limit, and none after the stop. Method: ends reported by the
// test; the start function tells the next step.
#include "apps/session/master_restarts.hpp"

#include <boost/test/unit_test.hpp>
#include <future>
#include <vector>

namespace heddle::apps {
namespace master_restarts_test {
namespace {

BOOST_AUTO_TEST_CASE(each_end_leads_to_a_start_with_the_number_of_lost_masters) {
  std::vector<std::int32_t> starts;
  std::promise<void> is_over;
  MasterRestarts restarts;
  restarts.begin([&](std::int32_t number) {
    starts.push_back(number);
    if (number == 3) is_over.set_value();
    else restarts.on_master_ended();
    return true;
  });
  restarts.on_master_ended();
  is_over.get_future().wait();
  restarts.stop();
  BOOST_TEST((starts == std::vector<std::int32_t>{1, 2, 3}));
}

BOOST_AUTO_TEST_CASE(a_master_that_always_ends_is_not_started_for_ever) {
  std::int32_t starts = 0;
  std::promise<void> is_over;
  MasterRestarts restarts;
  restarts.begin([&](std::int32_t number) {
    starts = number;
    restarts.on_master_ended();
    if (number == master_restarts_max) is_over.set_value();
    return true;
  });
  restarts.on_master_ended();
  is_over.get_future().wait();
  restarts.stop();
  BOOST_TEST(starts == master_restarts_max);
}

BOOST_AUTO_TEST_CASE(after_the_stop_nothing_starts) {
  bool has_started = false;
  MasterRestarts restarts;
  restarts.begin([&](std::int32_t) { return has_started = true; });
  restarts.stop();
  restarts.on_master_ended();
  BOOST_TEST(!has_started);
}

}  // namespace
}  // namespace master_restarts_test
}  // namespace heddle::apps
