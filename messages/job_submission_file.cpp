#include "messages/job_submission_file.hpp"

#include <fmt/format.h>

#include "caf_compat/packed.hpp"
#include "messages/job_package_file.hpp"
#include "messages/nouns.hpp"
#include "model/sealed_bytes.hpp"

namespace heddle {
namespace {

constexpr SealForm submission_form{"job submission", "HDJS", 1, job_package_bytes_max};

/// The packed form has no durations: the lag is written in microseconds.
template <class Inspector>
void submission_fields(Inspector& inspector, JobSubmission& x) {
  auto& rules = x.rules;
  auto lag = rules.speculative_lag.count();
  inspector(x.job, x.user, x.package_file, x.submit_time, rules.priority, rules.slow_start, rules.map_speculative,
            rules.reduce_speculative, rules.speculative_gap, lag, rules.map_attempts_max, rules.reduce_attempts_max,
            rules.tracker_failures_max, rules.map_failures_percent, rules.reduce_failures_percent,
            rules.reduce_input_limit, rules.tasks_per_process, x.package);
  rules.speculative_lag = Duration{lag};
}

Error damaged_submission(std::size_t bytes, std::string_view why) {
  return {Errc::corrupt, fmt::format("the job submission is damaged: {} ({} bytes)", why, bytes)};
}

}  // namespace

Result<std::string> write_job_submission(const JobSubmission& submission) {
  std::string content;
  caf_compat::PackWriter writer{content};
  submission_fields(writer, const_cast<JobSubmission&>(submission));  // a writer changes nothing
  const auto bytes = seal_header_bytes + content.size();
  if (bytes > job_package_bytes_max)
    return Error{Errc::refused,
                 fmt::format("the job submission has {} bytes, the maximum is {}", bytes, job_package_bytes_max)};
  return seal(submission_form, content);
}

Result<JobSubmission> read_job_submission_fields(std::string_view bytes) {
  JobSubmission submission;
  caf_compat::PackReader reader{bytes};
  submission_fields(reader, submission);
  if (!reader.is_whole())
    return damaged_submission(bytes.size(), "its bytes do not match the fields of a job submission");
  if (const auto fault = fault_of(submission.package); !fault.empty()) return damaged_submission(bytes.size(), fault);
  return submission;
}

Result<JobSubmission> read_job_submission(std::string_view bytes) {
  const auto content = unseal(submission_form, bytes);
  return content ? read_job_submission_fields(*content) : content.error();
}

}  // namespace heddle
