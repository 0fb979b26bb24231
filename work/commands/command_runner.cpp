#include "work/commands/command_runner.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <mutex>
#include <optional>

#include "work/commands/process_tree.hpp"
#include "work/commands/spawn.hpp"
#include "work/files/wake_event.hpp"
#include "work/records/line_count.hpp"

namespace heddle::work {
namespace {

struct Pipe {
  int read = -1;
  int write = -1;

  [[nodiscard]] bool is_open() const { return read >= 0; }
  void close_read() {
    if (read >= 0) ::close(read);
    read = -1;
  }
  void close_write() {
    if (write >= 0) ::close(write);
    write = -1;
  }
  void close() {
    close_read();
    close_write();
  }
  [[nodiscard]] Result<Done> open(std::int64_t bytes) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
      return Error{Errc::io, std::string{"cannot create a pipe for a command: "} + std::strerror(errno)};
    read = ends[0];
    write = ends[1];
    // fails above the user's limit; the pipe then keeps its default size
    ::fcntl(read, F_SETPIPE_SZ, static_cast<int>(bytes));
    return Done{};
  }
};

/// State of the running command that kill() uses. Thread-safe.
class RunningCommand {
public:
  /// Must succeed before the start: without the descriptor, a command that ignores SIGTERM is never killed.
  [[nodiscard]] Result<Done> open() { return wake_.open("cannot watch a command"); }
  /// Readable after kill().
  [[nodiscard]] int wake_descriptor() const { return wake_.descriptor(); }
  void clear_wake() const { wake_.clear(); }

  void begin(pid_t pid, const Command& command) {
    const std::lock_guard lock{mutex_};
    pid_ = pid;
    mark_ = command.mark;
    was_killed_ = command.is_killed != nullptr && command.is_killed->load();
    if (was_killed_) signal_tree(pid_, mark_, SIGKILL);
    kill_at_.reset();
  }
  /// From now on kill() has no effect. Returns true if kill() was called before.
  [[nodiscard]] bool end() {
    const std::lock_guard lock{mutex_};
    pid_ = 0;
    return was_killed_;
  }

