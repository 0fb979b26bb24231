#include "work/commands/process_launcher.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "work/commands/fork_server.hpp"
#include "work/commands/parent_watch.hpp"
#include "work/commands/process_memory.hpp"
#include "work/commands/process_tree.hpp"
#include "work/commands/spawn.hpp"
#include "work/commands/spec_descriptor.hpp"
#include "work/commands/tree_kill.hpp"
#include "work/files/wake_event.hpp"

namespace heddle::work {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;
constexpr int fork_failures_max = 3;  // then all processes are started

/// Copies the data of `pipe` to `file`, up to `left` bytes.
struct Log {
  int pipe = -1;
  int file = -1;
  std::int64_t left = 0;
};

/// Of these there are many, and the environments and descriptors of all are alike.
bool is_forked(const ports::LaunchContext& context) {
  return context.spec && std::holds_alternative<TaskChildLaunch>(context.spec->role) && context.parent_watch &&
         context.working_directory.empty() && !context.standard_output.empty() && !context.standard_error.empty();
}

/// A running process. Owns the descriptors.
struct Child {
  pid_t pid = 0;
  int pidfd = -1;
  int parent_watch = -1;  // write end
  std::string mark;
  ports::ProcessLauncher::OnEnd on_end;
  Log logs[2];
  bool is_stopping = false;
  bool is_term_due = false;
  bool has_ended = false;          // it is reaped once its tree is killed
  std::unique_ptr<TreeKill> kill;  // under way, or done
  bool is_group_killed = false;    // directly, because the walk of its tree hangs
  bool is_reaped = false;          // the kernel may have reused its pid
  std::optional<SteadyTime> kill_at;
};

void close_if_open(int& descriptor) {
  if (descriptor >= 0) ::close(descriptor);
  descriptor = -1;
}

void write_all(int file, const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t put = ::write(file, bytes, count);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return;  // on a full disk, lose log lines instead of failing the process
    bytes += put;
    count -= static_cast<std::size_t>(put);
  }
}

/// Copies the data in the pipe; returns false at its end. After the limit it still reads, so that the process never
/// blocks on a full pipe. Limited per call, so that one process cannot starve the others.
bool drain(Log& log) {
  constexpr int turns_max = 32;
  char buffer[64 << 10];
  for (int turn = 0; turn < turns_max; ++turn) {
    const ssize_t got = ::read(log.pipe, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno == EAGAIN;
    if (got == 0) return false;
    if (log.left <= 0) continue;
    const auto kept = std::min<std::int64_t>(got, log.left);
    write_all(log.file, buffer, static_cast<std::size_t>(kept));
    log.left -= kept;
    if (log.left > 0) continue;
    constexpr std::string_view cut = "\n[heddle: the log reached its size limit; later output is dropped]\n";
    write_all(log.file, cut.data(), cut.size());
  }
  return true;
}

/// Opens the file and the pipe of a log; the child inherits `write_end`.
Result<Done> open_log(const std::string& path, std::int64_t bytes_max, Log& log, int& write_end) {
  log.file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (log.file < 0) return Error{Errc::io, "cannot write the log " + path + ": " + std::strerror(errno)};
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return Error{Errc::io, "cannot create a pipe for the log " + path + ": " + std::strerror(errno)};
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  log.pipe = ends[0];
  write_end = ends[1];
  log.left = bytes_max;
  return Done{};
}

}  // namespace

/// The watch thread and the table of running processes.
class ProcessLauncher::Watch {
public:
  Watch(TreeActions actions, std::chrono::milliseconds kill_again)
      : actions_{std::move(actions)}, kill_again_{kill_again} {
    become_subreaper();
  }

  ~Watch() {
    {
      const std::lock_guard lock{mutex_};
      is_ending_ = true;
    }
    wake();
    if (thread_.joinable()) thread_.join();
    for (auto& [number, child] : children_) release(child);
  }

  Result<ProcessNumber> start(const ports::LaunchContext& context, OnEnd on_end) {
    if (auto begun = begin(); !begun) return begun.error();
    Child child;
    child.on_end = std::move(on_end);
    child.mark = make_process_mark();
    auto spawned = spawn(context, child);
    if (!spawned) {
      release(child);
      return spawned.error();
    }
    ProcessNumber number = 0;
    {
      const std::lock_guard lock{mutex_};
      number = next_++;
      children_.emplace(number, std::move(child));
    }
    wake();
    return number;
  }

