#include "work/commands/process_tree.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <map>
#include <optional>

#include "config/files/role_environment.hpp"

namespace heddle::work {
namespace {

constexpr char mark_separator = '/';

struct ProcessRow {
  pid_t pid = 0;
  pid_t parent = 0;
  pid_t group = 0;
  pid_t session = 0;
  char state = '?';
  std::int64_t resident_pages = 0;
  bool is_between_programs = false;  // inside exec: /proc shows no environment yet
  [[nodiscard]] bool has_ended() const { return state == 'Z' || state == 'X'; }
};

/// Between two looks at what others have to do first.
void give_way(int round) {
  if (round < 16) {
    ::sched_yield();
  } else {
    ::poll(nullptr, 0, 10);
  }
}

/// Files of /proc are short, except environments; those are read up to `bytes_max`.
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
  // The command's name stands in parentheses and may hold anything, also parentheses.
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
  row.resident_pages = static_cast<std::int64_t>(fields[20]);  // field 24
  row.is_between_programs = fields[47] == 0;
  return row;
}

std::vector<ProcessRow> read_all_rows() {
  std::vector<ProcessRow> rows;
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

/// Descendants, zombies among them: rounds until no row joins.
std::vector<ProcessRow> collect(pid_t root, std::string_view mark) {
  const auto rows = read_all_rows();
  std::map<pid_t, bool> inside;
  inside[root] = true;
  const pid_t self = ::getpid();
  for (const auto& row : rows) {
    if (row.pid == self || row.pid == root || root == self) continue;
    if (row.session == root || row.group == root || carries_process_mark(row.pid, mark)) inside[row.pid] = true;
  }
  for (bool grown = true; grown;) {
    grown = false;
    for (const auto& row : rows) {
      if (row.pid == self || inside.count(row.pid) != 0 || inside.count(row.parent) == 0) continue;
      inside[row.pid] = grown = true;
    }
  }
  std::vector<ProcessRow> result;
  for (const auto& row : rows) {
    if (row.pid != root && inside.count(row.pid) != 0) result.push_back(row);
  }
  return result;
}

}  // namespace

std::string make_process_mark() {
  static std::atomic<std::uint64_t> next{1};
  timespec boot{};
  ::clock_gettime(CLOCK_BOOTTIME, &boot);
  // The start of this process and a number in it: unique until the machine is started again.
  static const std::string prefix =
      std::to_string(::getpid()) + "-" + std::to_string(boot.tv_sec) + "-" + std::to_string(boot.tv_nsec) + "-";
  // Below our own mark: whoever looks for us finds what we have started too, also where we are gone and it belongs to
  // nobody.
  static const std::string ours = config::role_variable(std::string{process_mark_name}.c_str());
  if (!ours.empty())
    return ours + mark_separator + prefix + std::to_string(next.fetch_add(1, std::memory_order_relaxed));
  return prefix + std::to_string(next.fetch_add(1, std::memory_order_relaxed));
}

bool carries_process_mark(pid_t pid, std::string_view mark) {
  if (mark.empty()) return false;
  std::string environment = read_proc_file("/proc/" + std::to_string(pid) + "/environ", 1 << 20);
  // A child that is just becoming another program is looked at again: its environment is there in a moment.
  for (int look = 0; environment.empty() && look < 200; ++look) {
    const auto row = read_row(pid);
    if (!row || row->has_ended() || row->parent != ::getpid()) return false;
    const bool is_whole = !row->is_between_programs;
    environment = read_proc_file("/proc/" + std::to_string(pid) + "/environ", 1 << 20);
    if (is_whole) break;
    give_way(look);
  }
  const std::string wanted = std::string{process_mark_name} + "=" + std::string{mark};
  for (auto at = environment.find(wanted); at != std::string::npos; at = environment.find(wanted, at + 1)) {
    const bool begins = at == 0 || environment[at - 1] == '\0';
    const auto end = at + wanted.size();
    if (begins && (end == environment.size() || environment[end] == '\0' || environment[end] == mark_separator))
      return true;
  }
  return false;
}

bool become_subreaper() { return ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0; }

std::vector<pid_t> find_descendants(pid_t root, std::string_view mark) {
  std::vector<pid_t> result;
  for (const auto& row : collect(root, mark)) {
    if (!row.has_ended()) result.push_back(row.pid);
  }
  return result;
}

void signal_tree(pid_t root, std::string_view mark, int signal) {
  const auto descendants = find_descendants(root, mark);
  ::kill(-root, signal);
  for (const pid_t pid : descendants) ::kill(pid, signal);
}

void kill_tree(pid_t root, std::string_view mark) {
  // A process that forks while it is being killed is found in the next round; one that was killed ends when it is
  // scheduled next, which takes long on a busy machine. What cannot be killed (it waits for a disk) is left alone in
  // the end.
  constexpr int rounds_max = 200;
  for (int round = 0; round < rounds_max; ++round) {
    if (root != ::getpid()) ::kill(-root, SIGKILL);
    bool alive = false;
    for (const auto& row : collect(root, mark)) {
      if (row.has_ended()) {
        if (row.parent == ::getpid()) ::waitpid(row.pid, nullptr, WNOHANG);
        continue;
      }
      alive = true;
      ::kill(row.pid, SIGKILL);
    }
    if (!alive) return;
    give_way(round);
  }
}

std::int64_t tree_resident_bytes(pid_t root, std::string_view mark) {
  std::int64_t pages = 0;
  if (const auto row = read_row(root)) pages += row->resident_pages;
  for (const auto& row : collect(root, mark)) pages += row.resident_pages;
  return pages * ::sysconf(_SC_PAGESIZE);
}

std::vector<pid_t> orphan_candidates() {
  static const std::string path = "/proc/self/task/" + std::to_string(::getpid()) + "/children";
  std::vector<pid_t> result;
  // The kernel skips children while another one ends; what is skipped twice is rare, and falls with this process.
  for (int look = 0; look < 2; ++look) {
    const std::string content = read_proc_file(path, 1 << 20);
    const char* at = content.data();
    const char* end = at + content.size();
    while (at < end) {
      pid_t pid = 0;
      const auto parsed = std::from_chars(at, end, pid);
      if (parsed.ec == std::errc{} && std::find(result.begin(), result.end(), pid) == result.end())
        result.push_back(pid);
      at = parsed.ptr + 1;
    }
    if (result.empty()) break;
  }
  return result;
}

}  // namespace heddle::work