  void kill(std::int64_t grace_ms) {
    const std::lock_guard lock{mutex_};
    if (pid_ <= 0) return;
    was_killed_ = true;
    if (grace_ms > 0 && !kill_at_) {
      signal_tree(pid_, mark_, SIGTERM);
      signal_tree(pid_, mark_, SIGCONT);  // a stopped process handles SIGTERM only after SIGCONT
      kill_at_ = std::chrono::steady_clock::now() + std::chrono::milliseconds{grace_ms};
    } else {
      signal_tree(pid_, mark_, SIGKILL);
    }
    wake_.set();
  }
  /// Sends SIGKILL if the grace time is over; returns the time in ms until then, for poll.
  int remaining_grace_ms() {
    const std::lock_guard lock{mutex_};
    if (!kill_at_) return -1;
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(*kill_at_ - std::chrono::steady_clock::now()).count();
    if (left > 0) return static_cast<int>(std::min<std::int64_t>(left, 60'000));
    signal_tree(pid_, mark_, SIGKILL);
    kill_at_.reset();
    return -1;
  }

  [[nodiscard]] bool was_killed() const {
    const std::lock_guard lock{mutex_};
    return was_killed_;
  }
  [[nodiscard]] pid_t pid() const {
    const std::lock_guard lock{mutex_};
    return pid_;
  }
  [[nodiscard]] std::string mark() const {
    const std::lock_guard lock{mutex_};
    return mark_;
  }

private:
  WakeEvent wake_;
  mutable std::mutex mutex_;
  pid_t pid_ = 0;
  std::string mark_;
  bool was_killed_ = false;
  std::optional<std::chrono::steady_clock::time_point> kill_at_;
};

/// Writes the chunks of a source into the stdin pipe of a command.
class CommandInputWriter {
public:
  Pipe pipe;

  /// Starts the input of the next command.
  void begin(const Command& command, const CommandSource& source) {
    source_ = source ? &source : nullptr;
    source_ready_ = command.input_ready;
    pending_ = command.input_begin;
    is_at_end_ = false;
  }
  [[nodiscard]] bool has_source() const { return source_ != nullptr; }

  /// What to poll for: space in the pipe, or data of the source.
  [[nodiscard]] pollfd awaited() const {
    const bool is_source = pipe.write >= 0 && pending_.empty() && source_ready_ >= 0;
    return is_source ? pollfd{source_ready_, POLLIN, 0} : pollfd{pipe.write, POLLOUT, 0};
  }

  /// Writes until the pipe is full, the source has no data, or the input ends. Returns an Error only of the source.
  Result<Done> move(CommandResult& end) {
    while (pipe.write >= 0 && !waits_for_source()) {
      if (auto taken = read_chunk(); !taken) return taken;
      if (is_at_end_) {
        pipe.close_write();
        break;
      }
      const ssize_t put = ::write(pipe.write, pending_.data(), pending_.size());
      if (put < 0 && errno == EINTR) continue;
      if (put < 0 && errno == EAGAIN) break;
      if (put < 0) {
        end.closed_stdin = true;
        pipe.close_write();
        break;
      }
      end.records_offered += count_lines(pending_.substr(0, static_cast<std::size_t>(put)));
      pending_.remove_prefix(static_cast<std::size_t>(put));
      if (!pending_.empty()) break;
    }
    return Done{};
  }

private:
  [[nodiscard]] bool waits_for_source() const {
    if (!pending_.empty() || source_ready_ < 0) return false;
    pollfd polled{source_ready_, POLLIN, 0};
    return ::poll(&polled, 1, 0) == 0;
  }

  Result<Done> read_chunk() {
    if (!pending_.empty()) return Done{};
    auto next = (*source_)();
    if (!next) {
      pipe.close_write();
      return next.error();
    }
    pending_ = *next;
    is_at_end_ = pending_.empty();
    return Done{};
  }

  const CommandSource* source_ = nullptr;
  int source_ready_ = -1;
  std::string_view pending_;
  bool is_at_end_ = false;
};

/// Reader of stdout or stderr of a command.
struct CommandOutputPipe {
  Pipe pipe;
  bool is_open = false;  // no end of file yet

  /// Reads up to `size` bytes into `to`. Returns 0 if the pipe is empty or at its end.
  std::size_t read(char* to, std::size_t size) {
    while (is_open) {
      const ssize_t got = ::read(pipe.read, to, size);
      if (got < 0 && errno == EINTR) continue;
      is_open = got != 0;
      return got < 0 ? 0 : static_cast<std::size_t>(got);
    }
    return 0;
  }
};

/// Keeps the last environment block: commands of one stage have the same one.
class CachedEnvironment {
public:
  const EnvironmentBlock& with(const std::vector<std::pair<std::string, std::string>>& changes) {
    if (!block_ || changes_ != changes) {
      changes_ = changes;
      block_.emplace(changes_);
    }
    return *block_;
  }

private:
  std::vector<std::pair<std::string, std::string>> changes_;
  std::optional<EnvironmentBlock> block_;
};

/// A write to a command that closed its stdin must fail with EPIPE, not kill this process.
void ignore_broken_pipes() {
  static const bool done = [] {
    struct sigaction old {};
    ::sigaction(SIGPIPE, nullptr, &old);
    if (old.sa_handler == SIG_DFL) ::signal(SIGPIPE, SIG_IGN);
    return true;
  }();
  static_cast<void>(done);
}

void make_nonblocking(int descriptor) { ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) | O_NONBLOCK); }

}  // namespace

/// Runs one command at a time in a poll loop.
class CommandRunner::Pump {
public:
  explicit Pump(CommandRunnerSettings settings)
      : settings_{std::move(settings)}, errors_{settings_.standard_error_bytes_max} {
    ignore_broken_pipes();
  }
  ~Pump() { close_pipes(); }
  Pump(const Pump&) = delete;
  Pump& operator=(const Pump&) = delete;

  Result<CommandResult> run(const Command& command, const CommandSource& source, const CommandOutput& output) {
    end_ = {};
    failure_.reset();
    consumer_ = output ? &output : nullptr;
    command_ = &command;
    errors_.begin(command.reporter, command.on_counter);
    input_.begin(command, source);
    if (auto started = start(command); !started) return started.error();
    if (!end_.started) return std::move(end_);
    pump_until_ended();
    finish();
    if (failure_) return *failure_;
    return std::move(end_);
  }