  void stop(ProcessNumber number, std::int64_t grace_ms) {
    {
      const std::lock_guard lock{mutex_};
      const auto found = children_.find(number);
      if (found == children_.end() || found->second.is_reaped) return;
      Child& child = found->second;
      const auto kill_at = std::chrono::steady_clock::now() + std::chrono::milliseconds{grace_ms};
      if (!child.kill_at || kill_at < *child.kill_at) child.kill_at = kill_at;
      // The watch thread walks /proc, because the caller may be an actor and must not block.
      child.is_term_due = child.is_term_due || (!child.is_stopping && grace_ms > 0);
      child.is_stopping = true;
    }
    wake();
  }

  void stop_all() {
    end_forks();
    {
      const std::lock_guard lock{mutex_};
      for (auto& [number, child] : children_) child.kill_at = std::chrono::steady_clock::time_point{};
    }
    wake();
    wait_for_all();
  }

  void end_all(std::int64_t grace_ms) {
    end_forks();
    {
      const std::lock_guard lock{mutex_};
      const auto kill_at = std::chrono::steady_clock::now() + std::chrono::milliseconds{grace_ms};
      for (auto& [number, child] : children_) {
        const bool is_held = child.parent_watch >= 0;
        close_if_open(child.parent_watch);
        if (!is_held) child.kill_at = std::chrono::steady_clock::time_point{};
        else if (!child.kill_at || kill_at < *child.kill_at) child.kill_at = kill_at;
      }
    }
    wake();
    wait_for_all();
  }

  void measure(const std::vector<ProcessNumber>& numbers, OnMeasured on_measured) {
    std::vector<ProcessNumber> living;
    std::vector<TreeRoot> roots;
    {
      const std::lock_guard lock{mutex_};
      for (const auto number : numbers) {
        const auto found = children_.find(number);
        if (found == children_.end() || found->second.is_reaped) continue;
        living.push_back(number);
        roots.push_back({found->second.pid, found->second.mark});
      }
    }
    measurer_.run(std::move(roots),
                  [living = std::move(living), on_measured = std::move(on_measured)](const auto& sizes) {
                    std::vector<ports::ProcessMemory> measured;
                    for (std::size_t i = 0; sizes && i < living.size(); ++i)
                      measured.push_back({living[i], (*sizes)[i]});
                    on_measured(std::move(measured));
                  });
  }

private:
  /// Creates the descriptor and the thread at the first start; after a failure the next start tries again.
  Result<Done> begin() {
    const std::lock_guard lock{mutex_};
    if (auto opened = wake_->open("cannot watch processes"); !opened) return opened;
    if (thread_.joinable()) return Done{};
    try {
      thread_ = std::thread{[this] { run(); }};
    } catch (const std::system_error& fault) {
      return Error{Errc::io, std::string{"cannot start a thread to watch processes: "} + fault.code().message()};
    }
    return Done{};
  }

  /// Empty: the process must be started.
  std::optional<pid_t> fork(const ports::LaunchContext& context, const SpawnRequest& request, const std::string& mark) {
    const std::lock_guard lock{forks_mutex_};
    const auto& program = context.arguments.front();
    if (forks_ && !forks_->suits(program, context.environment)) forks_.reset();
    if (!forks_) {
      if (fork_failures_ >= fork_failures_max) return std::nullopt;
      auto started = ForkServer::start(program, context.environment, make_process_mark());
      if (!started) return std::nullopt;
      forks_ = std::move(*started);
    }
    const auto pid =
        forks_->fork({mark, request.standard_output, request.standard_error, request.inherited, request.spec});
    if (!pid) ++fork_failures_;
    if (!pid || !forks_->is_usable()) forks_.reset();
    if (pid) return *pid;
    return std::nullopt;
  }

  void end_forks() {
    const std::lock_guard lock{forks_mutex_};
    forks_.reset();
  }

