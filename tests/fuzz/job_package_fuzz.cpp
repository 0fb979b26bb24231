// A job package that can be read is written, and the written bytes are read as the same bytes again. Also reads fields
// without their checksum, which mutations would never match.
#include "messages/job_package_file.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace {

/// The bytes can differ from those read: a bool is any byte except 0.
void check(const heddle::Result<heddle::JobPackage>& read) {
  if (!read) return HEDDLE_ASSERT(read.error().text.starts_with("the job package "), read.error().text);
  const auto written = heddle::write_job_package(*read);
  const auto again = heddle::read_job_package(*written);
  HEDDLE_ASSERT(again.has_value(), "a job package cannot be read back");
  HEDDLE_ASSERT(*heddle::write_job_package(*again) == *written, "a job package reads differently");
}

}  // namespace

HEDDLE_FUZZ_TARGET(job_package) {
  check(heddle::read_job_package(input));
  check(heddle::read_job_package_fields(input));
}