  void kill(std::int64_t grace_ms) { running_.kill(grace_ms); }

private:
  Result<Done> start(const Command& command) {
    if (auto opened = running_.open(); !opened) return opened;
    SpawnRequest request;
    request.arguments = &command.arguments;
    request.working_directory = command.working_directory;
    if (!command.pass_through) {
      if (auto ready = open_pipes(); !ready) return ready;
      request.standard_output = output_.pipe.write;
      request.standard_error = error_.pipe.write;
      request.standard_input = input_.pipe.read;
      request.no_input = !input_.has_source();
    } else {
      request.standard_input = command.standard_input;
      request.standard_output = command.standard_output;
      request.standard_error = command.standard_error;
    }
    request.environment = &environment_.with(command.environment);
    auto pid = spawn_process(request);
    if (!pid) {
      close_pipes();
      if (pid.error().code == Errc::io) return pid.error();
      end_.started = false;
      end_.exit_code = pid.error().code == Errc::not_found ? 127 : 126;
      end_.text = pid.error().text;
      return Done{};
    }
    input_.pipe.close_read();
    if (input_.has_source()) {
      output_.pipe.close_write();
      error_.pipe.close_write();
    }
    pidfd_ = static_cast<int>(::syscall(SYS_pidfd_open, *pid, 0));
    if (pidfd_ < 0) {
      const int reason = errno;
      kill_child(*pid);
      close_pipes();
      return Error{Errc::io, std::string{"cannot watch a command: "} + std::strerror(reason)};
    }
    running_.begin(*pid, command);
    return Done{};
  }

  /// Pipes of a command without input are reused for the next command; a pidfd reports the exit.
  Result<Done> open_pipes() {
    if (input_.has_source()) {
      if (auto opened = input_.pipe.open(settings_.pipe_bytes); !opened) return opened;
      make_nonblocking(input_.pipe.write);
    }
    for (Pipe* pipe : {&output_.pipe, &error_.pipe}) {
      if (pipe->is_open() && pipe->write >= 0) continue;
      pipe->close();
      if (auto opened = pipe->open(pipe == &output_.pipe ? settings_.pipe_bytes : 64 << 10); !opened) {
        close_pipes();
        return opened;
      }
      make_nonblocking(pipe->read);
    }
    return Done{};
  }

  void close_pipes() {
    input_.pipe.close();
    output_.pipe.close();
    error_.pipe.close();
  }

  void pump_until_ended() {
    for (CommandOutputPipe* outlet : {&output_, &error_}) outlet->is_open = outlet->pipe.is_open();
    bool has_ended = false;
    using Time = std::chrono::steady_clock::time_point;
    Time silent_since = Time::max();
    while (true) {
      const Ready ready = wait(has_ended);
      const bool heard_output = (ready.output || has_ended) && move_output();
      const bool heard_error = (ready.error || has_ended) && move_errors();
      if ((heard_output || heard_error) && command_->on_sign) command_->on_sign();
      if (!has_ended) {
        if (ready.input) move_input();
        has_ended = ready.process && reap();
        if (has_ended) input_.pipe.close();
        if (failure_ && !has_ended) signal_tree(running_.pid(), running_.mark(), SIGKILL);
        continue;
      }
      if (heard_output || heard_error) {
        silent_since = Time::max();
        continue;
      }
      const bool is_over = (!output_.is_open && !error_.is_open) || failure_ || !group_lives() || running_.was_killed();
      if (is_over) return;
      const auto now = std::chrono::steady_clock::now();
      if (silent_since == Time::max()) silent_since = now;
      if (now - silent_since >= std::chrono::milliseconds{settings_.output_wait_ms}) return;
    }
  }

  struct Ready {
    bool process = false;
    bool output = false;
    bool error = false;
    bool input = false;
  };

  Ready wait(bool has_ended) {
    if (has_ended && !group_lives()) return {};
    pollfd polled[5];
    nfds_t count = 0;
    polled[count++] = {running_.wake_descriptor(), POLLIN, 0};
    // poll ignores negative descriptors.
    polled[count++] = {has_ended ? -1 : pidfd_, POLLIN, 0};
    polled[count++] = {output_.is_open ? output_.pipe.read : -1, POLLIN, 0};
    polled[count++] = {error_.is_open ? error_.pipe.read : -1, POLLIN, 0};
    polled[count++] = has_ended ? pollfd{-1, 0, 0} : input_.awaited();
    constexpr int left_behind_ms = 20;  // poll interval for a process group whose leader has ended
    if (::poll(polled, count, has_ended ? left_behind_ms : running_.remaining_grace_ms()) <= 0) return {};
    if (polled[0].revents != 0) running_.clear_wake();
    return {polled[1].revents != 0, polled[2].revents != 0, polled[3].revents != 0, polled[4].revents != 0};
  }

