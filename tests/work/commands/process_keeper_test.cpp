// Goal: a foreign NodeManager that signals or kills the first process, or a killed keeper, leaves no process behind,
// and the exit code arrives. Method: real processes; the kept one starts a command in a session of its own. Waits only
// on exits and on files, with a limit.
#include "work/commands/process_keeper.hpp"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "tests/support/scratch_folder.hpp"
#include "work/commands/process_rows.hpp"
#include "work/commands/process_tree.hpp"

namespace heddle::work {
namespace process_keeper_test {
namespace {

constexpr std::chrono::seconds limit{30};

/// A first process in a group of its own, as a NodeManager starts it.
class FirstProcess {
public:
  explicit FirstProcess(const std::string& script) : mark_{make_process_mark()} {
    become_subreaper();  // a keeper that outlives the first process becomes a child of this one
    pid_ = ::fork();
    BOOST_REQUIRE(pid_ >= 0);
    if (pid_ != 0) return;
    ::setsid();
    ::setenv(std::string{process_mark_name}.c_str(), mark_.c_str(), 1);
    ports::LaunchContext context;
    context.arguments = {"sh", "-c", script};
    ::_exit(run_with_keeper(context));
  }
  ~FirstProcess() {
    if (!has_ended_) ::kill(-pid_, SIGKILL);
    kill_marked(mark_);
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {}
  }
  FirstProcess(const FirstProcess&) = delete;
  FirstProcess& operator=(const FirstProcess&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  /// The only child of the first process.
  [[nodiscard]] pid_t keeper() const {
    for (const auto& row : read_all_rows())
      if (row.parent == pid_) return row.pid;
    BOOST_FAIL("the first process has no child");
    return -1;
  }
  /// Signals the group, which only the first process is in.
  void signal_group(int signal) const { BOOST_REQUIRE(::kill(-pid_, signal) == 0); }
  [[nodiscard]] int wait() {
    int status = 0;
    BOOST_REQUIRE(::waitpid(pid_, &status, 0) == pid_);
    has_ended_ = true;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
  /// Processes of the kept tree that live.
  [[nodiscard]] std::vector<pid_t> kept() const { return find_marked(mark_); }

private:
  std::string mark_;
  pid_t pid_ = -1;
  bool has_ended_ = false;
};

template <class Condition>
bool is_true_in_time(const Condition& condition) {
  const auto until = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    ::sched_yield();
  }
  return true;
}

/// Starts a command that leaves session and group, says that it runs, and waits.
std::string script_with_escaped_command(const ScratchFolder& folder) {
  return "setsid sh -c 'echo 1 > " + folder.path() + "/runs; exec sleep 300' & sleep 300";
}

void wait_until_it_runs(const ScratchFolder& folder) {
  BOOST_REQUIRE(is_true_in_time([&] { return ::access((folder.path() + "/runs").c_str(), F_OK) == 0; }));
}

BOOST_AUTO_TEST_CASE(the_exit_code_of_the_kept_process_is_that_of_the_first) {
  BOOST_TEST(FirstProcess{"exit 7"}.wait() == 7);
  BOOST_TEST(FirstProcess{"kill -9 $$"}.wait() == 137);
}

BOOST_AUTO_TEST_CASE(what_a_kept_process_leaves_is_killed_at_its_end) {
  const ScratchFolder folder;
  FirstProcess first{"setsid sh -c 'echo 1 > " + folder.path() + "/runs; exec sleep 300' & while ! [ -e " +
                     folder.path() + "/runs ]; do :; done; exit 3"};
  BOOST_TEST(first.wait() == 3);
  BOOST_TEST(first.kept().empty());
}

BOOST_AUTO_TEST_CASE(after_sigterm_the_first_process_ends_after_all_others) {
  const ScratchFolder folder;
  FirstProcess first{script_with_escaped_command(folder)};
  wait_until_it_runs(folder);
  first.signal_group(SIGTERM);
  static_cast<void>(first.wait());
  BOOST_TEST(first.kept().empty());
}

BOOST_AUTO_TEST_CASE(a_killed_first_process_leaves_nothing) {
  const ScratchFolder folder;
  FirstProcess first{script_with_escaped_command(folder)};
  wait_until_it_runs(folder);
  const auto keeper = first.keeper();
  first.signal_group(SIGKILL);
  BOOST_TEST(first.wait() == 128 + SIGKILL);
  BOOST_TEST(is_true_in_time([&] { return ::waitpid(keeper, nullptr, WNOHANG) == keeper; }));
  BOOST_TEST(first.kept().empty());
}

/// Milliseconds from a SIGKILL of the first process until the keeper has reaped all others and ended.
std::int64_t milliseconds_until_nothing_lives() {
  const ScratchFolder folder;
  FirstProcess first{"trap '' TERM; setsid sh -c 'trap \"\" TERM; echo 1 > " + folder.path() +
                     "/runs; sleep 300' & sleep 300"};
  wait_until_it_runs(folder);
  const auto keeper = first.keeper();
  const auto begin = std::chrono::steady_clock::now();
  first.signal_group(SIGKILL);
  BOOST_TEST(first.wait() == 128 + SIGKILL);
  BOOST_TEST(is_true_in_time([&] { return ::waitpid(keeper, nullptr, WNOHANG) == keeper; }));
  BOOST_TEST(first.kept().empty());
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin).count();
}

// A busy machine can delay one try, but not all of them; a keeper that polls or waits too long is late in each.
BOOST_AUTO_TEST_CASE(one_second_after_a_killed_first_process_nothing_lives_also_if_it_ignores_sigterm) {
  std::int64_t fastest = std::chrono::milliseconds{limit}.count();
  for (int tries = 0; tries < 10 && fastest >= 1'000; ++tries)
    fastest = std::min(fastest, milliseconds_until_nothing_lives());
  BOOST_TEST(fastest < 1'000);
}

BOOST_AUTO_TEST_CASE(a_killed_keeper_leaves_nothing) {
  const ScratchFolder folder;
  FirstProcess first{script_with_escaped_command(folder)};
  wait_until_it_runs(folder);
  BOOST_REQUIRE(::kill(first.keeper(), SIGKILL) == 0);
  BOOST_TEST(first.wait() == 128 + SIGKILL);
  BOOST_TEST(first.kept().empty());
}

BOOST_AUTO_TEST_CASE(a_program_that_does_not_exist_has_a_code_of_its_own) {
  const pid_t child = ::fork();
  BOOST_REQUIRE(child >= 0);
  if (child == 0) {
    ports::LaunchContext context;
    context.arguments = {"/no/such/program"};
    ::_exit(run_with_keeper(context));
  }
  int status = 0;
  BOOST_REQUIRE(::waitpid(child, &status, 0) == child);
  BOOST_TEST(WEXITSTATUS(status) == not_started_exit_code);
}

}  // namespace
}  // namespace process_keeper_test
}  // namespace heddle::work
