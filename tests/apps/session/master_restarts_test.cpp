// Goal: each end of a master leads to one start, up to a limit, and none after the stop. Method: ends reported by the
// test; the start function tells the next step.
#include "apps/session/master_restarts.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <future>
#include <vector>

namespace heddle::apps {
namespace master_restarts_test {
namespace {

using namespace std::chrono_literals;

constexpr RestartPauses short_pauses{1ms, 1ms};

BOOST_AUTO_TEST_CASE(each_end_leads_to_a_start_with_the_number_of_lost_masters) {
  std::vector<std::int32_t> starts;
  std::promise<void> is_over;
  MasterRestarts restarts{short_pauses};
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
  MasterRestarts restarts{short_pauses};
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

BOOST_AUTO_TEST_CASE(a_failed_start_is_tried_again) {
  std::promise<std::int32_t> started;
  MasterRestarts restarts{short_pauses};
  restarts.begin([&](std::int32_t number) {
    if (number == 3) started.set_value(number);
    return number == 3;
  });
  restarts.on_master_ended();
  auto last = started.get_future();
  BOOST_TEST_REQUIRE((last.wait_for(10s) == std::future_status::ready));
  restarts.stop();
  BOOST_TEST(last.get() == 3);
}

BOOST_AUTO_TEST_CASE(the_pause_before_a_start_doubles_up_to_its_limit) {
  std::vector<std::chrono::steady_clock::time_point> at{std::chrono::steady_clock::now()};
  std::promise<void> is_over;
  MasterRestarts restarts{{20ms, 40ms}};
  restarts.begin([&](std::int32_t number) {
    at.push_back(std::chrono::steady_clock::now());
    if (number == 4) is_over.set_value();
    else restarts.on_master_ended();
    return true;
  });
  restarts.on_master_ended();
  is_over.get_future().wait();
  restarts.stop();
  BOOST_TEST((at.at(1) - at.at(0) >= 20ms));
  BOOST_TEST((at.at(2) - at.at(1) >= 40ms));
  BOOST_TEST((at.at(4) - at.at(3) >= 40ms));
}

BOOST_AUTO_TEST_CASE(a_stop_does_not_wait_for_a_pause) {
  MasterRestarts restarts{{1h, 1h}};
  bool has_started = false;
  restarts.begin([&](std::int32_t) { return has_started = true; });
  restarts.on_master_ended();
  restarts.stop();
  BOOST_TEST(!has_started);
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
