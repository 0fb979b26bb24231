// A job submission as the content of a file, for a JobTracker that runs its jobs anew after it was lost.
//
// Sealed bytes (model/sealed_bytes.hpp, magic "HDJS"): the fields in the order of job_submission_file.cpp, encoded as
// in messages. Raise the version with each change of a type in a submission:
// tests/messages/job_submission_file_test.cpp fails without.
#pragma once

#include <string>
#include <string_view>

#include "model/job_package.hpp"
#include "model/result.hpp"

namespace heddle {

/// Errc::refused: it would have more than job_package_bytes_max bytes.
[[nodiscard]] Result<std::string> write_job_submission(const JobSubmission& submission);
/// Errc::corrupt: another version, a wrong checksum, damaged fields, or values out of range.
[[nodiscard]] Result<JobSubmission> read_job_submission(std::string_view bytes);
/// Reads the bytes after the header.
[[nodiscard]] Result<JobSubmission> read_job_submission_fields(std::string_view bytes);

}  // namespace heddle
