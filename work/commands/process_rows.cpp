#include "work/commands/process_rows.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <string_view>

namespace heddle::work {

bool shows_own_namespace(const std::string& proc_folder) {
  char target[32];
  const auto length = ::readlink((proc_folder + "/self").c_str(), target, sizeof target);
  return length > 0 && std::string_view{target, static_cast<std::size_t>(length)} == std::to_string(::getpid());
}

std::string read_proc_file(const std::string& path, std::size_t bytes_max) {
  std::string content;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return content;
  char buffer[4096];
  while (content.size() < bytes_max) {
    const ssize_t got = ::read(file, buffer, sizeof buffer);
    if (got <= 0) break;
    content.append(buffer, static_cast<std::size_t>(got));
  }
  ::close(file);
  return content;
}

std::optional<ProcessRow> read_row(pid_t pid) {
  const std::string stat = read_proc_file("/proc/" + std::to_string(pid) + "/stat", 4096);
  // The command name is in parentheses and can contain any byte, also parentheses.
  const auto name_end = stat.rfind(')');
  if (name_end == std::string::npos || name_end + 2 >= stat.size()) return std::nullopt;
  ProcessRow row;
  row.pid = pid;
  row.state = stat[name_end + 2];
  const char* at = stat.data() + name_end + 3;
  const char* end = stat.data() + stat.size();
  std::uint64_t fields[48] = {};  // from field 4 (parent) to field 51 (end of the environment); some are 2^64 - 1
  for (auto& field : fields) {
    while (at < end && *at == ' ') ++at;
    at = std::from_chars(at, end, field).ptr;
    while (at < end && *at != ' ') ++at;
  }
  row.parent = static_cast<pid_t>(fields[0]);
  row.group = static_cast<pid_t>(fields[1]);
  row.session = static_cast<pid_t>(fields[2]);
  row.start_time = fields[18];                                 // field 22
  row.resident_pages = static_cast<std::int64_t>(fields[20]);  // field 24
  row.environment_begin = fields[46];                          // field 50
  row.environment_end = fields[47];                            // field 51
  // exec sets the end of the code (field 27) after it has filled the environment. Without the right to read addresses
  // it is 1.
  row.is_between_programs = fields[23] == 0;
  return row;
}

std::vector<ProcessRow> read_all_rows() {
  std::vector<ProcessRow> rows;
  if (!shows_own_namespace()) return rows;
  DIR* folder = ::opendir("/proc");
  if (folder == nullptr) return rows;
  while (const dirent* entry = ::readdir(folder)) {
    pid_t pid = 0;
    const std::string_view name = entry->d_name;
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ec != std::errc{}) continue;
    if (auto row = read_row(pid)) rows.push_back(*row);
  }
  ::closedir(folder);
  return rows;
}

}  // namespace heddle::work
