// Goal: a forked process is in nothing different from a started one: parent, session, arguments, mark, descriptors.
// Method: this program is the server too; each forked process reports itself on its standard output and exits.
#include "work/commands/fork_server.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>
#include <thread>

#include "work/commands/process_rows.hpp"
#include "work/commands/process_tree.hpp"
#include "work/commands/spawn.hpp"
#include "work/commands/spec_descriptor.hpp"

namespace heddle::work {
namespace fork_server_test {
namespace {

/// What the forked process writes: pid, parent, session, role in its arguments, number of the child in its spec, its
/// mark, open descriptors, a variable.
std::string report_of_this_process(char** arguments) {
  const auto spec = read_spec_of_arguments({arguments[2], arguments[3], arguments[4]});
  std::ostringstream text;
  text << ::getpid() << ' ' << ::getppid() << ' ' << ::getsid(0) << ' ' << arguments[2] << ' '
       << (spec ? std::get<TaskChildLaunch>(spec->role).child : -1) << ' ' << mark_of_this_process() << ' ';
  for (int descriptor = 0; descriptor < 100; ++descriptor)
    if (::fcntl(descriptor, F_GETFD) >= 0) text << descriptor << ',';
  text << ' ' << std::getenv("HEDDLE_OF_TEST") << (std::getenv("LD_BIND_NOW") == nullptr ? "" : " bind") << '\n';
  return text.str();
}

/// Runs before main(): the server has no other thread, as in the real program.
__attribute__((constructor)) void serve_if_asked(int count, char** arguments) {
  if (count < 5 || std::string_view{arguments[1]} != "heddle-role") return;
  if (!serve_forks(arguments)) ::_exit(0);
  std::thread{[arguments] {
    const auto text = report_of_this_process(arguments);
    static_cast<void>(::write(STDOUT_FILENO, text.data(), text.size()));
  }}.join();
  char gone = 0;
  static_cast<void>(::read(inherited_descriptor, &gone, 1));  // until the parent closes its end
  ::_exit(7);
}

struct Pipe {
  Pipe() { BOOST_REQUIRE(::pipe2(ends, O_CLOEXEC) == 0); }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_end(int which) {
    if (ends[which] >= 0) ::close(ends[which]);
    ends[which] = -1;
  }
  int ends[2] = {-1, -1};
};

struct Forked {
  pid_t pid = 0;
  std::unique_ptr<Pipe> output = std::make_unique<Pipe>();
  std::unique_ptr<Pipe> watch = std::make_unique<Pipe>();
};

const ForkServer::Variables variables{{"HEDDLE_OF_TEST", "value"}};

std::unique_ptr<ForkServer> start_server() {
  auto server =
      ForkServer::start(std::filesystem::read_symlink("/proc/self/exe").string(), variables, make_process_mark());
  BOOST_REQUIRE(server.has_value());
  return std::move(*server);
}

Result<Done> fork_into(Forked& made, ForkServer& server, std::int64_t child, const std::string& mark,
                       std::chrono::milliseconds patience = std::chrono::seconds{30}) {
  LaunchSpec spec;
  spec.role = TaskChildLaunch{"127.0.0.1:1", child, {}};
  const auto descriptor = make_spec_descriptor(spec);
  BOOST_REQUIRE(descriptor.has_value());
  const auto pid =
      server.fork({mark, made.output->ends[1], STDERR_FILENO, made.watch->ends[0], descriptor->descriptor()}, patience);
  made.output->close_end(1);
  made.watch->close_end(0);
  if (!pid) return pid.error();
  made.pid = *pid;
  return Done{};
}

Result<Forked> fork_child(ForkServer& server, std::int64_t child, const std::string& mark) {
  Forked made;
  if (auto done = fork_into(made, server, child, mark); !done) return done.error();
  return made;
}

std::vector<std::string> report_of(const Forked& forked) {
  std::string text;
  char part[512];
  while (text.find('\n') == std::string::npos) {
    const auto got = ::read(forked.output->ends[0], part, sizeof part);
    BOOST_REQUIRE(got > 0);
    text.append(part, static_cast<std::size_t>(got));
  }
  std::istringstream words{text};
  return {std::istream_iterator<std::string>{words}, {}};
}

ChildExit end_of(pid_t pid) {
  for (int look = 0; look < 3'000; ++look) {
    const auto exit = reap_child(pid, -1);
    BOOST_REQUIRE(exit.has_value());
    if (*exit) return **exit;
    ::poll(nullptr, 0, 10);
  }
  BOOST_FAIL("the forked process did not end");
  return {};
}

BOOST_AUTO_TEST_CASE(forked_processes_are_like_started_ones) {
  const auto server = start_server();
  for (const std::int64_t child : {1, 2}) {
    const auto mark = make_process_mark();
    auto forked = fork_child(*server, child, mark);
    BOOST_REQUIRE(forked.has_value());
    BOOST_TEST(is_own_child(forked->pid));
    const auto words = report_of(*forked);
    BOOST_REQUIRE(words.size() == 8U);
    BOOST_TEST(words[0] == std::to_string(forked->pid));
    BOOST_TEST(words[1] == std::to_string(::getpid()));
    BOOST_TEST(words[2] == words[0]);
    BOOST_TEST(words[3] == "task-child");
    BOOST_TEST(words[4] == std::to_string(child));
    BOOST_TEST(words[5].starts_with(mark + '/'));  // a mark of its own below that
    BOOST_TEST(words[6] == "0,1,2,3,");            // the spec is read and closed
    BOOST_TEST(words[7] == "value");
    BOOST_TEST(carries_process_mark(forked->pid, mark));
    BOOST_TEST(carries_process_mark(forked->pid, mark_of_this_process()));
    BOOST_TEST(read_proc_file("/proc/" + words[0] + "/cmdline", 1 << 16).find("task-child") != std::string::npos);
    forked->watch->close_end(1);
    BOOST_TEST(end_of(forked->pid).exit_code == 7);
    BOOST_TEST(!is_own_child(forked->pid));
  }
}

BOOST_AUTO_TEST_CASE(a_forked_process_outlives_the_server_and_is_killed_by_its_group) {
  auto server = start_server();
  const auto forked = fork_child(*server, 1, make_process_mark());
  BOOST_REQUIRE(forked.has_value());
  server.reset();
  report_of(*forked);
  BOOST_TEST(::kill(-forked->pid, SIGKILL) == 0);
  BOOST_TEST(end_of(forked->pid).signal == SIGKILL);
}

BOOST_AUTO_TEST_CASE(a_server_that_has_ended_is_an_error) {
  const auto server = start_server();
  auto forked = fork_child(*server, 1, make_process_mark());
  BOOST_REQUIRE(forked.has_value());
  for (const auto& row : read_all_rows())
    if (row.parent == ::getpid() && row.pid != forked->pid) ::kill(row.pid, SIGKILL);
  forked->watch->close_end(1);
  end_of(forked->pid);
  const auto next = fork_child(*server, 2, make_process_mark());
  BOOST_REQUIRE(!next.has_value());
  BOOST_TEST(next.error().text.starts_with("the fork server "));
}

// The answer may come at any time: before the end of the patience, at the same time, or later.
BOOST_AUTO_TEST_CASE(a_process_that_is_forked_too_late_does_not_run) {
  for (const int patience_ms : {0, 1, 2, 3, 4}) {
    const auto server = start_server();
    Forked forked;
    const auto done = fork_into(forked, *server, 1, make_process_mark(), std::chrono::milliseconds{patience_ms});
    if (done) {
      report_of(forked);
      forked.watch->close_end(1);
      BOOST_TEST(end_of(forked.pid).exit_code == 7);
      continue;
    }
    BOOST_TEST(done.error().text.starts_with("the fork server "));
    char byte = 0;
    BOOST_TEST(::read(forked.output->ends[0], &byte, 1) == 0);  // the end: nobody writes a report
  }
}

BOOST_AUTO_TEST_CASE(a_mark_without_room_is_refused) {
  const auto server = start_server();
  const auto refused = fork_child(*server, 1, std::string(2'000, 'm'));
  BOOST_REQUIRE(!refused.has_value());
  BOOST_TEST(refused.error().text == "the process mark is too long for a fork server");
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  BOOST_TEST(!ForkServer::start(program, {}, std::string(2'000, 'm')).has_value());
  BOOST_TEST(server->suits(program, variables));
  BOOST_TEST(!server->suits(program, {}));
}

}  // namespace
}  // namespace fork_server_test
}  // namespace heddle::work
