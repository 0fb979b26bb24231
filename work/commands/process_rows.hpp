// What /proc says about processes, read without their memory: a read of these files does not block.
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
  std::uint64_t start_time = 0;  // clock ticks since boot: with it, a process id names one process
  std::int64_t resident_pages = 0;
  std::uint64_t environment_begin = 0;  // addresses, which differ from program to program; 0 if we may not read them
  std::uint64_t environment_end = 0;
  /// Inside exec: the new program has no environment yet, or only its first bytes. Also true while the process ends.
  bool is_between_programs = false;
  [[nodiscard]] bool has_ended() const { return state == 'Z' || state == 'X'; }
};

/// True if the folder numbers processes as this process does: /proc may have been mounted for another pid namespace.
[[nodiscard]] bool shows_own_namespace(const std::string& proc_folder = "/proc");

/// Files of /proc are short, except environments; those are read up to `bytes_max`.
[[nodiscard]] std::string read_proc_file(const std::string& path, std::size_t bytes_max);

[[nodiscard]] std::optional<ProcessRow> read_row(pid_t pid);

/// None if /proc is that of another pid namespace: its numbers are those of other processes here.
[[nodiscard]] std::vector<ProcessRow> read_all_rows();

}  // namespace heddle::work
