// Goal: reports of ended jobs stay as long as the limits say, and have a bounded size. Method: ends at given instants.
#include "actors/job_tracker/ended_jobs.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

namespace heddle::actors {
namespace ended_jobs_test {
namespace {

using namespace std::chrono_literals;

JobFinished report_of(std::int64_t job) {
  JobFinished report;
  report.job = JobId{job};
  report.text = "job " + std::to_string(job);
  return report;
}

bool keeps(const EndedJobs& ended, std::int64_t job) { return ended.find(JobId{job}) != nullptr; }

BOOST_AUTO_TEST_CASE(a_report_goes_after_its_time) {
  EndedJobs ended{{100, 24h}};
  BOOST_TEST(!ended.next_due().has_value());
  ended.add(Instant{1h}, "ann", report_of(1));
  ended.add(Instant{2h}, "bob", report_of(2));
  BOOST_TEST((ended.next_due() == Instant{25h}));
  ended.retire(Instant{25h} - 1us);
  BOOST_TEST(ended.find(JobId{1})->text == "job 1");
  ended.retire(Instant{25h});
  BOOST_TEST(!keeps(ended, 1));
  BOOST_TEST(keeps(ended, 2));
  BOOST_TEST((ended.next_due() == Instant{26h}));
  ended.check_invariants();
}

BOOST_AUTO_TEST_CASE(the_oldest_report_of_a_user_goes_once_there_are_too_many) {
  EndedJobs ended{{2, 24h}};
  ended.add(Instant{1min}, "bob", report_of(1));
  for (std::int64_t job = 2; job <= 4; ++job) ended.add(Instant{job * 1min}, "ann", report_of(job));
  BOOST_TEST(keeps(ended, 1));  // of another user
  BOOST_TEST(!keeps(ended, 2));
  BOOST_TEST(keeps(ended, 3));
  BOOST_TEST(keeps(ended, 4));
  ended.check_invariants();
}

BOOST_AUTO_TEST_CASE(a_report_stays_for_a_minute_however_many_follow) {
  EndedJobs ended{{1, 24h}};
  ended.add(Instant{0s}, "ann", report_of(1));
  ended.add(Instant{59s}, "ann", report_of(2));
  BOOST_TEST(keeps(ended, 1));
  ended.add(Instant{60s}, "ann", report_of(3));
  BOOST_TEST(!keeps(ended, 1));
  BOOST_TEST(keeps(ended, 2));
}

BOOST_AUTO_TEST_CASE(a_report_has_at_most_64_kib) {
  auto report = report_of(1);
  report.text.assign(100'000, 'x');
  for (int i = 0; i < 5'000; ++i)
    report.totals.counters.emplace_back("group\tcounter " + std::to_string(10'000 + i), i);
  report.totals.failures = {{"exit code 3", 7}};
  limit_report(report);
  std::size_t bytes = report.text.size();
  for (const auto* counts : {&report.totals.counters, &report.totals.failures})
    for (const auto& count : *counts) bytes += count.first.size() + sizeof(count.second);
  BOOST_TEST(bytes <= report_bytes_max);
  BOOST_TEST(bytes > report_bytes_max - 100);
  BOOST_TEST(report.totals.failures.size() == 1U);
  BOOST_TEST(report.totals.counters.front().first == "group\tcounter 10000");
}

}  // namespace
}  // namespace ended_jobs_test
}  // namespace heddle::actors