  Result<Done> spawn(const ports::LaunchContext& context, Child& child) {
    SpawnRequest request;
    int outputs[2] = {-1, -1};
    int parent_watch = -1;
    FileHandle spec;
    auto arguments = context.arguments;
    request.arguments = &arguments;
    request.working_directory = context.working_directory;
    const std::string* paths[2] = {&context.standard_output, &context.standard_error};
    auto ready = [&]() -> Result<Done> {
      for (int i = 0; i < 2; ++i) {
        if (paths[i]->empty()) continue;
        auto opened = open_log(*paths[i], context.log_bytes_max, child.logs[i], outputs[i]);
        if (!opened) return opened;
      }
      auto changes = context.environment;
      changes.emplace_back(process_mark_name, child.mark);
      if (context.parent_watch) {
        auto pipe = make_parent_watch();
        if (!pipe) return pipe.error();
        child.parent_watch = pipe->write;
        parent_watch = pipe->read;
      }
      if (context.spec) {
        auto handed = *context.spec;
        handed.parent_watch = context.parent_watch ? inherited_descriptor : -1;
        auto made = make_spec_descriptor(handed);
        if (!made) return made.error();
        spec = std::move(*made);
        arguments = role_arguments(context.arguments.front(), handed);
      }
      const EnvironmentBlock environment{changes};
      request.environment = &environment;
      request.standard_output = outputs[0];
      request.standard_error = outputs[1];
      request.inherited = parent_watch;
      request.spec = spec.descriptor();
      request.no_input = true;
      request.closes_others = true;
      const auto forked = is_forked(context) ? fork(context, request, child.mark) : std::nullopt;
      const auto pid = forked ? Result<pid_t>{*forked} : spawn_process(request);
      if (!pid) return pid.error();
      child.pid = *pid;
      child.pidfd = static_cast<int>(::syscall(SYS_pidfd_open, *pid, 0));
      if (child.pidfd >= 0) return Done{};
      const int reason = errno;
      kill_child(*pid);
      return Error{Errc::io, std::string{"cannot watch a process: "} + std::strerror(reason)};
    }();
    for (int& output : outputs) close_if_open(output);
    close_if_open(parent_watch);
    return ready;
  }

  /// Not on the watch thread: it would wait for itself.
  void wait_for_all() {
    std::unique_lock lock{mutex_};
    if (std::this_thread::get_id() == thread_.get_id()) return;
    // Longer than every grace time and two kill intervals.
    auto until = std::chrono::steady_clock::now();
    for (const auto& [number, child] : children_)
      if (child.kill_at) until = std::max(until, *child.kill_at);
    all_gone_.wait_until(lock, until + 3 * kill_again_, [this] { return children_.empty(); });
  }

  static void release(Child& child) {
    close_if_open(child.pidfd);
    close_if_open(child.parent_watch);
    for (auto& log : child.logs) {
      close_if_open(log.pipe);
      close_if_open(log.file);
    }
  }

  void wake() const { wake_->set(); }

  void run() {
    std::vector<pollfd> polled;
    std::vector<std::pair<ProcessNumber, int>> owners;  // -1: the process itself, otherwise its log
    while (true) {
      int timeout_ms = -1;
      {
        const std::lock_guard lock{mutex_};
        if (is_ending_) return;
        collect(polled, owners, timeout_ms);
      }
      if (::poll(polled.data(), polled.size(), timeout_ms) < 0 && errno != EINTR) continue;
      wake_->clear();
      for (std::size_t i = 1; i < polled.size(); ++i)
        if (polled[i].revents != 0) on_event(owners[i].first, owners[i].second);
      finish_kills();
      kill_due();
    }
  }

