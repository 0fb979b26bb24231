// Goal: the error of a job that was cancelled has all that its user must know. Method: ends with several texts.
#include "apps/library/job_report.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

namespace heddle::apps {
namespace job_report_test {
namespace {

/// Runs nothing.
class IdleSession final : public Session {
public:
  Result<JobFinished> run(JobGraph, const JobCallbacks&) override { return JobFinished{}; }
  Result<std::vector<JobFinished>> run_all(const std::vector<JobGraph>&, const JobCallbacks&) override {
    return std::vector<JobFinished>{};
  }
  std::string output_path(const std::string& written) const override { return written; }
  std::string event_log() const override { return {}; }
  std::string application() const override { return {}; }
  std::string task_logs() const override { return {}; }
};

Error error_of(JobStatus status, const std::string& text) {
  JobFinished finished;
  finished.status = status;
  finished.text = text;
  const auto report = ReportRecorder{"count"}.report({}, finished, IdleSession{});
  BOOST_REQUIRE(!report.has_value());
  return report.error();
}

BOOST_AUTO_TEST_CASE(the_error_of_a_cancelled_job_has_the_text_of_its_end) {
  const std::string decided = "cannot write '/out': it is full; its commit is decided: the next run finishes it";
  const struct {
    std::string text;
    std::string shown;
  } cases[] = {
      {"", "the job 'count' was cancelled"},
      {"cancelled by the user", "the job 'count' was cancelled by the user"},
      {"enough", "the job 'count' was cancelled: enough"},
      {decided, "the job 'count' was cancelled: " + decided},
  };
  for (const auto& [text, shown] : cases) {
    const auto error = error_of(JobStatus::cancelled, text);
    BOOST_TEST((error.code == Errc::cancelled));
    BOOST_TEST(error.text == shown);
  }
}

BOOST_AUTO_TEST_CASE(the_error_of_a_failed_job_is_the_text_of_its_end) {
  const auto error = error_of(JobStatus::failed, "task 0 failed 4 times");
  BOOST_TEST((error.code == Errc::failed));
  BOOST_TEST(error.text == "task 0 failed 4 times");
}

}  // namespace
}  // namespace job_report_test
}  // namespace heddle::apps
