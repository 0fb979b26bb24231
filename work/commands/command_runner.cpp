#include "work/commands/command_runner.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
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
      return Error{Errc::io, std::string{"no pipe for a command: "} + std::strerror(errno)};
    read = ends[0];
    write = ends[1];
    ::fcntl(read, F_SETPIPE_SZ, static_cast<int>(bytes));  // refused beyond the user's limit: then the pipe stays small
    return Done{};
  }
};

/// Writing to a command that closed its stdin is an answer (EPIPE), not the end of this process.
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

/// One command at a time, moved by poll.
class CommandRunner::Pump {
public:
  explicit Pump(CommandRunnerSettings settings)
      : settings_{std::move(settings)}, errors_{settings_.reporter_prefix, settings_.standard_error_bytes_max} {
    ignore_broken_pipes();
    buffer_.resize(256 << 10);
  }
  ~Pump() {
    if (wake_ >= 0) ::close(wake_);
    input_.close();
    output_.close();
    error_.close();
  }
  Pump(const Pump&) = delete;
  Pump& operator=(const Pump&) = delete;

  Result<CommandEnd> run(const Command& command, const CommandSource& source, const CommandOutput& output) {
    end_ = {};
    failure_.reset();
    source_ = source ? &source : nullptr;
    consumer_ = output ? &output : nullptr;
    pending_ = {};
    if (auto started = start(command); !started) return started.error();
    if (!end_.started) return std::move(end_);
    pump_until_ended();
    finish();
    if (failure_) return *failure_;
    return std::move(end_);
  }

  void kill(std::int64_t grace_ms) {
    const std::lock_guard lock{mutex_};
    if (pid_ <= 0) return;
    was_killed_ = true;
    if (grace_ms > 0 && !kill_at_) {
      signal_tree(pid_, mark_, SIGTERM);
      signal_tree(pid_, mark_, SIGCONT);  // a stopped process hears SIGTERM when it goes on
      kill_at_ = std::chrono::steady_clock::now() + std::chrono::milliseconds{grace_ms};
    } else {
      signal_tree(pid_, mark_, SIGKILL);
    }
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto put = ::write(wake_, &one, sizeof one);
  }

private:
  Result<Done> start(const Command& command) {
    // Without it a command that ignores SIGTERM would never be killed.
    if (wake_ < 0) wake_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (wake_ < 0) return Error{Errc::io, std::string{"cannot watch a command: "} + std::strerror(errno)};
    SpawnRequest request;
    request.arguments = &command.arguments;
    request.working_directory = command.working_directory;
    if (!command.pass_through) {
      if (auto ready = open_pipes(); !ready) return ready;
      request.standard_output = output_.write;
      request.standard_error = error_.write;
      request.standard_input = input_.read;
      request.no_input = source_ == nullptr;
    } else {
      request.standard_input = command.standard_input;
      request.standard_output = command.standard_output;
      request.standard_error = command.standard_error;
    }
    {
      const std::lock_guard lock{mutex_};
      mark_ = command.mark;
    }
    // The same stage runs many commands with the same changes: the block is made once for them.
    if (!environment_ || changes_ != command.environment) {
      changes_ = command.environment;
      environment_.emplace(changes_);
    }
    request.environment = &*environment_;
    auto pid = spawn_process(request);
    if (!pid) {
      close_pipes();
      if (pid.error().code == Errc::io) return pid.error();
      end_.started = false;
      end_.exit_code = pid.error().code == Errc::not_found ? 127 : 126;
      end_.text = pid.error().text;
      return Done{};
    }
    input_.close_read();
    if (source_ != nullptr) {
      output_.close_write();
      error_.close_write();
    }
    pidfd_ = static_cast<int>(::syscall(SYS_pidfd_open, *pid, 0));
    if (pidfd_ < 0) {
      const int reason = errno;
      kill_child(*pid);
      close_pipes();
      return Error{Errc::io, std::string{"cannot watch a command: "} + std::strerror(reason)};
    }
    const std::lock_guard lock{mutex_};
    pid_ = *pid;
    was_killed_ = command.is_killed != nullptr && command.is_killed->load();
    if (was_killed_) signal_tree(pid_, mark_, SIGKILL);
    kill_at_.reset();
    return Done{};
  }

