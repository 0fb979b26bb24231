// The steps of a commit: decide it by COMMIT, move the files, write _SUCCESS, remove the working files. Each step can
// be repeated after a crash.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ports/file_system.hpp"
#include "ports/output_commit.hpp"
#include "work/output/commit_record.hpp"
#include "work/output/output_commit.hpp"

namespace heddle::work {

/// Writes COMMIT into the first output, or reads an existing one. `syncs`: syncs the files that it names before.
[[nodiscard]] Result<CommitRecord> decide_commit(ports::FileSystem& files, const std::vector<OutputWinners>& outputs,
                                                 std::int32_t application_attempt, bool syncs);
/// Moves the files that are not moved yet, writes _SUCCESS, and cleans up.
[[nodiscard]] Result<ports::OutputCommitted> complete_commit(ports::FileSystem& files, const CommitRecord& record,
                                                             const OutputCommitSettings& settings);
/// Finishes the commit that the record in the first output decides.
[[nodiscard]] Result<ports::OutputCommitted> finish_commit(ports::FileSystem& files,
                                                           const std::vector<std::string>& outputs,
                                                           const OutputCommitSettings& settings);
/// Removes the working files once everything is visible. A failure is only a notice: readers of the output do not see
/// these files.
ports::OutputCommitted clean_up_commit(ports::FileSystem& files, const std::vector<std::string>& outputs,
                                       const OutputCommitSettings& settings);

}  // namespace heddle::work
