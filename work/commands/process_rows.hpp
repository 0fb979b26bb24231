// Reads process tables from /proc. Reads only stat files, which do not block.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::work {

struct ProcessRow {
  pid_t pid = 0;
  pid_t parent = 0;
  pid_t group = 0;
  pid_t session = 0;
  char state = '?';
  std::uint64_t start_time = 0;  // clock ticks since boot; (pid, start_time) identifies a process
  std::int64_t resident_pages = 0;
  std::uint64_t environment_begin = 0;  // address of its environment; differs between programs; 0: not readable
  std::uint64_t environment_end = 0;
  /// In exec: the environment of the new program is empty or incomplete. Also true while the process ends.
  bool is_between_programs = false;
  [[nodiscard]] bool has_ended() const { return state == 'Z' || state == 'X'; }
};

/// Returns true if `proc_folder` shows the pid namespace of this process.
[[nodiscard]] bool shows_own_namespace(const std::string& proc_folder = "/proc");

/// Reads a file of /proc, at most `bytes_max` bytes.
[[nodiscard]] std::string read_proc_file(const std::string& path, std::size_t bytes_max);

[[nodiscard]] std::optional<ProcessRow> read_row(pid_t pid);

/// Empty if /proc belongs to another pid namespace, where pids mean other processes.
[[nodiscard]] std::vector<ProcessRow> read_all_rows();

}  // namespace heddle::work
