// Goal: reports are due at their interval, a notice is sent once, and the time of a stage stops when it is done.
// Method: plain calls.
#include "actors/driver/progress_reports.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle::actors {
namespace progress_reports_test {
namespace {

Instant at(std::int64_t us) { return Instant{Duration{us}}; }

BOOST_AUTO_TEST_CASE(reports_are_due_soon_after_a_change_and_seldom_without_one) {
  ProgressReports reports{Duration{10}, Duration{50}, at(0)};
  BOOST_TEST(!reports.poll_due(at(9)));
  BOOST_TEST(reports.poll_due(at(12)));
  BOOST_TEST((reports.next_due() == at(62)));
  reports.mark_changed(at(20));
  reports.mark_changed(at(25));  // reports about the first change are not put off
  BOOST_TEST((reports.next_due() == at(30)));
  BOOST_TEST(reports.poll_due(at(30)));
  reports.mark_changed(at(75));
  BOOST_TEST((reports.next_due() == at(80)));
}

BOOST_AUTO_TEST_CASE(each_notice_is_sent_once_and_at_most_a_thousand_are) {
  ProgressReports reports{Duration{10}, Duration{50}, at(0)};
  BOOST_TEST(reports.is_first("a"));
  BOOST_TEST(!reports.is_first("a"));
  for (int text = 0; text < 999; ++text) BOOST_TEST(reports.is_first(std::to_string(text)));
  BOOST_TEST(!reports.is_first("b"));
}

BOOST_AUTO_TEST_CASE(waits_are_reported_every_ten_seconds) {
  ProgressReports reports{Duration{10}, Duration{50}, at(0)};
  BOOST_TEST(reports.poll_wait_notice(at(5)));
  BOOST_TEST(!reports.poll_wait_notice(at(10'000'004)));
  BOOST_TEST(reports.poll_wait_notice(at(10'000'005)));
}

BOOST_AUTO_TEST_CASE(the_run_time_of_a_stage_stops_when_it_is_done) {
  JobRecord job;
  job.id = JobId{4};
  job.progress[0].tasks = 2;
  job.progress[0].finished = 1;
  job.times[0].begun = at(100);
  auto report = ProgressReports::report(job, at(150), {{0, 1}});
  BOOST_REQUIRE(report.stages.size() == 1U);
  BOOST_TEST(report.stages[0].running == 1);
  BOOST_TEST(!report.stages[0].is_done);
  BOOST_TEST(report.stages[0].elapsed_us == 50);
  job.progress[0].finished = 2;
  report = ProgressReports::report(job, at(170), {});
  BOOST_TEST(report.stages[0].is_done);
  BOOST_TEST(report.stages[0].running == 0);
  report = ProgressReports::report(job, at(900), {});
  BOOST_TEST(report.stages[0].elapsed_us == 70);
}

}  // namespace
}  // namespace progress_reports_test
}  // namespace heddle::actors
