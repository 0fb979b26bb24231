// Job packages on disk: their bytes (messages/job_package_file.hpp) in files.
#pragma once

#include <string>

#include "model/job_package.hpp"
#include "model/result.hpp"

namespace heddle::apps {

/// Reads the package from a file. `path` must be absolute, because roles have other working folders than the client.
/// Errors have the path. Errc::corrupt: the content is no job package that this build can read.
[[nodiscard]] Result<JobPackage> load_job_package(const std::string& path);
/// Writes the file completely or not at all, and syncs it. Its folder must belong to this user alone, because a package
/// holds the environment of commands.
[[nodiscard]] Result<Done> save_job_package(const std::string& path, const JobPackage& package);

}  // namespace heddle::apps
