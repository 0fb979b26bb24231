#include "messages/job_package_file.hpp"

#include "messages/nouns.hpp"
#include "messages/sealed_fields.hpp"

namespace heddle {
namespace {

constexpr SealForm package_form{"job package", "HDJP", 4, job_package_bytes_max};

constexpr auto package_fields = [](auto& inspector, JobPackage& package) { inspect(inspector, package); };

}  // namespace

Result<std::string> write_job_package(const JobPackage& package) {
  return write_sealed_fields(package_form, package, package_fields);
}

Result<JobPackage> read_job_package_fields(std::string_view bytes) {
  return read_packed_fields<JobPackage>(package_form, bytes, package_fields,
                                        [](const JobPackage& package) { return std::string{fault_of(package)}; });
}

Result<JobPackage> read_job_package(std::string_view bytes) {
  const auto content = unseal(package_form, bytes);
  return content ? read_job_package_fields(*content) : content.error();
}

}  // namespace heddle
