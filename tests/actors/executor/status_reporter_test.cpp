// Goal: all reports of slots reach the Driver, and equal ones form one range. Method: small lists of reports.
#include "actors/executor/status_reporter.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle::actors {
namespace status_reporter_test {
namespace {

ports::TaskReport report(std::int32_t index, std::int32_t attempt = 0) {
  ports::TaskReport made;
  made.stage = {JobId{0}, StageId{1}, 0};
  made.index = index;
  made.attempt = attempt;
  made.outcome.run_us = 10 + index;
  return made;
}

BOOST_AUTO_TEST_CASE(consecutive_equal_outcomes_form_one_range) {
  const auto update = coalesce_reports({report(4), report(5), report(6)});
  BOOST_REQUIRE(update.finished.size() == 1U);
  BOOST_TEST(update.finished[0].first_index == 4);
  BOOST_TEST(update.finished[0].count == 3);
  BOOST_TEST(update.finished[0].run_us[2] == 16);
  BOOST_TEST(update.statuses.empty());
}

BOOST_AUTO_TEST_CASE(a_gap_or_another_attempt_starts_a_new_range) {
  BOOST_TEST(coalesce_reports({report(4), report(6)}).finished.size() == 2U);
  BOOST_TEST(coalesce_reports({report(4), report(5, 1)}).finished.size() == 2U);
}

BOOST_AUTO_TEST_CASE(interleaved_reports_of_slots_form_one_range) {
  const auto update = coalesce_reports({report(4), report(6), report(8), report(5), report(7)});
  BOOST_REQUIRE(update.finished.size() == 1U);
  BOOST_TEST(update.finished[0].first_index == 4);
  BOOST_TEST(update.finished[0].count == 5);
  BOOST_TEST(update.finished[0].run_us[3] == coalesce_reports({report(7)}).finished[0].run_us[0]);
}

BOOST_AUTO_TEST_CASE(an_outcome_with_details_is_sent_alone) {
  auto read = report(1);
  read.outcome.bytes_read = 7;
  auto failed = report(2);
  failed.outcome.state = TaskState::failed;
  const auto update = coalesce_reports({report(0), read, failed});
  BOOST_TEST(update.finished.size() == 1U);
  BOOST_REQUIRE(update.statuses.size() == 2U);
  BOOST_TEST(update.statuses[0].outcome.bytes_read == 7);
}

}  // namespace
}  // namespace status_reporter_test
}  // namespace heddle::actors
