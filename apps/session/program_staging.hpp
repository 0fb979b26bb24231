// Puts the program of this process where NodeManagers can read it.
#pragma once

#include <string>
#include <vector>

#include "interop/yarn/launch_context.hpp"
#include "model/result.hpp"
#include "ports/file_system.hpp"
#include "work/files/program_files.hpp"

namespace heddle::apps {

/// The files under the paths that they have here, which are the same on each node.
[[nodiscard]] std::vector<interop::LaunchFile> local_program(const std::vector<work::ProgramFile>& program);

/// Uploads the program and an archive of its libraries, if the folder lacks them. (The script of a container starts a
/// process for each file.) Their names there begin with the ids of their contents, so that a file is uploaded once, and
/// never changes: it gets its name when it is complete, and keeps it. The archive serves all programs with these
/// libraries. Files that no client has used for 30 days are removed.
[[nodiscard]] Result<std::vector<interop::LaunchFile>> stage_program(const std::vector<work::ProgramFile>& program,
                                                                     ports::FileSystem& files,
                                                                     const std::string& folder);

}  // namespace heddle::apps