  void move_input() {
    if (auto moved = input_.move(end_); !moved) failure_ = moved.error();
  }

  bool move_output() {
    bool heard = false;
    while (const auto got = output_.read(buffer_.data(), buffer_.size())) {
      heard = true;
      if (consumer_ == nullptr || failure_) continue;
      if (auto taken = (*consumer_)({buffer_.data(), got}); !taken) failure_ = taken.error();
      if (got < buffer_.size()) return heard;
    }
    return heard;
  }

  bool move_errors() {
    bool heard = false;
    // Limits the reads per round, so that a flood on stderr does not starve stdout.
    for (int turn = 0; turn < 16; ++turn) {
      char bytes[64 << 10];
      const auto got = error_.read(bytes, sizeof bytes);
      if (got == 0) break;
      heard = true;
      errors_.add({bytes, got});
      if (command_->on_status && !errors_.status().empty()) command_->on_status(errors_.status());
    }
    return heard;
  }

  bool reap() {
    const auto end = reap_child(running_.pid(), pidfd_);
    if (!end) {
      failure_ = end.error();
      return true;
    }
    if (!*end) return false;
    end_.signal = (*end)->signal;
    end_.exit_code = (*end)->exit_code;
    return true;
  }

  /// Valid after the leader was reaped: while the group has members, the kernel does not reuse its number. If this
  /// process is a subreaper, orphans of the group are its children, and a zombie counts until it is reaped.
  [[nodiscard]] bool group_lives() const {
    const pid_t leader = running_.pid();
    while (::waitpid(-leader, nullptr, WNOHANG) > 0) continue;
    return ::kill(-leader, 0) == 0;
  }

  void finish() {
    const bool is_left = group_lives();
    const auto orphans = orphan_candidates();
    const std::string mark = running_.mark();
    bool is_escaped = false;
    for (const pid_t orphan : orphans) is_escaped = is_escaped || carries_process_mark(orphan, mark);
    // After SIGKILL a process ends only when it is scheduled: kill_tree waits for that.
    if (is_left || is_escaped) kill_tree(running_.pid(), mark);
    // A process that changed its session and its environment is found by the pipe that it keeps open.
    const bool is_held = is_held_by_others();
    if (is_held) kill_pipe_holders({output_.pipe.read, error_.pipe.read});
    if (!orphans.empty()) reap_orphans();
    // A killed process may have left data in the pipes, and other processes may still write to them: do not let the
    // next command read that.
    if (input_.has_source() || is_left || is_escaped || is_held) close_pipes();
    ::close(pidfd_);
    pidfd_ = -1;
    errors_.finish(end_);
    end_.was_killed = running_.end();
  }

  /// Checks whether another process can still write into the pipes: closes the write ends of this process, checks for
  /// POLLHUP, and opens them again for the next command.
  [[nodiscard]] bool is_held_by_others() {
    bool is_held = false;
    for (Pipe* pipe : {&output_.pipe, &error_.pipe}) {
      if (!pipe->is_open()) continue;
      pipe->close_write();
      pollfd polled{pipe->read, 0, 0};
      is_held = is_held || (::poll(&polled, 1, 0) == 0);  // poll reports POLLHUP if no writer is left
      if (input_.has_source()) continue;
      const auto path = "/proc/self/fd/" + std::to_string(pipe->read);
      pipe->write = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    }
    return is_held;
  }

  CommandRunnerSettings settings_;
  StandardErrorReader errors_;
  const Command* command_ = nullptr;  // that runs
  CachedEnvironment environment_;
  std::vector<char> buffer_ = std::vector<char>(256 << 10);
  CommandInputWriter input_;
  CommandOutputPipe output_;
  CommandOutputPipe error_;
  const CommandOutput* consumer_ = nullptr;
  CommandResult end_;
  std::optional<Error> failure_;
  int pidfd_ = -1;
  RunningCommand running_;
};

CommandRunner::CommandRunner(CommandRunnerSettings settings) : pump_{std::make_unique<Pump>(std::move(settings))} {}

CommandRunner::~CommandRunner() = default;

Result<CommandResult> CommandRunner::run(const Command& command, const CommandSource& source,
                                         const CommandOutput& output) {
  return pump_->run(command, source, output);
}

void CommandRunner::kill(std::int64_t grace_ms) { pump_->kill(grace_ms); }

}  // namespace heddle::work
