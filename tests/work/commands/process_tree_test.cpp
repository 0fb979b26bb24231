// Goal: a process is found by its mark at every moment of its life, also while it becomes another program.
// Method: real processes.
#include "work/commands/process_tree.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "work/commands/process_rows.hpp"
#include "work/commands/spawn.hpp"

namespace process_tree_test {

namespace {

using namespace heddle;
using namespace heddle::work;

/// A process whose environment has the mark in its last variable, behind many others.
pid_t start(const std::vector<std::string>& arguments, const std::string& mark) {
  std::vector<std::pair<std::string, std::string>> changes;
  for (int i = 0; i < 1500; ++i) changes.emplace_back("HEDDLE_TEST_" + std::to_string(i), "a value");
  changes.emplace_back(process_mark_name, mark);
  const EnvironmentBlock environment{changes};
  SpawnRequest request;
  request.arguments = &arguments;
  request.environment = &environment;
  request.no_input = true;
  const auto pid = spawn_process(request);
  BOOST_REQUIRE(pid.has_value());
  return *pid;
}

bool has_ended(pid_t child) {
  siginfo_t info{};
  BOOST_REQUIRE(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT | WNOHANG) == 0);
  return info.si_pid == child;
}

// exec makes the memory of the new program first and puts the environment into it then: /proc shows a part of it, or
// that of the former program up to where that went away.
BOOST_AUTO_TEST_CASE(a_child_carries_its_mark_while_it_becomes_one_program_after_another) {
  const std::string mark = make_process_mark();
  const std::string again = "test $1 -eq 0 || exec sh -c \"$0\" \"$0\" $(($1 - 1))";
  const pid_t child = start({"sh", "-c", again, again, "400"}, mark);
  int looks = 0;
  for (bool is_over = false; !is_over; ++looks) {
    const bool is_marked = carries_process_mark(child, mark);
    is_over = has_ended(child);
    BOOST_REQUIRE_MESSAGE(is_marked || is_over, "lost in look " << looks);
  }
  BOOST_TEST(looks > 1);
  BOOST_REQUIRE(reap_child(child, -1).has_value());
}

constexpr pid_t self = 10;
constexpr pid_t root = 100;

ProcessRow row(pid_t pid, pid_t parent, pid_t session) {
  ProcessRow made;
  made.pid = pid;
  made.parent = parent;
  made.group = session;
  made.session = session;
  made.state = 'S';
  return made;
}

/// `asked` receives the processes whose environment was read.
std::vector<pid_t> descendants(const std::vector<ProcessRow>& rows, const std::set<pid_t>& marked,
                               std::vector<pid_t>& asked, std::optional<pid_t> adopter = self) {
  std::vector<pid_t> result;
  const MarkRules rules{self, adopter, [](pid_t pid) { return pid == root || pid == 200; },
                        [&](pid_t pid) {
                          asked.push_back(pid);
                          return marked.contains(pid);
                        }};
  for (const auto& each : descendants_of(root, rows, rules)) result.push_back(each.pid);
  return result;
}

// Reading the environment of a process waits for whoever changes its memory map: for a foreign one that may be for
// ever.
BOOST_AUTO_TEST_CASE(a_kill_reads_the_environment_of_orphans_only) {
  const std::vector<ProcessRow> rows{
      row(1, 0, 1),        row(2, 1, 2),           // foreign
      row(self, 1, 1),     row(root, self, root),  // ours
      row(101, root, 101), row(102, 101, 102),     // by their parents
      row(103, 2, root),                           // by its session, whoever its parent is
      row(200, self, 200), row(201, 200, 201),     // another child of ours, and its
      row(300, self, 300), row(301, 300, 301),     // an orphan with the mark, and its
      row(400, self, 400), row(401, 400, 401),     // an orphan of another
      row(500, 499, 500),                          // its parent ended while the rows were read
  };
  std::vector<pid_t> asked;
  BOOST_TEST(descendants(rows, {300, 500}, asked) == (std::vector<pid_t>{101, 102, 103, 300, 301, 500}),
             boost::test_tools::per_element());
  BOOST_TEST(asked == (std::vector<pid_t>{300, 400, 500}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(any_process_may_be_an_orphan_where_others_adopt_them) {
  const std::vector<ProcessRow> rows{row(1, 0, 1), row(self, 1, 1), row(root, self, root), row(300, 1, 300)};
  std::vector<pid_t> asked;
  BOOST_TEST(descendants(rows, {300}, asked, std::nullopt) == std::vector<pid_t>{300},
             boost::test_tools::per_element());
  BOOST_TEST(asked == (std::vector<pid_t>{1, 300}), boost::test_tools::per_element());
}

}  // namespace

}  // namespace process_tree_test
