// Goal: an application waits for its clients no longer than they need. Method: instants that the test chooses.
#include "actors/job_reporter/follower_wait.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle::actors {
namespace follower_wait_test {
namespace {

using namespace std::chrono_literals;

const Instant start{1h};

BOOST_AUTO_TEST_CASE(nothing_is_over_before_the_jobs_have_ended) {
  FollowerWait wait{false, start};
  BOOST_TEST(!wait.is_over(start + 1h, 0));
  BOOST_TEST(!wait.next_due(0).has_value());
  BOOST_TEST(!wait.next_due(1).has_value());
}

BOOST_AUTO_TEST_CASE(without_an_expected_client_the_application_ends_with_its_jobs) {
  FollowerWait wait{false, start};
  wait.on_reported(start + 1s);
  BOOST_TEST(wait.is_over(start + 1s, 0));
}

BOOST_AUTO_TEST_CASE(an_expected_client_has_some_seconds_from_the_start) {
  FollowerWait wait{true, start};
  wait.on_reported(start + 1s);
  BOOST_TEST(!wait.is_over(start + 1s, 0));
  BOOST_TEST((wait.next_due(0) == start + FollowerWait::arrival));
  BOOST_TEST(wait.is_over(start + FollowerWait::arrival, 0));
}

BOOST_AUTO_TEST_CASE(a_long_job_does_not_wait_for_a_client_that_has_never_come) {
  FollowerWait wait{true, start};
  wait.on_reported(start + 1min);
  BOOST_TEST(wait.is_over(start + 1min, 0));
}

BOOST_AUTO_TEST_CASE(a_client_that_has_left_is_not_waited_for) {
  FollowerWait wait{true, start};
  wait.on_followed();
  wait.on_reported(start + 1s);
  BOOST_TEST(wait.is_over(start + 1s, 0));
}

BOOST_AUTO_TEST_CASE(a_frozen_client_is_waited_for_with_a_limit) {
  FollowerWait wait{false, start};
  wait.on_followed();
  wait.on_reported(start + 1min);
  wait.on_reported(start + 2min);  // counts once
  BOOST_TEST(!wait.is_over(start + 1min, 1));
  BOOST_TEST((wait.next_due(1) == start + 1min + FollowerWait::confirmation));
  BOOST_TEST(wait.is_over(start + 1min + FollowerWait::confirmation, 1));
  BOOST_TEST(wait.is_over(start + 1min, 0));
}

BOOST_AUTO_TEST_CASE(an_expected_client_that_does_not_confirm_is_missing_the_ends) {
  FollowerWait expected{true, start};
  expected.on_followed();
  BOOST_TEST(!expected.is_confirmed());
  expected.on_confirmed();
  BOOST_TEST(expected.is_confirmed());
  BOOST_TEST((FollowerWait{false, start}.is_confirmed()));
}

}  // namespace
}  // namespace follower_wait_test
}  // namespace heddle::actors
