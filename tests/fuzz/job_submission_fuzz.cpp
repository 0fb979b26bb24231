// A job submission that can be read is written, and the written bytes are read as the same bytes again. Also reads
// fields without their checksum, which mutations would never match.
#include "messages/job_submission_file.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace {

/// The bytes can differ from those read: a bool is any byte except 0.
void check_submission(const heddle::Result<heddle::JobSubmission>& read) {
  if (!read) return HEDDLE_ASSERT(read.error().text.starts_with("the job submission "), read.error().text);
  const auto written = heddle::write_job_submission(*read);
  const auto again = heddle::read_job_submission(*written);
  HEDDLE_ASSERT(again.has_value(), "a job submission cannot be read back");
  HEDDLE_ASSERT(*heddle::write_job_submission(*again) == *written, "a job submission reads differently");
}

}  // namespace

HEDDLE_FUZZ_TARGET(job_submission) {
  check_submission(heddle::read_job_submission(input));
  check_submission(heddle::read_job_submission_fields(input));
}
