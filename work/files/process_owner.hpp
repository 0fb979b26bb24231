// Owner file of a folder: the application and the process to which the folder belongs. With it a later run
// distinguishes the folder of a dead process from a folder in use.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/ids.hpp"
#include "ports/file_system.hpp"

namespace heddle::work {

/// Name of the owner file in its folder.
inline constexpr std::string_view owner_file_name = "OWNER";

struct ProcessOwner {
  ApplicationId application;
  std::int32_t attempt = 1;  // application attempt
  std::int64_t user = -1;    // effective user id
  std::string host;
  std::string boot_id;        // changes at each boot
  std::string pid_namespace;  // pids are comparable only within one namespace
  std::int64_t process = 0;
  std::int64_t start_time = 0;       // of the process, in clock ticks since boot
  std::int64_t written_at = 0;       // Unix time in seconds
  std::vector<std::string> outputs;  // output folders of the job, in its order; empty for a working folder
};

/// Describes this process as the owner for an application.
[[nodiscard]] ProcessOwner this_process_owner(const ApplicationId& application = {});
/// The owner of what an application writes that outlives its client: no process of any host, so it never counts as
/// dead. Equal in all processes of a user.
[[nodiscard]] ProcessOwner application_owner(const ApplicationId& application);

[[nodiscard]] std::string write_owner(const ProcessOwner& owner);
/// Parses an owner file; nothing if it is incomplete or not valid.
[[nodiscard]] std::optional<ProcessOwner> read_owner(std::string_view text);

/// Returns true if application and process are equal; the application attempts can differ.
[[nodiscard]] bool is_same_application(const ProcessOwner& left, const ProcessOwner& right);

/// Returns true only if the process has certainly ended: it ran on this host, and the host was rebooted since, or its
/// pid is unused or has another start time. If /proc cannot be read (no descriptor left), the process counts as alive.
/// `self`: this process.
[[nodiscard]] bool is_dead(const ProcessOwner& owner, const ProcessOwner& self);

/// Returns true if the process certainly runs on this host.
[[nodiscard]] bool is_alive_here(const ProcessOwner& owner, const ProcessOwner& self);

/// Reads the owner of a folder; nothing without an owner file, or if the file belongs to another user.
[[nodiscard]] std::optional<ProcessOwner> owner_of_folder(const ports::FileSystem& files, const std::string& folder);
/// Removes a folder with its content if its owner is dead. The owner file is removed last, so that an interrupted
/// removal can be repeated. Returns false if the folder must stay. `self`: this process.
[[nodiscard]] Result<bool> remove_dead_folder(ports::FileSystem& files, const std::string& folder,
                                              const ProcessOwner& self);

/// "application_1_0001 (process 12 on host a)"; without a host "application_1_0001"
[[nodiscard]] std::string describe(const ProcessOwner& owner);

/// Escapes line feeds and backslashes, so that a value is one line.
[[nodiscard]] std::string escaped_line(std::string_view text);
[[nodiscard]] std::string unescaped_line(std::string_view text);

/// `rm -r PATH`, or `hdfs dfs -rm -r PATH`, quoted for a shell.
[[nodiscard]] std::string remove_command(const std::string& path);

}  // namespace heddle::work
