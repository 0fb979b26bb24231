#include "apps/job_files/job_packages.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>

#include "messages/job_package_file.hpp"
#include "work/files/file_handle.hpp"
#include "work/files/local_file_system.hpp"

namespace heddle::apps {
namespace {

Result<std::string> read_file(const std::string& path) {
  if (!path.starts_with('/')) return Error{Errc::usage, fmt::format("'{}' is not an absolute path", path)};
  const auto file = work::open_input_file(path);
  if (!file) return file.error();
  struct stat about {};
  if (::fstat(file->descriptor(), &about) != 0) return work::file_error(errno, "read", path);
  if (about.st_size > static_cast<std::int64_t>(job_package_bytes_max))
    return Error{Errc::corrupt, fmt::format("cannot use '{}': it has {} bytes, a job package has at most {}", path,
                                            about.st_size, job_package_bytes_max)};
  std::string bytes(static_cast<std::size_t>(about.st_size), '\0');
  const auto count = file->read_at(bytes.data(), bytes.size(), 0);
  if (!count) return count.error();
  bytes.resize(*count);
  return bytes;
}

}  // namespace

Result<JobPackage> load_job_package(const std::string& path) {
  const auto bytes = read_file(path);
  if (!bytes) return bytes.error();
  auto package = read_job_package(*bytes);
  if (!package) return Error{package.error().code, fmt::format("cannot use '{}': {}", path, package.error().text)};
  return package;
}

Result<Done> save_job_package(const std::string& path, const JobPackage& package) {
  const auto bytes = write_job_package(package);
  if (!bytes) return Error{bytes.error().code, fmt::format("cannot write '{}': {}", path, bytes.error().text)};
  return work::LocalFileSystem{}.write_atomically(path, *bytes, std::filesystem::path{path}.parent_path().string());
}

}  // namespace heddle::apps
