// Goal: processes are started, watched, limited, and killed with all descendants; a parent watch ends its process.
// Method: real processes; waits only on exits and pipes.
#include "work/commands/process_launcher.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <mutex>
#include <sstream>

#include "tests/support/scarcity.hpp"
#include "work/commands/parent_watch.hpp"
#include "work/commands/process_tree.hpp"

namespace process_launcher_test {

namespace {

using namespace heddle;

struct Ends {
  void add(ProcessEnd end) {
    const std::lock_guard lock{mutex};
    ends.push_back(end);
    changed.notify_all();
  }
  ProcessEnd wait() {
    std::unique_lock lock{mutex};
    BOOST_REQUIRE(changed.wait_for(lock, std::chrono::seconds{30}, [this] { return !ends.empty(); }));
    const auto end = ends.front();
    ends.erase(ends.begin());
    return end;
  }
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<ProcessEnd> ends;
};

struct Fixture {
  Fixture() : folder{std::filesystem::temp_directory_path() / ("heddle-launcher-" + std::to_string(::getpid()))} {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
  }
  ~Fixture() {
    launcher.stop_all();
    std::filesystem::remove_all(folder);
  }
  ports::ProcessLauncher::ProcessNumber start(const std::string& script) {
    ports::LaunchContext context;
    context.arguments = {"sh", "-c", script};
    context.standard_output = folder / "stdout";
    context.standard_error = folder / "stderr";
    context.log_bytes_max = 1000;
    auto started = launcher.start(context, [this](auto, ProcessEnd end) { ends.add(end); });
    BOOST_REQUIRE(started.has_value());
    return *started;
  }
  /// Measured bytes; 0 if the launcher has no measurement.
  std::int64_t resident_bytes(ports::ProcessLauncher::ProcessNumber number) {
    std::promise<std::int64_t> bytes;
    launcher.measure({number}, [&bytes](const std::vector<ports::ProcessMemory>& measured) {
      bytes.set_value(measured.empty() ? 0 : measured.front().resident_bytes);
    });
    return bytes.get_future().get();
  }
  std::string wait_for_line() {
    // Polls the log file until it has the line, and yields the processor in between.
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds{30};
    std::string line;
    while (std::chrono::steady_clock::now() < limit) {
      std::ifstream file{folder / "stdout"};
      if (std::getline(file, line) && !file.eof()) return line;
      ::sched_yield();
    }
    BOOST_REQUIRE_MESSAGE(false, "no line in " << folder / "stdout");
    return {};
  }
  std::filesystem::path folder;
  Ends ends;
  work::ProcessLauncher launcher;
};

BOOST_AUTO_TEST_CASE(the_exit_of_a_process_is_reported_with_code_or_signal) {
  Fixture f;
  f.start("exit 7");
  BOOST_TEST(f.ends.wait().exit_code == 7);
  f.start("kill -KILL $$");
  const auto end = f.ends.wait();
  BOOST_TEST(end.signal == SIGKILL);
  BOOST_TEST(end.exit_code == 128 + SIGKILL);
}

BOOST_AUTO_TEST_CASE(a_lost_exit_status_is_reported_as_an_error) {
  Fixture f;
  const auto gate = (f.folder / "gate").string();
  BOOST_REQUIRE(::mkfifo(gate.c_str(), 0600) == 0);
  f.start("read x <" + gate);
  ::signal(SIGCHLD, SIG_IGN);  // the kernel reaps it
  std::ofstream{gate} << "go\n";
  BOOST_TEST(f.ends.wait().exit_code == -1);
  f.launcher.stop_all();
  f.start("exit 4");  // a start sets it right
  BOOST_TEST(f.ends.wait().exit_code == 4);
  ::signal(SIGCHLD, SIG_DFL);
}

BOOST_AUTO_TEST_CASE(a_log_over_its_limit_ends_with_a_notice) {
  Fixture f;
  f.start("head -c 5000000 /dev/zero | tr '\\0' x; echo done >&2");
  BOOST_TEST(f.ends.wait().exit_code == 0);
  BOOST_TEST(std::filesystem::file_size(f.folder / "stdout") < 1200U);
  std::ifstream file{f.folder / "stdout"};
  std::stringstream text;
  text << file.rdbuf();
  BOOST_TEST(text.str().find("the log reached its size limit") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_process_that_floods_its_log_can_be_stopped_and_blocks_no_other) {
  Fixture f;
  const auto flood = f.start("exec yes a line that fills the log again and again");
  f.start("exit 3");
  BOOST_TEST(f.ends.wait().exit_code == 3);
  f.launcher.stop(flood, 0);
  BOOST_TEST(f.ends.wait().signal == SIGKILL);
}

BOOST_AUTO_TEST_CASE(stop_kills_processes_that_ignore_sigterm_or_left_the_session) {
  Fixture f;
  const auto number = f.start(
      "trap '' TERM; setsid sh -c \"trap '' TERM; echo \\$\\$; while :; do sleep 1000; done\" & wait; sleep 1000");
  const pid_t escaped = std::stoi(f.wait_for_line());
  BOOST_TEST(::kill(escaped, 0) == 0);
  BOOST_TEST(f.resident_bytes(number) > 0);
  f.launcher.stop(number, 20);
  BOOST_TEST(f.ends.wait().signal == SIGKILL);
  BOOST_TEST(work::find_descendants(::getpid(), {}).empty());
  BOOST_TEST(f.resident_bytes(number) == 0);
}

BOOST_AUTO_TEST_CASE(a_missing_program_and_missing_descriptors_are_errors) {
  Fixture f;
  ports::LaunchContext context;
  context.arguments = {"no-such-program-here"};
  auto started = f.launcher.start(context, {});
  BOOST_REQUIRE(!started.has_value());
  BOOST_TEST((started.error().code == Errc::not_found));
  rlimit old{};
  ::getrlimit(RLIMIT_NOFILE, &old);
  const rlimit none{3, old.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &none);
  context.arguments = {"/bin/true"};
  started = f.launcher.start(context, {});
  ::setrlimit(RLIMIT_NOFILE, &old);
  BOOST_REQUIRE(!started.has_value());
  BOOST_TEST((started.error().code == Errc::io));
}

// Each descriptor of a start fails in turn; afterwards the exit of the first running child is reported.
BOOST_AUTO_TEST_CASE(a_launcher_reports_exits_after_a_lack_of_descriptors) {
  Fixture f;
  ports::LaunchContext context;
  context.arguments = {"sh", "-c", "exit 4"};
  context.standard_output = f.folder / "stdout";
  Ends ends;
  int refused = 0;
  int unwatched = 0;
  bool has_started = false;
  for (int spare = 0; !has_started && spare < 32; ++spare) {
    Result<ports::ProcessLauncher::ProcessNumber> started = Error{Errc::io, ""};
    {
      const work::NoDescriptors few{spare};
      started = f.launcher.start(context, [&](auto, ProcessEnd end) { ends.add(end); });
    }
    has_started = started.has_value();
    if (has_started) continue;
    ++refused;
    BOOST_TEST(started.error().text.find("Too many open files") != std::string::npos, started.error().text);
    if (started.error().text.starts_with("cannot watch")) ++unwatched;
  }
  BOOST_TEST(has_started);
  BOOST_TEST(refused > 2);
  BOOST_TEST(unwatched >= 2);  // failures of the launcher's event and of a pidfd
  BOOST_TEST(ends.wait().exit_code == 4);
}

BOOST_AUTO_TEST_CASE(the_end_of_a_parent_is_reported_once) {
  auto pipe = work::make_parent_watch();
  BOOST_REQUIRE(pipe.has_value());
  Ends ended;
  const work::ParentWatch watch{pipe->read, [&] { ended.add({}); }};
  ::close(pipe->write);
  BOOST_TEST(ended.wait().exit_code == 0);
}

/// True once the process has ended; it may still be a zombie.
bool has_ended(pid_t pid) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{30};
  siginfo_t info{};
  while (std::chrono::steady_clock::now() < until) {
    info = {};
    if (::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == pid)
      return true;
    ::sched_yield();
  }
  return false;
}

// A walk of /proc waits as long as the kernel holds the memory lock of one process.
BOOST_AUTO_TEST_CASE(a_process_is_killed_in_time_although_the_walk_for_its_sigterm_hangs) {
  Fixture f;
  std::promise<pid_t> root;
  std::promise<void> released;
  std::once_flag is_told;
  const auto tell = [&](pid_t pid) { std::call_once(is_told, [&] { root.set_value(pid); }); };
  auto actions = work::tree_actions();
  actions.send_signal = [&tell, wait = released.get_future().share()](pid_t pid, std::string_view, int) {
    tell(pid);
    wait.wait();
  };
  // On a busy machine the grace time can be over before the launcher looks: then it kills without SIGTERM.
  actions.kill = [&tell, kill = actions.kill](pid_t pid, std::string_view mark) {
    tell(pid);
    kill(pid, mark);
  };
  work::ProcessLauncher launcher{actions};
  ports::LaunchContext context;
  context.arguments = {"sleep", "1000"};
  const auto number = launcher.start(context, [&f](auto, ProcessEnd end) { f.ends.add(end); });
  BOOST_REQUIRE(number.has_value());
  launcher.stop(*number, 100);
  BOOST_TEST(has_ended(root.get_future().get()));
  released.set_value();
  BOOST_TEST(f.ends.wait().signal == SIGKILL);
}

// A role whose cleanup hangs ends all the same, together with processes that left its session.
BOOST_AUTO_TEST_CASE(the_end_of_a_parent_kills_a_process_that_hangs_and_its_descendants) {
  BOOST_REQUIRE(work::become_subreaper());
  auto parent_watch = work::make_parent_watch();
  auto report_pipe = work::make_parent_watch();
  BOOST_REQUIRE((parent_watch.has_value() && report_pipe.has_value()));
  const pid_t role = ::fork();
  BOOST_REQUIRE(role >= 0);
  if (role == 0) {
    ::close(parent_watch->write);
    work::become_subreaper();
    const pid_t escaped = ::fork();
    if (escaped == 0) {
      ::setsid();
      ::execlp("sleep", "sleep", "1000", nullptr);
      ::_exit(127);
    }
    [[maybe_unused]] const auto put = ::write(report_pipe->write, &escaped, sizeof escaped);
    work::end_with_parent(parent_watch->read, [] {
      while (true) ::pause();
    });
    while (true) ::pause();
  }
  ::close(parent_watch->read);
  pid_t escaped = 0;
  BOOST_REQUIRE(::read(report_pipe->read, &escaped, sizeof escaped) == static_cast<ssize_t>(sizeof escaped));
  const auto begin = std::chrono::steady_clock::now();
  ::close(parent_watch->write);
  int status = 0;
  BOOST_REQUIRE(::waitpid(role, &status, 0) == role);
  BOOST_TEST(WEXITSTATUS(status) == 129);
  BOOST_TEST((std::chrono::steady_clock::now() - begin < std::chrono::seconds{4}));
  BOOST_TEST(work::find_descendants(::getpid(), {}).empty());
  ::waitpid(escaped, nullptr, WNOHANG);
  BOOST_TEST(::kill(escaped, 0) != 0);
  ::close(report_pipe->read);
  ::close(report_pipe->write);
}

BOOST_AUTO_TEST_CASE(a_child_inherits_no_descriptor_but_its_parent_watch) {
  Fixture f;
  int ends[2];
  BOOST_REQUIRE(::pipe(ends) == 0);  // like an accepted connection before it gets close-on-exec
  const int high = ::dup2(ends[0], 400);
  const int low = ::dup2(ends[0], 399);  // ends[0] itself can be 3, the number of the parent watch
  f.start("for each in 3 399 400; do [ -e /proc/self/fd/$each ] && printf '%s ' $each; done; echo");
  BOOST_TEST(f.ends.wait().exit_code == 0);
  BOOST_TEST(f.wait_for_line() == "3 ");
  for (const int each : {ends[0], ends[1], low, high}) ::close(each);
}

BOOST_AUTO_TEST_CASE(a_child_holds_a_parent_watch_that_ends_with_its_launcher) {
  Fixture f;
  // The child reads its parent watch until end of file: only the end of the launcher, or stop(), lets it continue.
  f.start("echo ready; cat /proc/self/fd/3; exit 5");
  BOOST_TEST(f.wait_for_line() == "ready");
  f.launcher.stop_all();
  BOOST_TEST(f.ends.wait().signal == SIGKILL);
}

BOOST_AUTO_TEST_CASE(a_role_gets_its_launch_spec_by_descriptor_and_not_by_argument_or_environment) {
  Fixture f;
  ports::LaunchContext context;
  // Replaces the program of a role: prints its arguments, its descriptors and its spec.
  const auto program = f.folder / "program";
  std::ofstream{program} << "#!/bin/sh\necho \"$@\" > " << (f.folder / "arguments").string() << "; env > "
                         << (f.folder / "environment").string() << "; cat /proc/self/fd/4 > "
                         << (f.folder / "spec").string() << "\n";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  context.arguments = {program};
  context.spec.emplace().role = ExecutorLaunch{ExecutorId{8}, 2, ProfileId{1}, "127.0.0.1:3", 0};
  context.spec->container.token = "the-token-of-the-test";
  BOOST_REQUIRE(f.launcher.start(context, [&f](auto, ProcessEnd end) { f.ends.add(end); }).has_value());
  BOOST_TEST(f.ends.wait().exit_code == 0);
  const auto content = [&f](const char* name) {
    std::ostringstream text;
    text << std::ifstream{f.folder / name}.rdbuf();
    return text.str();
  };
  auto expected = *context.spec;
  expected.parent_watch = 3;
  const auto spec = read_launch_spec(content("spec"));
  BOOST_REQUIRE(spec.has_value());
  BOOST_TEST((*spec == expected));
  BOOST_TEST(content("arguments") == "heddle-role executor --spec-fd 4\n");
  BOOST_TEST(content("environment").find("the-token-of-the-test") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(end_all_lets_processes_clean_up_and_kills_the_rest) {
  Fixture f;
  f.start("echo ready; cat /proc/self/fd/3; echo left >&2; exit 5");
  BOOST_TEST(f.wait_for_line() == "ready");
  f.launcher.end_all(30'000);
  BOOST_TEST(f.ends.wait().exit_code == 5);
  BOOST_TEST(std::filesystem::file_size(f.folder / "stderr") == 5U);
  f.start("exec sleep 1000");
  f.launcher.end_all(1);
  BOOST_TEST(f.ends.wait().signal == SIGKILL);
}

// The tree of the first process takes until the test's end to walk through.
BOOST_AUTO_TEST_CASE(a_slow_kill_delays_the_end_of_no_other_process) {
  std::promise<void> may_go_on;
  std::promise<void> is_first_killed;
  std::atomic<int> kills = 0;
  auto actions = work::tree_actions();
  actions.kill = [&, gate = may_go_on.get_future().share(), kill = actions.kill](pid_t root, std::string_view mark) {
    if (++kills == 1) {
      is_first_killed.set_value();
      gate.wait();
    }
    kill(root, mark);
  };
  Ends first;
  Ends others;
  {
    work::ProcessLauncher launcher{actions};
    ports::LaunchContext context;
    context.arguments = {"sleep", "1000"};
    const auto slow = launcher.start(context, [&](auto, ProcessEnd end) { first.add(end); });
    BOOST_REQUIRE(slow.has_value());
    launcher.stop(*slow, 0);
    is_first_killed.get_future().wait();
    context.arguments = {"sh", "-c", "exit 3"};
    BOOST_REQUIRE(launcher.start(context, [&](auto, ProcessEnd end) { others.add(end); }).has_value());
    BOOST_TEST(others.wait().exit_code == 3);
    BOOST_TEST(first.ends.empty());
    may_go_on.set_value();
    BOOST_TEST(first.wait().signal == SIGKILL);
  }
}

// A walk through /proc that waits for a blocked process outlives the launcher; the process itself is killed directly.
BOOST_AUTO_TEST_CASE(a_kill_that_hangs_blocks_neither_end_all_nor_the_end_of_the_launcher) {
  struct Hanging {
    std::promise<void> may_go_on;
    std::promise<void> is_over;
    std::atomic<pid_t> root = 0;
  };
  const auto hanging = std::make_shared<Hanging>();  // the thread of the kill outlives the launcher
  auto actions = work::tree_actions();
  actions.kill = [hanging, gate = hanging->may_go_on.get_future().share()](pid_t root, std::string_view) {
    if (hanging->root.exchange(root) != 0) return;
    gate.wait();
    hanging->is_over.set_value();
  };
  auto launcher = std::make_unique<work::ProcessLauncher>(actions, std::chrono::milliseconds{50});
  ports::LaunchContext context;
  context.arguments = {"sleep", "1000"};
  BOOST_REQUIRE(launcher->start(context, {}).has_value());
  auto ended = std::async(std::launch::async, [&launcher] {
    launcher->end_all(1);
    launcher.reset();
  });
  BOOST_TEST((ended.wait_for(std::chrono::seconds{30}) == std::future_status::ready));
  hanging->may_go_on.set_value();
  ended.wait();
  hanging->is_over.get_future().wait();
  const pid_t root = hanging->root;
  pollfd exit{static_cast<int>(::syscall(SYS_pidfd_open, root, 0)), POLLIN, 0};
  BOOST_TEST(::poll(&exit, 1, 30'000) == 1);
  ::close(exit.fd);
  ::kill(root, SIGTERM);  // changes nothing if it has ended
  int status = 0;
  BOOST_TEST(::waitpid(root, &status, 0) == root);
  BOOST_TEST(WTERMSIG(status) == SIGKILL);
}

BOOST_AUTO_TEST_CASE(only_after_an_end_that_may_have_left_orphans_its_tree_is_walked) {
  std::atomic<int> walks = 0;
  auto actions = work::tree_actions();
  actions.kill = [&walks, kill = actions.kill](pid_t root, std::string_view mark) {
    ++walks;
    kill(root, mark);
  };
  Ends ends;
  work::ProcessLauncher launcher{actions};
  const auto run = [&](std::vector<std::string> arguments) {
    ports::LaunchContext context;
    context.arguments = std::move(arguments);
    BOOST_REQUIRE(launcher.start(context, [&](auto, ProcessEnd end) { ends.add(end); }).has_value());
    BOOST_TEST(ends.wait().exit_code == 0);
  };
  const bool has_earlier_orphans = work::may_have_orphans();  // of other tests
  run({"true"});
  BOOST_TEST(walks == (has_earlier_orphans ? 1 : 0));
  walks = 0;
  run({"sh", "-c", "setsid sleep 1000 > /dev/null 2>&1 & exit 0"});
  BOOST_TEST(walks == 1);
}

}  // namespace

}  // namespace process_launcher_test