  /// A command without input leaves the pipes as they were, so they serve the next one; its end is told by its pidfd.
  Result<Done> open_pipes() {
    if (source_ != nullptr) {
      if (auto opened = input_.open(settings_.pipe_bytes); !opened) return opened;
      make_nonblocking(input_.write);
    }
    for (Pipe* pipe : {&output_, &error_}) {
      if (pipe->is_open() && pipe->write >= 0) continue;
      pipe->close();
      if (auto opened = pipe->open(pipe == &output_ ? settings_.pipe_bytes : 64 << 10); !opened) {
        close_pipes();
        return opened;
      }
      make_nonblocking(pipe->read);
    }
    return Done{};
  }

  void close_pipes() {
    input_.close();
    output_.close();
    error_.close();
  }

  void pump_until_ended() {
    is_output_open_ = output_.is_open();
    is_error_open_ = error_.is_open();
    is_source_at_end_ = false;
    bool has_ended = false;
    using Time = std::chrono::steady_clock::time_point;
    Time silent_since = Time::max();
    while (true) {
      const Ready ready = wait(has_ended);
      const bool heard_output = (ready.output || has_ended) && move_output();
      const bool heard_error = (ready.error || has_ended) && move_errors();
      if (!has_ended) {
        if (ready.input) move_input();
        has_ended = ready.process && reap();
        if (has_ended) input_.close();
        if (failure_ && !has_ended) signal_tree(pid_, mark_, SIGKILL);
        continue;
      }
      if (heard_output || heard_error) {
        silent_since = Time::max();
        continue;
      }
      const bool is_over = (!is_output_open_ && !is_error_open_) || failure_ || !group_lives() || was_killed();
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
    polled[count++] = {wake_, POLLIN, 0};
    // poll passes over negative descriptors.
    polled[count++] = {has_ended ? -1 : pidfd_, POLLIN, 0};
    polled[count++] = {is_output_open_ ? output_.read : -1, POLLIN, 0};
    polled[count++] = {is_error_open_ ? error_.read : -1, POLLIN, 0};
    polled[count++] = {has_ended ? -1 : input_.write, POLLOUT, 0};
    constexpr int left_behind_ms = 20;  // between looks at a group whose leader has ended
    if (::poll(polled, count, has_ended ? left_behind_ms : grace_left_ms()) <= 0) return {};
    if (polled[0].revents != 0) {
      std::uint64_t pokes = 0;
      [[maybe_unused]] const auto got = ::read(wake_, &pokes, sizeof pokes);
    }
    return {polled[1].revents != 0, polled[2].revents != 0, polled[3].revents != 0, polled[4].revents != 0};
  }

  /// Kills what has outlived its grace; answers how long poll may wait for the next.
  int grace_left_ms() {
    const std::lock_guard lock{mutex_};
    if (!kill_at_) return -1;
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(*kill_at_ - std::chrono::steady_clock::now()).count();
    if (left > 0) return static_cast<int>(std::min<std::int64_t>(left, 60'000));
    signal_tree(pid_, mark_, SIGKILL);
    kill_at_.reset();
    return -1;
  }

  void move_input() {
    if (input_.write < 0) return;
    while (true) {
      if (pending_.empty()) {
        if (!is_source_at_end_) {
          auto next = (*source_)();
          if (!next) {
            failure_ = next.error();
            input_.close_write();
            return;
          }
          pending_ = *next;
          is_source_at_end_ = pending_.empty();
        }
        if (is_source_at_end_) {
          input_.close_write();
          return;
        }
      }
      const ssize_t put = ::write(input_.write, pending_.data(), pending_.size());
      if (put < 0 && errno == EINTR) continue;
      if (put < 0 && errno == EAGAIN) return;
      if (put < 0) {
        end_.left_input = true;
        input_.close_write();
        return;
      }
      end_.records_offered += count_lines(pending_.substr(0, static_cast<std::size_t>(put)));
      pending_.remove_prefix(static_cast<std::size_t>(put));
      if (!pending_.empty()) return;
    }
  }

  bool move_output() {
    bool heard = false;
    while (is_output_open_) {
      const ssize_t got = ::read(output_.read, buffer_.data(), buffer_.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return heard;
      if (got == 0) {
        is_output_open_ = false;
        return heard;
      }
      heard = true;
      if (consumer_ == nullptr || failure_) continue;
      if (auto taken = (*consumer_)({buffer_.data(), static_cast<std::size_t>(got)}); !taken) failure_ = taken.error();
      if (got < static_cast<ssize_t>(buffer_.size())) return heard;
    }
    return heard;
  }

  bool move_errors() {
    bool heard = false;
    // Bounded per turn, so that a command which floods stderr does not starve its own stdout.
    for (int turn = 0; turn < 16 && is_error_open_; ++turn) {
      char bytes[64 << 10];
      const ssize_t got = ::read(error_.read, bytes, sizeof bytes);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) break;
      if (got == 0) {
        is_error_open_ = false;
        break;
      }
      heard = true;
      errors_.add({bytes, static_cast<std::size_t>(got)});
    }
    return heard;
  }

  bool reap() {
    const auto end = reap_child(pid_, pidfd_);
    if (!end) {
      failure_ = end.error();
      return true;
    }
    if (!*end) return false;
    end_.signal = (*end)->signal;
    end_.exit_code = (*end)->exit_code;
    return true;
  }

  /// Asked once the leader is reaped: as long as somebody is left in its group, the number is nobody else's. Its
  /// orphans are ours where this process is a subreaper; one that has ended counts until it is reaped.
  [[nodiscard]] bool group_lives() const {
    while (::waitpid(-pid_, nullptr, WNOHANG) > 0) continue;
    return ::kill(-pid_, 0) == 0;
  }

  [[nodiscard]] bool was_killed() {
    const std::lock_guard lock{mutex_};
    return was_killed_;
  }

  void finish() {
    const bool is_left = group_lives();
    const auto orphans = orphan_candidates();
    bool is_escaped = false;
    for (const pid_t orphan : orphans) is_escaped = is_escaped || carries_process_mark(orphan, mark_);
    // A killed process ends when it is scheduled next: only kill_tree waits for that.
    if (is_left || is_escaped) kill_tree(pid_, mark_);
    // What has changed its session and its environment is told by the pipe that it holds.
    const bool is_held = is_held_by_others();
    if (is_held) kill_pipe_holders({output_.read, error_.read});
    if (!orphans.empty()) reap_orphans();
    // What was killed may have left bytes, and pipes that others hold are not used again: what they write would be the
    // output of the next command.
    if (source_ != nullptr || is_left || is_escaped || is_held) close_pipes();
    ::close(pidfd_);
    pidfd_ = -1;
    errors_.finish(end_);
    const std::lock_guard lock{mutex_};
    end_.was_killed = was_killed_;
    pid_ = 0;
  }

  /// Looks whether another process can still write into our pipes: closes our own write ends, and opens them again for
  /// the next command.
  [[nodiscard]] bool is_held_by_others() {
    bool is_held = false;
    for (Pipe* pipe : {&output_, &error_}) {
      if (!pipe->is_open()) continue;
      pipe->close_write();
      pollfd polled{pipe->read, 0, 0};
      is_held = is_held || (::poll(&polled, 1, 0) == 0);  // POLLHUP is told unasked once the last writer is gone
      if (source_ != nullptr) continue;
      const auto path = "/proc/self/fd/" + std::to_string(pipe->read);
      pipe->write = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    }
    return is_held;
  }

  CommandRunnerSettings settings_;
  StandardErrorReader errors_;
  std::vector<std::pair<std::string, std::string>> changes_;
  std::optional<EnvironmentBlock> environment_;
  std::vector<char> buffer_;
  Pipe input_;
  Pipe output_;
  Pipe error_;
  const CommandSource* source_ = nullptr;
  const CommandOutput* consumer_ = nullptr;
  std::string_view pending_;
  CommandEnd end_;
  std::optional<Error> failure_;
  int pidfd_ = -1;
  int wake_ = -1;
  bool is_output_open_ = false;
  bool is_error_open_ = false;
  bool is_source_at_end_ = false;
  std::mutex mutex_;  // guards what kill() needs
  pid_t pid_ = 0;
  std::string mark_;
  bool was_killed_ = false;
  std::optional<std::chrono::steady_clock::time_point> kill_at_;
};

CommandRunner::CommandRunner(CommandRunnerSettings settings) : pump_{std::make_unique<Pump>(std::move(settings))} {}

CommandRunner::~CommandRunner() = default;

Result<CommandEnd> CommandRunner::run(const Command& command, const CommandSource& source,
                                      const CommandOutput& output) {
  return pump_->run(command, source, output);
}

void CommandRunner::kill(std::int64_t grace_ms) { pump_->kill(grace_ms); }

}  // namespace heddle::work
