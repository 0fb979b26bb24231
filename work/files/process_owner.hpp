// Who owns a folder on disk: the application and the process that it belongs to, written into a file of that folder.
// By it a later run tells a folder that a dead process left from one that is in use.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/ids.hpp"
#include "ports/file_store.hpp"

namespace heddle::work {

/// Name of the owner file within the folder that it describes.
inline constexpr std::string_view owner_file_name = "OWNER";

struct ProcessOwner {
  ApplicationId application;
  std::int32_t attempt = 1;  // of the application
  std::int64_t user = -1;    // effective user id
  std::string host;
  std::string boot_id;        // of the machine's present start
  std::string pid_namespace;  // process ids are compared only within it
  std::int64_t process = 0;
  std::int64_t start_time = 0;       // of the process, in clock ticks since the machine started
  std::int64_t written_at = 0;       // seconds of the wall clock
  std::vector<std::string> outputs;  // of the job, in its order; empty for a working folder
};

/// This process, on behalf of an application.
[[nodiscard]] ProcessOwner this_process_owner(const ApplicationId& application = {});

[[nodiscard]] std::string write_owner(const ProcessOwner& owner);
/// Nothing if the text is not a whole owner file.
[[nodiscard]] std::optional<ProcessOwner> read_owner(std::string_view text);

/// Both belong to one application of one process; attempts may differ.
[[nodiscard]] bool is_same_application(const ProcessOwner& left, const ProcessOwner& right);

/// True only if the process has certainly ended: its host is this one, and either the machine was started again since,
/// or its process id is unused or belongs to a process with another start time. What /proc does not tell, for want of
/// a descriptor say, is no sign of death. `self` is this process.
[[nodiscard]] bool is_dead(const ProcessOwner& owner, const ProcessOwner& self);

/// The owner of a folder: nothing if there is no owner file, or if it is not this user's.
[[nodiscard]] std::optional<ProcessOwner> owner_of_folder(const ports::FileStore& files, const std::string& folder);
/// Removes a folder with everything in it if its owner is dead; `self` is this process. The owner file goes last, so
/// that what interrupts this leaves a folder whose owner is known. False if the folder is not to be removed.
[[nodiscard]] Result<bool> remove_dead_folder(ports::FileStore& files, const std::string& folder,
                                              const ProcessOwner& self);

/// "application_1_0001 (process 12 on host a)"
[[nodiscard]] std::string describe(const ProcessOwner& owner);

/// One value per line: a line feed or backslash is written as \n or \\.
[[nodiscard]] std::string escaped_line(std::string_view text);
[[nodiscard]] std::string unescaped_line(std::string_view text);

/// `rm -r PATH`, quoted for a shell.
[[nodiscard]] std::string remove_command(const std::string& path);

}  // namespace heddle::work
