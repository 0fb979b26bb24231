// The staging folder of an application on YARN. In cluster mode its client writes the jobs there before it submits the
// application; the master container reads and runs them. In client mode the folder holds only the files that the jobs
// ship, and exists only if there are any. Whoever sees the end of the application removes the folder; but a master
// leaves it to a client that has not got the ends of the jobs, and reads there which ones were committed.
//
//   job-1.package …    packages of the jobs, in order of their requests
//   files/1/NAME …     files of the client's host that the jobs ship
//   events.jsonl       event log of the jobs, when they have ended (later attempts: events.attempt-2.jsonl)
//   committed-…        finished commits (work/output/commit_journal.hpp)
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "messages/job_service.hpp"
#include "model/job_package.hpp"
#include "model/result.hpp"
#include "ports/file_system.hpp"

namespace heddle::apps {

/// Creates a folder that this user alone may use; folders above it that are missing get the usual permissions.
/// Errc::refused if another user owns it, who could change its files.
[[nodiscard]] Result<Done> make_own_folder(ports::FileSystem& files, const std::string& folder);

/// True if the job ships files of this host.
[[nodiscard]] bool ships_local_files(const SubmitJob& job);

/// The copies of local files in a staging folder. Tasks see the last component of a path, so each copy has a folder of
/// its own.
class ShippedCopies {
public:
  /// `files` must outlive this object.
  ShippedCopies(ports::FileSystem& files, const std::string& folder) : files_{files}, folder_{folder + "/files"} {}

  /// Copies the local files that the job ships, except those that an earlier job shipped. The job then names the
  /// copies.
  [[nodiscard]] Result<Done> ship(SubmitJob& job);

private:
  [[nodiscard]] Result<std::string> copy_of(const std::string& file);

  ports::FileSystem& files_;
  std::string folder_;
  std::map<std::string, std::string> copies_;
};

/// Creates the folder, copies the local files that the jobs ship, and writes the packages. The jobs then name the
/// copies. After an error the folder may hold a part of that.
[[nodiscard]] Result<Done> write_staging_folder(ports::FileSystem& files, const std::string& folder,
                                                std::vector<SubmitJob>& jobs);

/// The packages in the folder, in order. Errc::not_found if there is none; Errc::corrupt for one that this build cannot
/// read. Texts name the path.
[[nodiscard]] Result<std::vector<JobPackage>> read_staged_jobs(const ports::FileSystem& files,
                                                               const std::string& folder);

/// Removes the folder, and the folder above it if it is empty then.
[[nodiscard]] Result<Done> remove_staging_folder(ports::FileSystem& files, const std::string& folder);

/// Copies a file to `to`, which may be on another file system, and replaces an existing one.
[[nodiscard]] Result<Done> copy_file(ports::FileSystem& files, const std::string& from, const std::string& to);

}  // namespace heddle::apps
