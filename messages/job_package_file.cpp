#include "messages/job_package_file.hpp"

#include <fmt/format.h>

#include "caf_compat/packed.hpp"
#include "messages/nouns.hpp"
#include "model/sealed_bytes.hpp"

namespace heddle {
namespace {

constexpr SealForm package_form{"job package", "HDJP", 2, job_package_bytes_max};

Error damaged(std::size_t bytes, std::string_view why) {
  return {Errc::corrupt, fmt::format("the job package is damaged: {} ({} bytes)", why, bytes)};
}

}  // namespace

Result<std::string> write_job_package(const JobPackage& package) {
  std::string content;
  caf_compat::PackWriter writer{content};
  inspect(writer, const_cast<JobPackage&>(package));  // a writer changes nothing; inspect() serves readers too
  const auto bytes = seal_header_bytes + content.size();
  if (bytes > job_package_bytes_max)
    return Error{Errc::refused,
                 fmt::format("the job package has {} bytes, the maximum is {}", bytes, job_package_bytes_max)};
  return seal(package_form, content);
}

Result<JobPackage> read_job_package_fields(std::string_view bytes) {
  JobPackage package;
  caf_compat::PackReader reader{bytes};
  inspect(reader, package);
  if (!reader.is_whole()) return damaged(bytes.size(), "its bytes do not match the fields of a job package");
  if (const auto fault = fault_of(package); !fault.empty()) return damaged(bytes.size(), fault);
  return package;
}

Result<JobPackage> read_job_package(std::string_view bytes) {
  const auto content = unseal(package_form, bytes);
  return content ? read_job_package_fields(*content) : content.error();
}

}  // namespace heddle
