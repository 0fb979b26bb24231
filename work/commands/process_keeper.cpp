#include "work/commands/process_keeper.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <future>

#include "work/commands/parent_watch.hpp"
#include "work/commands/process_launcher.hpp"
#include "work/commands/process_tree.hpp"

namespace heddle::work {
namespace {

int exit_code_of(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

/// The signals that the first process waits for.
sigset_t awaited_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int each : {SIGTERM, SIGINT, SIGHUP, SIGCHLD}) sigaddset(&signals, each);
  return signals;
}

/// Starts the process and returns its exit code after its end, or after the end of the first process.
int keep(const ports::LaunchContext& context, int first_process, std::int64_t grace_ms) {
  ::setsid();
  become_subreaper();
  own_all_children();
  std::promise<ProcessEnd> ended;
  ProcessLauncher launcher;
  const auto started = launcher.start(context, [&ended](auto, ProcessEnd end) { ended.set_value(end); });
  if (!started) {
    fmt::print(stderr, "heddle: cannot start {}: {}\n", context.arguments.front(), started.error().text);
    return not_started_exit_code;
  }
  const ParentWatch watch{first_process, [&launcher, grace_ms] { launcher.end_all(grace_ms); }};
  const auto end = ended.get_future().get();
  kill_tree(::getpid(), {});
  return end.signal != 0 ? 128 + end.signal : end.exit_code;
}

/// Waits for the end of the keeper and returns its exit code. A signal to end closes the pipe.
int wait_for_keeper(pid_t keeper, int& to_keeper, const sigset_t& signals) {
  while (true) {
    const int signal = ::sigwaitinfo(&signals, nullptr);
    if (signal < 0 && errno != EINTR) return not_started_exit_code;
    if (signal > 0 && signal != SIGCHLD && to_keeper >= 0) {
      ::close(to_keeper);
      to_keeper = -1;
    }
    if (signal != SIGCHLD) continue;
    int status = 0;
    for (pid_t ended = 0; (ended = ::waitpid(-1, &status, WNOHANG)) > 0;)
      if (ended == keeper) return exit_code_of(status);
  }
}

}  // namespace

int run_with_keeper(const ports::LaunchContext& context, std::int64_t grace_ms) {
  const auto pipe = make_parent_watch();
  if (!pipe) {
    fmt::print(stderr, "heddle: {}\n", pipe.error().text);
    return not_started_exit_code;
  }
  ::signal(SIGCHLD, SIG_DFL);  // an ignored SIGCHLD would lose the exit code
  become_subreaper();          // adopts what is left of a killed keeper
  const auto signals = awaited_signals();
  sigset_t before;
  ::sigprocmask(SIG_BLOCK, &signals, &before);
  const pid_t keeper = ::fork();
  if (keeper < 0) {
    fmt::print(stderr, "heddle: cannot start a process: {}\n", std::strerror(errno));
    return not_started_exit_code;
  }
  if (keeper == 0) {
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    ::close(pipe->write);
    ::_exit(keep(context, pipe->read, grace_ms));
  }
  ::close(pipe->read);
  int to_keeper = pipe->write;
  const int code = wait_for_keeper(keeper, to_keeper, signals);
  kill_tree(::getpid(), {});
  return code;
}

}  // namespace heddle::work