  void collect(std::vector<pollfd>& polled, std::vector<std::pair<ProcessNumber, int>>& owners, int& timeout_ms) const {
    polled.assign(1, {wake_->descriptor(), POLLIN, 0});
    owners.assign(1, {0, 0});
    const auto now = std::chrono::steady_clock::now();
    for (const auto& [number, child] : children_) {
      polled.push_back({child.kill ? -1 : child.pidfd, POLLIN, 0});
      owners.emplace_back(number, -1);
      for (int i = 0; i < 2; ++i) {
        if (child.logs[i].pipe < 0) continue;
        polled.push_back({child.logs[i].pipe, POLLIN, 0});
        owners.emplace_back(number, i);
      }
      if (!child.kill_at || (child.kill && child.is_group_killed)) continue;
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*child.kill_at - now).count();
      const int due_ms = static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
      timeout_ms = timeout_ms < 0 ? due_ms : std::min(timeout_ms, due_ms);
    }
  }

  void on_event(ProcessNumber number, int part) {
    Child* known = nullptr;
    {
      const std::lock_guard lock{mutex_};
      const auto found = children_.find(number);
      if (found == children_.end()) return;
      known = &found->second;  // only this thread erases
    }
    Child& child = *known;
    if (part < 0) {
      on_ended(number, child);
    } else if (child.logs[part].pipe >= 0 && !drain(child.logs[part])) {
      close_if_open(child.logs[part].pipe);
    }
  }

  /// The process is not reaped before the kill ends, so the kernel does not reuse its pid.
  void start_kill(Child& child, std::function<void()> kill) {
    child.kill = std::make_unique<TreeKill>(std::move(kill), [wake = wake_] { wake->set(); });
  }

  void kill_due() {
    std::vector<std::pair<Child*, std::function<void()>>> due;
    {
      const auto now = std::chrono::steady_clock::now();
      const std::lock_guard lock{mutex_};
      for (auto& [number, child] : children_) {
        const bool is_kill = child.kill_at && *child.kill_at <= now;
        if (child.kill) {
          // The walk may wait for one blocked process; the process is not reaped before the walk ends.
          if (is_kill && !std::exchange(child.is_group_killed, true)) ::kill(-child.pid, SIGKILL);
          continue;
        }
        if (is_kill) {
          child.kill_at = now + kill_again_;  // the process may be blocked on a disk
          due.emplace_back(&child, kill_of(child));
        } else if (child.is_term_due) {
          due.emplace_back(
              &child, [send = actions_.send_signal, pid = child.pid, mark = child.mark] { send(pid, mark, SIGTERM); });
        }
        child.is_term_due = false;
      }
    }
    for (auto& [child, kill] : due) start_kill(*child, std::move(kill));
  }

  [[nodiscard]] std::function<void()> kill_of(const Child& child) const {
    return [kill = actions_.kill, pid = child.pid, mark = child.mark] { kill(pid, mark); };
  }

  /// Only this thread starts and ends kills, and erases children.
  void finish_kills() {
    std::vector<std::pair<ProcessNumber, Child*>> ended;
    {
      const std::lock_guard lock{mutex_};
      for (auto& [number, child] : children_) {
        if (!child.kill || !child.kill->is_done()) continue;
        child.kill.reset();
        child.is_group_killed = false;
        if (std::exchange(child.has_ended, false)) ended.emplace_back(number, &child);
      }
    }
    for (const auto& [number, child] : ended) finish(number, *child);
  }

  void on_ended(ProcessNumber number, Child& child) {
    if (child.kill) return;
    if (!may_have_orphans()) return finish(number, child);  // it has left nothing that a walk of /proc could find
    // Kill before reaping: until then, the kernel does not reuse the pid and the group.
    child.has_ended = true;
    start_kill(child, kill_of(child));
  }

  void finish(ProcessNumber number, Child& child) {
    ProcessEnd end;
    {
      const std::lock_guard lock{mutex_};
      const auto reaped = reap_child(child.pid, child.pidfd);
      if (reaped && !*reaped) return;  // the next poll reports the exit again
      child.is_reaped = true;
      end = reaped ? ProcessEnd{(*reaped)->exit_code, (*reaped)->signal} : ProcessEnd{-1, 0};
    }
    reap_orphans();
    for (auto& log : child.logs) {
      if (log.pipe >= 0) drain(log);
    }
    if (child.on_end) child.on_end(number, end);
    const std::lock_guard lock{mutex_};
    release(child);
    children_.erase(number);
    if (children_.empty()) all_gone_.notify_all();
  }

  mutable std::mutex mutex_;
  std::condition_variable all_gone_;
  std::map<ProcessNumber, Child> children_;  // changed under the mutex; erased by the thread alone
  ProcessNumber next_ = 1;
  bool is_ending_ = false;
  TreeActions actions_;
  std::chrono::milliseconds kill_again_;
  std::shared_ptr<WakeEvent> wake_ = std::make_shared<WakeEvent>();  // a kill that hangs outlives this object
  std::thread thread_;
  std::mutex forks_mutex_;
  std::unique_ptr<ForkServer> forks_;  // none before the first fork
  int fork_failures_ = 0;
  MemoryMeasurer measurer_;
};

TreeActions tree_actions() { return {kill_tree, signal_tree}; }

ProcessLauncher::ProcessLauncher(TreeActions actions, std::chrono::milliseconds kill_again)
    : watch_{std::make_unique<Watch>(std::move(actions), kill_again)} {}

ProcessLauncher::~ProcessLauncher() { watch_->stop_all(); }

Result<ProcessLauncher::ProcessNumber> ProcessLauncher::start(const ports::LaunchContext& context, OnEnd on_end) {
  return watch_->start(context, std::move(on_end));
}

void ProcessLauncher::stop(ProcessNumber process, std::int64_t grace_ms) { watch_->stop(process, grace_ms); }

void ProcessLauncher::measure(std::vector<ProcessNumber> processes, OnMeasured on_measured) {
  watch_->measure(processes, std::move(on_measured));
}

void ProcessLauncher::stop_all() { watch_->stop_all(); }

void ProcessLauncher::end_all(std::int64_t grace_ms) { watch_->end_all(grace_ms); }

}  // namespace heddle::work
