// The working files of an output until it is committed: `_temporary` in it, and the claim folder beside it. Each step
// can be repeated after a crash.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ports/file_path.hpp"
#include "ports/file_system.hpp"

namespace heddle::work {

using ports::last_component;
[[nodiscard]] inline std::string temporary_of(const std::string& output) { return output + "/_temporary"; }
[[nodiscard]] inline std::string record_path(const std::string& output) { return temporary_of(output) + "/COMMIT"; }
[[nodiscard]] std::string owner_path(const std::string& output);
[[nodiscard]] inline std::string success_path(const std::string& output) { return output + "/_SUCCESS"; }
/// The folder of an output before it is claimed and while it is removed. Each output has one, so that nobody lists the
/// parent folder, which may be large.
[[nodiscard]] std::string claim_folder(const std::string& output);

/// True if all outputs have `_SUCCESS`.
[[nodiscard]] Result<bool> is_committed(const ports::FileSystem& files, const std::vector<std::string>& outputs);
[[nodiscard]] Result<bool> holds_only_temporary(const ports::FileSystem& files, const std::string& folder);
/// Empties `_temporary` except for OWNER, so that the owner is known after a crash in between.
[[nodiscard]] Result<Done> empty_temporary(ports::FileSystem& files, const std::string& output);
/// Removes `_temporary`, OWNER last.
[[nodiscard]] Result<Done> remove_temporary(ports::FileSystem& files, const std::string& output);
/// Removes an output that is not committed. False: it holds other files, which stay. A crash in between leaves an
/// output with its owner, or a claim folder.
[[nodiscard]] Result<bool> remove_output(ports::FileSystem& files, const std::string& output);

/// Renames the folders of older application attempts. From then on none of them can decide a commit, and none of their
/// tasks can write.
[[nodiscard]] Result<Done> put_aside(ports::FileSystem& files, const std::vector<std::string>& outputs,
                                     std::int32_t application_attempt);
/// Undoes put_aside.
[[nodiscard]] Result<Done> put_back(ports::FileSystem& files, const std::vector<std::string>& outputs);

}  // namespace heddle::work
