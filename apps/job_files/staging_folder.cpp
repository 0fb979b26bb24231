#include "apps/job_files/staging_folder.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <variant>

#include "messages/job_package_file.hpp"
#include "ports/file_path.hpp"
#include "work/files/copy_bytes.hpp"

namespace heddle::apps {
namespace {

constexpr std::uint32_t private_folder = 0700;
constexpr std::uint32_t executable = 0777;  // a shipped file may be the command of a task

std::string package_path(const std::string& folder, std::size_t number) {
  return fmt::format("{}/job-{}.package", folder, number);
}

/// Another user who owns the folder could change the files in it.
Result<Done> check_owner(ports::FileSystem& files, const std::string& folder) {
  const auto mark = folder + "/owner";
  const auto is_marked = files.is_present(mark);
  if (!is_marked) return is_marked.error();
  if (!*is_marked)
    if (auto written = files.write_atomically(mark, "heddle\n", folder); !written) return written;
  const auto own = files.open_own_file(mark, folder, ports::Locking::none);
  if (!own) return own.error();
  return Done{};
}

Result<Done> copy_tree(ports::FileSystem& files, const std::string& from, const std::string& to) {
  const auto status = files.status(from);
  if (!status) return status.error();
  if (!status->is_directory) return copy_file(files, from, to);
  const auto children = files.list(from);
  if (!children) return children.error();
  if (auto made = files.make_directory(to); !made) return made;
  for (const auto& child : *children)
    if (auto copied = copy_tree(files, child.path, to + '/' + ports::last_component(child.path)); !copied)
      return copied;
  return Done{};
}

/// Calls `use` with the path of each local file that the job ships, until it returns an error.
template <class Job, class Use>
Result<Done> for_local_files(Job& job, const Use& use) {
  for (auto& stage : job.package.graph.stages)
    for (auto& body : stage.bodies) {
      auto* command = std::get_if<CommandBody>(&body);
      if (command == nullptr) continue;
      for (auto& file : command->files)
        if (ports::scheme_of(file).empty())
          if (auto used = use(file); !used) return used;
    }
  return Done{};
}

}  // namespace

Result<Done> make_own_folder(ports::FileSystem& files, const std::string& folder) {
  // HDFS would give missing folders, such as /user, the permissions of the last one.
  if (auto made = files.make_directories(ports::parent_of(folder)); !made) return made;
  if (auto made = files.make_directories(folder, private_folder); !made) return made;
  return check_owner(files, folder);
}

Result<Done> copy_file(ports::FileSystem& files, const std::string& from, const std::string& to) {
  const auto source = files.open(from, {});
  if (!source) return source.error();
  ports::CreateOptions options;
  options.permissions = executable;
  const auto sink = files.create(to, options);
  if (!sink) return sink.error();
  return work::copy_bytes(**source, **sink);
}

bool ships_local_files(const SubmitJob& job) {
  bool found = false;
  static_cast<void>(for_local_files(job, [&found](const std::string&) {
    found = true;
    return Result<Done>{Done{}};
  }));
  return found;
}

Result<Done> ShippedCopies::ship(SubmitJob& job) {
  return for_local_files(job, [this](std::string& file) -> Result<Done> {
    auto copy = copy_of(file);
    if (!copy) return Error{copy.error().code, fmt::format("cannot ship {}: {}", file, copy.error().text)};
    file = std::move(*copy);
    return Done{};
  });
}

Result<std::string> ShippedCopies::copy_of(const std::string& file) {
  const auto known = copies_.find(file);
  if (known != copies_.end()) return known->second;
  const auto place = fmt::format("{}/{}", folder_, copies_.size() + 1);
  if (auto made = files_.make_directories(place, private_folder); !made) return made.error();
  auto copy = place + '/' + ports::last_component(file);
  if (auto copied = copy_tree(files_, file, copy); !copied) return copied.error();
  copies_.emplace(file, copy);
  return copy;
}

Result<Done> write_staging_folder(ports::FileSystem& files, const std::string& folder, std::vector<SubmitJob>& jobs) {
  if (auto made = files.make_directories(folder, private_folder); !made) return made;
  ShippedCopies copies{files, folder};
  std::size_t number = 0;
  for (auto& job : jobs) {
    if (auto shipped = copies.ship(job); !shipped) return shipped;
    const auto path = package_path(folder, ++number);
    const auto bytes = write_job_package(job.package);
    if (!bytes) return Error{bytes.error().code, fmt::format("cannot write '{}': {}", path, bytes.error().text)};
    if (auto written = files.write_atomically(path, *bytes, folder); !written) return written;
  }
  return Done{};
}

Result<Done> remove_staging_folder(ports::FileSystem& files, const std::string& folder) {
  const auto above = ports::parent_of(folder);
  if (auto removed = files.remove_all(folder, above); !removed) return removed;
  static_cast<void>(files.remove_directory(above));  // of other applications
  return Done{};
}

Result<std::vector<JobPackage>> read_staged_jobs(const ports::FileSystem& files, const std::string& folder) {
  std::vector<JobPackage> jobs;
  for (std::size_t number = 1;; ++number) {
    const auto path = package_path(folder, number);
    const auto is_there = files.is_present(path);
    if (!is_there) return is_there.error();
    if (!*is_there) break;
    const auto bytes = files.read_all(path);
    if (!bytes) return bytes.error();
    auto package = read_job_package(*bytes);
    if (!package) return Error{package.error().code, fmt::format("cannot use '{}': {}", path, package.error().text)};
    jobs.push_back(std::move(*package));
  }
  if (jobs.empty()) return Error{Errc::not_found, fmt::format("the staging folder {} has no job", folder)};
  return jobs;
}

}  // namespace heddle::apps
