// Goal: the memory of a process tree is measured without blocking reads, and a measurement that hangs blocks no caller.
// Method: tables of processes as in /proc; measurements that wait for the test.
#include "work/commands/process_memory.hpp"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <functional>
#include <future>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "work/commands/process_rows.hpp"
#include "work/commands/process_tree.hpp"
#include "work/commands/spawn.hpp"

namespace process_memory_test {
namespace {

using namespace heddle;
using namespace heddle::work;

constexpr pid_t launcher = 10;

ProcessRow row(pid_t pid, pid_t parent, pid_t session, std::int64_t pages) {
  ProcessRow row;
  row.pid = pid;
  row.parent = parent;
  row.group = row.session = session;
  row.state = 'S';
  row.resident_pages = pages;
  return row;
}

BOOST_AUTO_TEST_CASE(only_the_marks_of_orphans_are_read) {
  const std::vector<ProcessRow> rows{
      row(100, launcher, 100, 1),    // root of the first tree
      row(101, 100, 100, 2),         // in the session of 100
      row(102, 101, 102, 4),         // left the session; its parent is in it
      row(103, launcher, 103, 8),    // orphan with the mark of 100
      row(104, 103, 104, 16),        // child of the orphan
      row(105, launcher, 105, 32),   // orphan with the mark of 200
      row(200, launcher, 200, 64),   // root of the second tree
      row(300, launcher, 300, 128),  // another child of this process
      row(400, 1, 400, 256),         // an unrelated process of the same user
      row(500, 400, 500, 512),       // its child
  };
  std::multiset<pid_t> marks_read;
  const auto has_mark = [&marks_read](pid_t pid, std::string_view mark) {
    marks_read.insert(pid);
    return (pid == 103 && mark == "a") || (pid == 105 && mark == "b");
  };
  const auto is_own_child = [](pid_t pid) { return pid == 100 || pid == 200 || pid == 300; };
  const auto pages = resident_pages(rows, {{100, "a"}, {200, "b"}}, {launcher, is_own_child, has_mark});
  BOOST_TEST((pages == std::vector<std::int64_t>{1 + 2 + 4 + 8 + 16, 64 + 32}));
  BOOST_TEST((marks_read == std::multiset<pid_t>{103, 105, 105}));
}

BOOST_AUTO_TEST_CASE(a_tree_without_root_has_no_memory) {
  const auto nobody = [](auto...) { return false; };
  BOOST_TEST(
      (resident_pages({row(7, 1, 7, 5)}, {{100, "a"}}, {launcher, nobody, nobody}) == std::vector<std::int64_t>{0}));
}

BOOST_AUTO_TEST_CASE(a_proc_folder_of_another_pid_namespace_is_detected) {
  const auto folder = std::filesystem::temp_directory_path() / ("heddle-proc-" + std::to_string(::getpid()));
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  BOOST_TEST(!shows_own_namespace(folder));
  std::filesystem::create_symlink(std::to_string(::getpid() + 1), folder / "self");
  BOOST_TEST(!shows_own_namespace(folder));
  std::filesystem::remove(folder / "self");
  std::filesystem::create_symlink(std::to_string(::getpid()), folder / "self");
  BOOST_TEST(shows_own_namespace(folder));
  std::filesystem::remove_all(folder);
  BOOST_TEST(shows_own_namespace());
}

/// Runs the check in a new pid namespace that has the /proc of this one. Nothing where the system does not permit it.
std::optional<bool> holds_in_other_namespace(const std::function<bool()>& check) {
  constexpr int not_permitted = 2;
  const auto code_of = [](pid_t child) {
    int status = 0;
    return ::waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  };
  const pid_t outer = ::fork();
  BOOST_REQUIRE(outer >= 0);
  if (outer == 0) {
    if (::unshare(CLONE_NEWPID) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) ::_exit(not_permitted);
    const pid_t inner = ::fork();  // the first process of the namespace
    if (inner < 0) ::_exit(not_permitted);
    if (inner == 0) ::_exit(::getpid() == 1 && check() ? 0 : 1);
    ::_exit(code_of(inner));
  }
  const int code = code_of(outer);
  return code == not_permitted ? std::nullopt : std::optional{code == 0};
}

BOOST_AUTO_TEST_CASE(in_another_pid_namespace_nothing_is_measured_and_no_process_is_found_to_kill) {
  const auto mark = make_process_mark();
  const std::vector<std::string> arguments{"sleep", "1000"};
  const EnvironmentBlock environment{{{std::string{process_mark_name}, mark}}};
  SpawnRequest request;
  request.arguments = &arguments;
  request.environment = &environment;
  request.no_input = true;
  const auto child = spawn_process(request);
  BOOST_REQUIRE(child.has_value());
  BOOST_TEST(find_marked(mark) == std::vector<pid_t>{*child}, boost::test_tools::per_element());
  const auto holds = holds_in_other_namespace([&mark] {
    return !shows_own_namespace() && read_all_rows().empty() && !resident_bytes({{::getpid(), mark}}) &&
           find_marked(mark).empty();
  });
  if (!holds) BOOST_TEST_MESSAGE("not tested: this user cannot make a pid namespace");
  BOOST_TEST(holds.value_or(true));
  kill_child(*child);
}

BOOST_AUTO_TEST_CASE(a_measurement_that_hangs_blocks_neither_its_caller_nor_the_destructor) {
  std::promise<void> may_go;
  std::promise<void> has_begun;
  std::promise<void> is_over;
  {
    MemoryMeasurer measurer{[&, gate = may_go.get_future().share()](const auto& roots) {
      has_begun.set_value();
      gate.wait();
      return std::vector<std::int64_t>(roots.size(), 5);
    }};
    measurer.run({{100, "a"}}, [&](const auto& sizes) {
      BOOST_TEST((sizes && sizes->size() == 1U && sizes->front() == 5));
      is_over.set_value();
    });
    has_begun.get_future().wait();
  }  // destructor during a measurement
  may_go.set_value();
  is_over.get_future().wait();
}

BOOST_AUTO_TEST_CASE(measurements_are_answered_in_order) {
  MemoryMeasurer measurer{[](const auto& roots) { return std::vector<std::int64_t>(roots.size(), 1); }};
  std::vector<std::size_t> sizes;
  std::promise<void> is_over;
  for (const std::size_t count : {1U, 2U, 3U})
    measurer.run(std::vector<TreeRoot>(count), [&sizes, &is_over](const auto& answer) {
      sizes.push_back(answer->size());
      if (sizes.size() == 3) is_over.set_value();
    });
  is_over.get_future().wait();
  BOOST_TEST((sizes == std::vector<std::size_t>{1, 2, 3}));
}

}  // namespace
}  // namespace process_memory_test
