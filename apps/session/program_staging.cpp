#include "apps/session/program_staging.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <utility>

#include "apps/job_files/staging_folder.hpp"
#include "apps/roles/session_files.hpp"
#include "work/files/copy_bytes.hpp"
#include "work/files/local_file_system.hpp"
#include "work/files/tar_archive.hpp"

namespace heddle::apps {
namespace {

constexpr std::string_view upload_mark = ".upload-";  // in the name of a file that is not complete
constexpr std::string_view use_mark = ".used";        // a file that is as old as the last use of the file without it
constexpr std::int64_t day_ms = 86'400'000;
constexpr std::int64_t unused_max_ms = 30 * day_ms;

using Entries = std::map<std::string, ports::FileStatus>;  // by path

/// A file of the staging folder.
struct StagedFile {
  std::string name;  // in the folder of a container
  std::string path;
  std::int64_t bytes = 0;
  bool is_archive = false;
  std::vector<work::TarEntry> sources;  // of the archive; otherwise the file itself
};

StagedFile staged_program(const work::ProgramFile& file, const std::string& folder) {
  return {std::string{interop::program_name},
          fmt::format("{}/{}-{}", folder, file.content, file.name),
          file.bytes,
          false,
          {{file.name, file.path, file.bytes}}};
}

StagedFile staged_libraries(const std::vector<work::ProgramFile>& program, const std::string& folder) {
  StagedFile made{std::string{interop::libraries_name}, {}, 0, true, {}};
  std::string contents;
  for (const auto& file : std::span{program}.subspan(1)) {
    made.sources.push_back({file.name, file.path, file.bytes});
    contents += fmt::format("{}\n{}\n", file.name, file.content);
  }
  made.path = fmt::format("{}/{}-{}.tar", folder, work::content_id(contents), interop::libraries_name);
  made.bytes = work::tar_bytes(made.sources);
  return made;
}

Result<Done> write(const StagedFile& file, ports::ByteSink& to) {
  if (file.is_archive) return work::write_tar(file.sources, to);
  const auto source = work::LocalFileSystem{}.open(file.sources.front().path, {});
  return source ? work::copy_bytes(**source, to) : Result<Done>{source.error()};
}

/// Another client can upload the same file at the same time: one of them gives it its name.
Result<Done> upload(const StagedFile& file, ports::FileSystem& files, const std::string& folder) {
  const auto aside = fmt::format("{}{}{}", file.path, upload_mark, random_token());
  const auto give_up = [&](const Error& why) {
    static_cast<void>(files.remove_all(aside, folder));
    return why;
  };
  {
    const auto sink = files.create(aside, {});
    if (!sink) return sink.error();
    if (auto written = write(file, **sink); !written) return give_up(written.error());
  }
  const auto renamed = files.rename_exclusive(aside, file.path);
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
    made.push_back({made.empty() ? std::string{interop::program_name} : file.name, "file://" + file.path, file.bytes,
                    file.modified_ms});
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
  std::vector<StagedFile> wanted{staged_program(program.front(), folder)};
  if (program.size() > 1) wanted.push_back(staged_libraries(program, folder));
  std::vector<interop::LaunchFile> made;
  for (auto& file : wanted) {
    auto known = present.find(file.path);
    if (known == present.end()) {
      if (auto uploaded = upload(file, files, folder); !uploaded)
        return Error{uploaded.error().code,
                     fmt::format("cannot upload the program: {}; heddle.yarn.staging_dir names another folder",
                                 uploaded.error().text)};
      auto status = files.status(file.path);
      if (!status) return status.error();
      known = present.emplace(file.path, std::move(*status)).first;
    }
    const auto& status = known->second;
    if (status.length != file.bytes)
      return Error{Errc::corrupt,
                   fmt::format("{} has {} bytes instead of {}; remove it", file.path, status.length, file.bytes)};
    record_use(file.path, present, files);
    auto url = file.path.starts_with('/') ? "file://" + file.path : file.path;
    made.push_back({std::move(file.name), std::move(url), status.length, status.modified_ms, file.is_archive});
  }
  remove_unused(present, files, folder);
  return made;
}

}  // namespace heddle::apps
