// A job package as the content of a file: for job services that read it from a file which SubmitJob names, and for
// those that keep submissions on disk.
//
// Sealed bytes (model/sealed_bytes.hpp, magic "HDJP") with the package as caf_compat/packed.hpp encodes it in messages.
// Raise the version with each change of a type in a package: tests/messages/job_package_file_test.cpp fails without.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "model/job_package.hpp"
#include "model/result.hpp"

namespace heddle {

/// Maximum bytes of the file.
constexpr std::size_t job_package_bytes_max = std::size_t{1} << 30;

/// Errc::refused: it would have more than job_package_bytes_max bytes.
[[nodiscard]] Result<std::string> write_job_package(const JobPackage& package);
/// Errc::corrupt: another version, a wrong checksum, damaged fields, values out of range, or more than
/// job_package_bytes_max bytes.
[[nodiscard]] Result<JobPackage> read_job_package(std::string_view bytes);
/// Reads the bytes after the header.
[[nodiscard]] Result<JobPackage> read_job_package_fields(std::string_view bytes);

}  // namespace heddle
