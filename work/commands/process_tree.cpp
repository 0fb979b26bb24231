#include "work/commands/process_tree.hpp"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "config/text/environment.hpp"
#include "work/commands/process_rows.hpp"
#include "work/commands/spawn.hpp"

namespace heddle::work {
namespace {

constexpr char mark_separator = '/';
constexpr pid_t no_root = -1;  // no process, group or session has this number

/// Pauses before the next check of other processes.
void pause_before_retry(int round) {
  if (round < 16) {
    ::sched_yield();
  } else {
    ::poll(nullptr, 0, 10);
  }
}

/// Repeats until no process is added.
void add_children(const std::vector<ProcessRow>& rows, pid_t self, std::set<pid_t>& inside) {
  for (bool has_grown = true; has_grown;) {
    has_grown = false;
    for (const auto& row : rows) {
      if (row.pid == self || !inside.contains(row.parent)) continue;
      has_grown = inside.insert(row.pid).second || has_grown;
    }
  }
}

bool is_subreaper() {
  int is_set = 0;
  return ::prctl(PR_GET_CHILD_SUBREAPER, &is_set, 0, 0, 0) == 0 && is_set != 0;
}

std::vector<ProcessRow> collect(pid_t root, std::string_view mark) {
  MarkRules rules{::getpid(), std::nullopt, is_own_child,
                  [mark](pid_t pid) { return carries_process_mark(pid, mark); }};
  // What carries the mark of no root of ours may have any parent.
  if (root != no_root && is_subreaper()) rules.adopter = rules.self;
  return descendants_of(root, read_all_rows(), rules);
}

/// State of own_all_children. Never destroyed: a kill on its own thread may read it while the program ends.
struct Ownership {
  std::mutex mutex;
  bool owns_all = false;
  std::set<pid_t> earlier;  // children that existed before
};
Ownership& ownership = *new Ownership;

/// Children that must be orphans: not started by spawn_process and not existing at the start.
std::vector<pid_t> unknown_children() {
  std::vector<pid_t> result;
  const std::lock_guard lock{ownership.mutex};
  if (!ownership.owns_all) return result;
  const auto candidates = orphan_candidates();
  // A child may be in posix_spawn and not registered yet: the next call sees it.
  if (is_first_thread_spawning()) return result;
  for (const pid_t child : candidates)
    if (!is_own_child(child) && ownership.earlier.count(child) == 0) result.push_back(child);
  return result;
}

/// Orphans of commands in an embedding program, recorded while they live, because a zombie has no environment. Never
/// destroyed, like Ownership.
struct MarkedOrphans {
  std::mutex mutex;
  std::map<pid_t, std::uint64_t> start_times;
};
MarkedOrphans& marked_orphans = *new MarkedOrphans;

/// Reaps zombies that surely came from commands: an earlier call saw the mark, or they are in the session of a command.
/// An orphan that left its session and ended before the first check is not reaped, because it could be a child of the
/// embedding program, which waits for its own children.
void reap_orphans_of_commands() {
  const std::lock_guard lock{marked_orphans.mutex};
  const auto candidates = orphan_candidates();
  if (is_first_thread_spawning()) return;  // a new child may not be registered yet
  const auto commands = last_reaped_children();
  std::map<pid_t, std::uint64_t> seen;
  for (const pid_t child : candidates) {
    if (is_own_child(child)) continue;
    const auto row = read_row(child);
    if (!row) continue;
    const auto known = marked_orphans.start_times.find(child);
    const bool is_marked = known != marked_orphans.start_times.end()
                               ? known->second == row->start_time
                               : carries_process_mark(child, mark_of_this_process());
    if (!row->has_ended()) {
      if (is_marked) seen[child] = row->start_time;
      continue;
    }
    // A later process can have got the same pid.
    const bool is_in_session = std::any_of(commands.begin(), commands.end(), [&row](const ReapedChild& command) {
      return command.pid == row->session && row->start_time <= command.at;
    });
    if (is_marked || is_in_session) ::waitpid(child, nullptr, WNOHANG);
  }
  marked_orphans.start_times = std::move(seen);
}

bool has_mark(const std::string& environment, std::string_view mark) {
  const std::string wanted = std::string{process_mark_name} + "=" + std::string{mark};
  for (auto at = environment.find(wanted); at != std::string::npos; at = environment.find(wanted, at + 1)) {
    const bool begins = at == 0 || environment[at - 1] == '\0';
    const auto end = at + wanted.size();
    if (begins && (end == environment.size() || environment[end] == '\0' || environment[end] == mark_separator))
      return true;
  }
  return false;
}

bool owns_all_children() {
  const std::lock_guard lock{ownership.mutex};
  return ownership.owns_all;
}

/// Reaps killed processes that have ended; removes processes from the set that are not children of this process.
/// Returns true if some have not ended yet.
bool reap(std::set<pid_t>& killed) {
  for (auto at = killed.begin(); at != killed.end();) {
    const bool is_known = is_own_child(*at);  // its starter reaps it
    const bool is_left = !is_known && ::waitpid(*at, nullptr, WNOHANG) == 0;
    at = is_left ? std::next(at) : killed.erase(at);
  }
  return !killed.empty();
}

/// Kills an orphan with its session and descendants, and reaps it.
void kill_orphan(pid_t orphan) {
  std::set<pid_t> killed{orphan};
  constexpr int rounds_max = 100;
  for (int round = 0; round < rounds_max; ++round) {
    for (const auto& row : collect(orphan, {})) {
      if (row.has_ended()) continue;
      ::kill(row.pid, SIGKILL);
      killed.insert(row.pid);
    }
    ::kill(orphan, SIGKILL);
    if (!reap(killed)) return;
    pause_before_retry(round);
  }
}

/// Returns true if the process can write into one of the pipes. A process that can also read from one is a fork of the
/// embedding program, not a descendant of a command.
bool holds_write_end(pid_t pid, const std::set<ino_t>& inodes) {
  const std::string folder = "/proc/" + std::to_string(pid) + "/fd";
  DIR* descriptors = ::opendir(folder.c_str());
  if (descriptors == nullptr) return false;  // belongs to another user
  bool holds = false;
  bool is_copy = false;
  while (const dirent* entry = ::readdir(descriptors)) {
    struct stat status {};
    struct stat link {};
    const auto path = folder + "/" + entry->d_name;
    if (::stat(path.c_str(), &status) != 0 || !S_ISFIFO(status.st_mode) || inodes.count(status.st_ino) == 0) continue;
    if (::lstat(path.c_str(), &link) != 0) continue;
    holds = true;
    is_copy = is_copy || (link.st_mode & S_IRUSR) != 0;
  }
  ::closedir(descriptors);
  return holds && !is_copy;
}

}  // namespace

std::string mark_of_this_process() {
  static const std::string mark = [] {
    timespec boot{};
    ::clock_gettime(CLOCK_BOOTTIME, &boot);
    // A time in the life of this process: with the pid it is unique until the next boot.
    const auto own =
        std::to_string(::getpid()) + "-" + std::to_string(boot.tv_sec) + "-" + std::to_string(boot.tv_nsec);
    // Contains the inherited mark: a search for this process also finds its descendants after it has ended.
    const auto inherited = config::environment_variable(std::string{process_mark_name}).value_or("");
    return inherited.empty() ? own : inherited + mark_separator + own;
  }();
  return mark;
}

std::string make_process_mark() { return make_process_mark_below(mark_of_this_process()); }

std::string make_process_mark_below(const std::string& mark) {
  static std::atomic<std::uint64_t> next{1};
  return mark + mark_separator + std::to_string(next.fetch_add(1, std::memory_order_relaxed));
}

bool carries_process_mark(pid_t pid, std::string_view mark) {
  if (mark.empty()) return false;
  const std::string path = "/proc/" + std::to_string(pid) + "/environ";
  constexpr std::size_t bytes_max = 1 << 20;
  // exec replaces the environment. A read meanwhile finds none or a part of it: a child has no mark only if the whole
  // environment of one program does not have it.
  std::uint64_t program = 0;
  constexpr int looks_max = 200;
  for (int look = 0; look < looks_max; ++look) {
    const std::string environment = read_proc_file(path, bytes_max);
    if (has_mark(environment, mark)) return true;
    const auto row = read_row(pid);
    if (!row || row->has_ended() || row->parent != ::getpid()) return false;
    const auto begin = row->environment_begin;
    const bool is_same_program = look > 0 && program == begin;
    const bool is_whole = environment.size() >= std::min<std::uint64_t>(row->environment_end - begin, bytes_max);
    if (is_same_program && is_whole && !row->is_between_programs) return false;
    program = begin;
    pause_before_retry(look);
  }
  return false;
}

std::vector<ProcessRow> descendants_of(pid_t root, const std::vector<ProcessRow>& rows, const MarkRules& rules) {
  std::set<pid_t> all;
  for (const auto& row : rows) all.insert(row.pid);
  const auto may_be_orphan = [&](const ProcessRow& row) {
    if (!rules.adopter) return true;
    if (row.parent == *rules.adopter) return !rules.is_own_child(row.pid);
    return row.parent > 0 && !all.contains(row.parent);
  };
  std::set<pid_t> inside{root};
  if (root != rules.self) {
    for (const auto& row : rows)
      if (row.pid != rules.self && (row.session == root || row.group == root)) inside.insert(row.pid);
    add_children(rows, rules.self, inside);
    for (const auto& row : rows) {
      if (row.pid == rules.self || inside.contains(row.pid) || !may_be_orphan(row)) continue;
      if (rules.has_mark(row.pid)) inside.insert(row.pid);
    }
  }
  add_children(rows, rules.self, inside);
  std::vector<ProcessRow> result;
  for (const auto& row : rows)
    if (row.pid != root && inside.contains(row.pid)) result.push_back(row);
  return result;
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
  // A fork during the kill is found in the next round. A killed process ends when it is scheduled, which takes time on
  // a busy machine. A process that cannot be killed (blocked on a disk) is left alone after the last round.
  constexpr int rounds_max = 200;
  std::set<pid_t> killed;  // known by pid until reaped: a zombie has no mark
  for (int round = 0; round < rounds_max; ++round) {
    if (root != no_root && root != ::getpid()) ::kill(-root, SIGKILL);
    bool alive = false;
    for (const auto& row : collect(root, mark)) {
      if (row.has_ended()) {
        if (row.parent == ::getpid() && !is_own_child(row.pid)) ::waitpid(row.pid, nullptr, WNOHANG);
        continue;
      }
      alive = true;
      ::kill(row.pid, SIGKILL);
      killed.insert(row.pid);
    }
    alive = reap(killed) || alive;
    if (!alive) return;
    pause_before_retry(round);
  }
}

void own_all_children(bool owns) {
  const std::lock_guard lock{ownership.mutex};
  ownership.owns_all = owns;
  ownership.earlier.clear();
  if (!owns) return;
  for (const pid_t child : orphan_candidates()) ownership.earlier.insert(child);
}

void reap_orphans() {
  if (!owns_all_children()) return reap_orphans_of_commands();
  for (const pid_t orphan : unknown_children()) {
    const auto row = read_row(orphan);
    if (row && row->has_ended()) ::waitpid(orphan, nullptr, WNOHANG);
  }
}

bool may_have_orphans() {
  if (!is_subreaper()) return true;
  const auto candidates = orphan_candidates();
  return !std::all_of(candidates.begin(), candidates.end(), is_own_child);
}

void kill_orphans() {
  // Children of an orphan become children of this process when the orphan ends. Each pid is tried once.
  std::set<pid_t> tried;
  for (bool has_more = true; has_more;) {
    has_more = false;
    for (const pid_t orphan : unknown_children()) {
      if (!tried.insert(orphan).second) continue;
      has_more = true;
      kill_orphan(orphan);
    }
  }
}

void kill_pipe_holders(const std::vector<int>& pipes) {
  std::set<ino_t> inodes;
  for (const int pipe : pipes) {
    struct stat status {};
    if (pipe >= 0 && ::fstat(pipe, &status) == 0) inodes.insert(status.st_ino);
  }
  for (const pid_t orphan : orphan_candidates())
    if (!is_own_child(orphan) && holds_write_end(orphan, inodes)) kill_orphan(orphan);
}

std::vector<pid_t> find_marked(std::string_view mark) { return find_descendants(no_root, mark); }

void kill_marked(std::string_view mark) { kill_tree(no_root, mark); }

std::vector<pid_t> orphan_candidates() {
  static const std::string path = "/proc/self/task/" + std::to_string(::getpid()) + "/children";
  std::vector<pid_t> result;
  // The kernel's list can skip children while another one ends: read it twice.
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
