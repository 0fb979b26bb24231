// Remembers finished commits for later application attempts: a finished output no longer names its owner.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ports/file_system.hpp"
#include "work/output/output_commit.hpp"

namespace heddle::work {

/// First part of the name of each entry.
inline constexpr std::string_view journal_entry_prefix = "committed-";

/// Records that these outputs are committed. Without a journal this does nothing.
void record_in_journal(ports::FileSystem& files, const OutputCommitSettings& settings,
                       const std::vector<std::string>& outputs);
/// Removes the entry of an older job with this first output.
[[nodiscard]] Result<Done> remove_from_journal(ports::FileSystem& files, const OutputCommitSettings& settings,
                                               const std::string& first_output);
/// True if the journal names these outputs, and no other application has made one of them anew since.
[[nodiscard]] bool is_in_journal(const ports::FileSystem& files, const OutputCommitSettings& settings,
                                 const std::vector<std::string>& outputs);

}  // namespace heddle::work
