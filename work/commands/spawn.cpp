#include "work/commands/spawn.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <deque>
#include <mutex>
#include <set>

extern char** environ;

namespace heddle::work {
namespace {

bool is_program(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

Error spawn_error(const std::string& name, int reason) {
  if (reason == ENOENT) return {Errc::not_found, "command not found: " + name};
  if (reason == EACCES || reason == ENOEXEC)
    return {Errc::refused, "cannot execute " + name + ": " + std::strerror(reason)};
  return {Errc::io, "cannot start " + name + ": " + std::strerror(reason)};
}

/// Names the argument or variable that exceeds the system's limit; otherwise all together exceed it.
std::string name_too_long(const SpawnRequest& request) {
  constexpr std::size_t bytes_max = 128 * 1024 - 1;  // MAX_ARG_STRLEN of Linux, without the final zero
  const auto is_given = fmt::format("the system's limit for one argument or variable is {}", bytes_max);
  for (const auto& argument : *request.arguments)
    if (argument.size() > bytes_max) return fmt::format("an argument has {} bytes, {}", argument.size(), is_given);
  for (char* const* variable = request.environment->pointers(); *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (text.size() > bytes_max)
      return fmt::format("the environment variable {} has {} bytes, {}", text.substr(0, text.find('=')), text.size(),
                         is_given);
  }
  return "its arguments and its environment together exceed the system's limit";
}

/// Default signals and an empty mask, because this process ignores SIGPIPE and may block others. Created once.
class SpawnAttributes {
public:
  SpawnAttributes() {
    ::posix_spawnattr_init(&attributes_);
    sigset_t all;
    sigset_t none;
    sigfillset(&all);
    sigemptyset(&none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    const int flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID;
    ::posix_spawnattr_setflags(&attributes_, static_cast<short>(flags));
  }
  ~SpawnAttributes() { ::posix_spawnattr_destroy(&attributes_); }
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;
  [[nodiscard]] const posix_spawnattr_t* get() const { return &attributes_; }

private:
  posix_spawnattr_t attributes_;
};

// Never destroyed: a kill on its own thread may read them while the program ends.
std::mutex children_mutex;
std::set<pid_t>& own_children = *new std::set<pid_t>;                     // started here, not reaped yet
std::deque<ReapedChild>& reaped_children = *new std::deque<ReapedChild>;  // the last ones
bool is_first_thread_at_work = false;                                     // in posix_spawn

void remove_child(pid_t pid) {
  constexpr std::size_t kept_max = 64;
  constexpr std::int64_t ns_per_s = 1'000'000'000;
  static const auto ticks_per_s = ::sysconf(_SC_CLK_TCK);
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  const auto ticks = now.tv_sec * ticks_per_s + now.tv_nsec * ticks_per_s / ns_per_s;
  const std::lock_guard lock{children_mutex};
  own_children.erase(pid);
  reaped_children.push_back({pid, static_cast<std::uint64_t>(ticks)});
  if (reaped_children.size() > kept_max) reaped_children.pop_front();
}

/// If SIGCHLD is ignored, the kernel reaps children and their exit statuses are lost. The parent of this program can
/// cause that, because ignored signals survive exec. Checked at each start, because an embedding program can change it.
void keep_exit_statuses() {
  struct sigaction old {};
  if (::sigaction(SIGCHLD, nullptr, &old) != 0) return;
  const bool is_ignored = (old.sa_flags & SA_SIGINFO) == 0 && old.sa_handler == SIG_IGN;
  if (!is_ignored && (old.sa_flags & SA_NOCLDWAIT) == 0) return;
  if (is_ignored) old.sa_handler = SIG_DFL;
  old.sa_flags &= ~SA_NOCLDWAIT;
  ::sigaction(SIGCHLD, &old, nullptr);
}

/// Calls posix_spawn and registers the child under the mutex, before another thread can take it for an orphan.
int spawn_registered(pid_t& pid, const std::string& program, const posix_spawn_file_actions_t& actions,
                     const posix_spawnattr_t* attributes, char* const* arguments, char* const* environment) {
  const bool is_first_thread = ::gettid() == ::getpid();
  if (is_first_thread) {
    const std::lock_guard lock{children_mutex};
    is_first_thread_at_work = true;
  }
  const int failed = ::posix_spawn(&pid, program.c_str(), &actions, attributes, arguments, environment);
  const std::lock_guard lock{children_mutex};
  if (failed == 0) own_children.insert(pid);
  if (is_first_thread) is_first_thread_at_work = false;
  return failed;
}

/// Descriptors must be 3 or larger, or a dup2 could overwrite them. Always true, because programs keep 0 to 2 open.
int add_actions(const SpawnRequest& request, posix_spawn_file_actions_t& actions) {
  int failed = 0;
  const auto give = [&](int from, int to) {
    if (from >= 0 && failed == 0) failed = ::posix_spawn_file_actions_adddup2(&actions, from, to);
  };
  if (request.no_input) failed = ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  give(request.standard_input, 0);
  give(request.standard_output, 1);
  give(request.standard_error, 2);
  give(request.inherited, inherited_descriptor);  // with equal numbers, dup2 only clears close-on-exec
  give(request.spec, spec_descriptor);
  // Libraries set close-on-exec after open; a start in between would leak the descriptor.
  if (request.closes_others && failed == 0) {
    const int first = request.spec >= 0        ? spec_descriptor + 1
                      : request.inherited >= 0 ? inherited_descriptor + 1
                                               : inherited_descriptor;
    failed = ::posix_spawn_file_actions_addclosefrom_np(&actions, first);
  }
  if (failed == 0 && !request.working_directory.empty()) {
    failed = ::posix_spawn_file_actions_addchdir_np(&actions, request.working_directory.c_str());
  }
  return failed;
}

}  // namespace

EnvironmentBlock::EnvironmentBlock(const std::vector<std::pair<std::string, std::string>>& changes) {
  own_.reserve(changes.size());
  for (std::size_t i = 0; i < changes.size(); ++i) {
    bool is_replaced = false;
    for (std::size_t j = i + 1; j < changes.size() && !is_replaced; ++j)
      is_replaced = changes[j].first == changes[i].first;
    if (!is_replaced) own_.push_back(changes[i].first + "=" + changes[i].second);
  }
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::string_view name = text.substr(0, text.find('='));
    bool is_replaced = false;
    for (const auto& change : changes) is_replaced = is_replaced || change.first == name;
    if (!is_replaced) pointers_.push_back(*variable);
  }
  for (auto& text : own_) pointers_.push_back(text.data());
  path_ = "/usr/local/bin:/usr/bin:/bin";
  for (const char* variable : pointers_) {
    if (std::strncmp(variable, "PATH=", 5) == 0) path_ = variable + 5;
  }
  pointers_.push_back(nullptr);
}

namespace {

/// Caches the last search: a slot runs the same command repeatedly. As in shells, valid while the file exists.
struct FoundProgram {
  std::string name;
  std::string path;
  std::string program;
};

std::string find_on_path(std::string_view name, std::string_view path) {
  while (!path.empty()) {
    const auto end = path.find(':');
    const std::string_view folder = path.substr(0, end);
    std::string candidate = (folder.empty() ? std::string{"."} : std::string{folder}) + "/" + std::string{name};
    if (is_program(candidate)) return candidate;
    path = end == std::string_view::npos ? std::string_view{} : path.substr(end + 1);
  }
  return {};
}

}  // namespace

std::string find_program(std::string_view name, std::string_view directory, std::string_view path) {
  if (!directory.empty()) {
    std::string candidate = std::string{directory} + "/" + std::string{name};
    if (is_program(candidate)) return candidate;
  }
  thread_local FoundProgram last;
  const bool is_known = last.name == name && last.path == path && is_program(last.program);
  if (!is_known) last = {std::string{name}, std::string{path}, find_on_path(name, path)};
  return last.program;
}

Result<pid_t> spawn_process(const SpawnRequest& request) {
  const std::string& name = request.arguments->front();
  std::string program = name;
  if (name.find('/') == std::string::npos)
    program = find_program(name, request.working_directory, request.environment->path());
  if (program.empty()) return spawn_error(name, ENOENT);
  posix_spawn_file_actions_t actions;
  if (const int failed = ::posix_spawn_file_actions_init(&actions)) return spawn_error(name, failed);
  std::vector<char*> arguments;
  arguments.reserve(request.arguments->size() + 1);
  for (const auto& argument : *request.arguments) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  static const SpawnAttributes attributes;
  keep_exit_statuses();
  pid_t pid = 0;
  int failed = add_actions(request, actions);
  if (failed == 0)
    failed =
        spawn_registered(pid, program, actions, attributes.get(), arguments.data(), request.environment->pointers());
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed == E2BIG) return Error{Errc::refused, fmt::format("cannot execute {}: {}", name, name_too_long(request))};
  if (failed != 0) return spawn_error(name, failed);
  return pid;
}

void add_child(pid_t pid) {
  const std::lock_guard lock{children_mutex};
  own_children.insert(pid);
}

Result<std::optional<ChildExit>> reap_child(pid_t pid, int pidfd) {
  siginfo_t info{};
  const bool has_pidfd = pidfd >= 0;
  // Uses the pidfd: if another part of the program reaped the child, the pid can belong to another process.
  if (::waitid(has_pidfd ? P_PIDFD : P_PID, static_cast<id_t>(has_pidfd ? pidfd : pid), &info, WEXITED | WNOHANG) !=
      0) {
    const int reason = errno;
    remove_child(pid);
    return Error{Errc::io,
                 fmt::format("the exit status of process {} is lost ({}): another part of this program waits for all "
                             "children or ignores SIGCHLD; let it wait for its own children only",
                             pid, std::strerror(reason))};
  }
  if (info.si_pid == 0) return std::optional<ChildExit>{};
  remove_child(pid);
  const bool has_exited = info.si_code == CLD_EXITED;
  return std::optional{ChildExit{has_exited ? info.si_status : 128 + info.si_status, has_exited ? 0 : info.si_status}};
}

void kill_child(pid_t pid) {
  ::kill(-pid, SIGKILL);
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) continue;
  remove_child(pid);
}

bool is_own_child(pid_t pid) {
  const std::lock_guard lock{children_mutex};
  return own_children.count(pid) != 0;
}

std::vector<ReapedChild> last_reaped_children() {
  const std::lock_guard lock{children_mutex};
  return {reaped_children.begin(), reaped_children.end()};
}

bool is_first_thread_spawning() {
  const std::lock_guard lock{children_mutex};
  return is_first_thread_at_work;
}

}  // namespace heddle::work
