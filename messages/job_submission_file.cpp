#include "messages/job_submission_file.hpp"

#include "messages/job_package_file.hpp"
#include "messages/nouns.hpp"
#include "messages/sealed_fields.hpp"

namespace heddle {
namespace {

constexpr SealForm submission_form{"job submission", "HDJS", 3, job_package_bytes_max};

/// The packed form has no durations: the lag is written in microseconds.
constexpr auto submission_fields = [](auto& inspector, JobSubmission& x) {
  auto& rules = x.rules;
  auto lag = rules.speculative_lag.count();
  inspector(x.job, x.user, x.package_file, x.submit_time, rules.priority, rules.slow_start, rules.map_speculative,
            rules.reduce_speculative, rules.speculative_gap, lag, rules.map_attempts_max, rules.reduce_attempts_max,
            rules.tracker_failures_max, rules.map_failures_percent, rules.reduce_failures_percent,
            rules.reduce_input_limit, rules.tasks_per_process, x.package);
  rules.speculative_lag = Duration{lag};
};

}  // namespace

Result<std::string> write_job_submission(const JobSubmission& submission) {
  return write_sealed_fields(submission_form, submission, submission_fields);
}

Result<JobSubmission> read_job_submission_fields(std::string_view bytes) {
  return read_packed_fields<JobSubmission>(
      submission_form, bytes, submission_fields,
      [](const JobSubmission& submission) { return std::string{fault_of(submission.package)}; });
}

Result<JobSubmission> read_job_submission(std::string_view bytes) {
  const auto content = unseal(submission_form, bytes);
  return content ? read_job_submission_fields(*content) : content.error();
}

}  // namespace heddle
