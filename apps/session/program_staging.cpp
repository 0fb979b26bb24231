#include "apps/session/program_staging.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "apps/job_files/staging_folder.hpp"
#include "apps/roles/session_files.hpp"
#include "work/files/copy_bytes.hpp"
#include "work/files/local_file_system.hpp"

namespace heddle::apps {
namespace {

constexpr std::string_view upload_mark = ".upload-";  // in the name of a file that is not complete
constexpr std::string_view use_mark = ".used";        // a file that is as old as the last use of the file without it
constexpr std::int64_t day_ms = 86'400'000;
constexpr std::int64_t unused_max_ms = 30 * day_ms;

using Entries = std::map<std::string, ports::FileStatus>;  // by path

/// Name of the file in the folder of a container.
std::string name_for(const work::ProgramFile& file, bool is_program) {
  return is_program ? std::string{interop::program_name} : file.name;
}

/// Another client can upload the same file at the same time: one of them gives it its name.
Result<Done> upload(const work::ProgramFile& file, ports::FileSystem& files, const std::string& path,
                    const std::string& folder) {
  const auto source = work::LocalFileSystem{}.open(file.path, {});
  if (!source) return source.error();
  const auto aside = fmt::format("{}{}{}", path, upload_mark, random_token());
  const auto give_up = [&](const Error& why) {
    static_cast<void>(files.remove_all(aside, folder));
    return why;
  };
  {
    const auto sink = files.create(aside, {});
    if (!sink) return sink.error();
    if (auto copied = work::copy_bytes(**source, **sink); !copied) return give_up(copied.error());
  }
  const auto renamed = files.rename_exclusive(aside, path);
  if (!renamed) return give_up(renamed.error());
  return *renamed ? Result<Done>{Done{}} : files.remove_all(aside, folder);
}

/// Uploads of clients that were killed.
void remove_old_uploads(const Entries& present, ports::FileSystem& files, const std::string& folder) {
  const auto begin = wall_clock_ms() - day_ms;
  for (const auto& [path, status] : present)
    if (path.find(upload_mark) != std::string::npos && status.modified_ms < begin)
      static_cast<void>(files.remove_all(path, folder));
}

/// Records the use of a file, once a day. The file itself must not change: nodes compare its time.
void record_use(const std::string& path, const Entries& present, ports::FileSystem& files) {
  const auto mark = path + std::string{use_mark};
  const auto known = present.find(mark);
  if (known != present.end() && known->second.modified_ms > wall_clock_ms() - day_ms) return;
  if (const auto sink = files.create(mark, {}); sink) static_cast<void>((*sink)->close());
}

/// Files of builds that nobody has used for 30 days. A client may have recorded a use since the folder was listed.
void remove_unused(const Entries& present, ports::FileSystem& files, const std::string& folder) {
  const auto begin = wall_clock_ms() - unused_max_ms;
  for (const auto& [mark, listed] : present) {
    if (!mark.ends_with(use_mark) || listed.modified_ms >= begin) continue;
    const auto now = files.status(mark);
    if (!now || now->modified_ms >= begin) continue;
    if (files.remove_all(mark.substr(0, mark.size() - use_mark.size()), folder))
      static_cast<void>(files.remove_all(mark, folder));
  }
}

}  // namespace

std::vector<interop::LaunchFile> local_program(const std::vector<work::ProgramFile>& program) {
  std::vector<interop::LaunchFile> made;
  for (const auto& file : program)
    made.push_back({name_for(file, made.empty()), "file://" + file.path, file.bytes, file.modified_ms});
  return made;
}

Result<std::vector<interop::LaunchFile>> stage_program(const std::vector<work::ProgramFile>& program,
                                                       ports::FileSystem& files, const std::string& folder) {
  if (auto made = make_own_folder(files, folder); !made) return made.error();
  const auto listed = files.list(folder);
  if (!listed) return listed.error();
  Entries present;
  for (const auto& status : *listed) present.emplace(status.path, status);
  remove_old_uploads(present, files, folder);
  std::vector<interop::LaunchFile> made;
  for (const auto& file : program) {
    const auto path = fmt::format("{}/{}-{}", folder, file.content, file.name);
    auto known = present.find(path);
    if (known == present.end()) {
      if (auto uploaded = upload(file, files, path, folder); !uploaded)
        return Error{uploaded.error().code,
                     fmt::format("cannot upload the program: {}; heddle.yarn.staging_dir names another folder",
                                 uploaded.error().text)};
      auto status = files.status(path);
      if (!status) return status.error();
      known = present.emplace(path, std::move(*status)).first;
    }
    const auto& status = known->second;
    if (status.length != file.bytes)
      return Error{Errc::corrupt, fmt::format("{} has {} bytes, but {} has {}; remove the former", path, status.length,
                                              file.path, file.bytes)};
    const auto url = path.starts_with('/') ? "file://" + path : path;
    made.push_back({name_for(file, made.empty()), url, status.length, status.modified_ms});
    record_use(path, present, files);
  }
  remove_unused(present, files, folder);
  return made;
}

}  // namespace heddle::apps
