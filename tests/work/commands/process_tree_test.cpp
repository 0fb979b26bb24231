// Goal: a process is found by its mark at every moment of its life, also while it becomes another program.
// Method: real processes.
#include "work/commands/process_tree.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
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

}  // namespace

}  // namespace process_tree_test
