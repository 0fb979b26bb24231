// Goal: input, output, stderr and exit status of a command are complete, and no process that it started survives it.
// Method: real processes; waits only on pipes and exits.
#include "work/commands/command_runner.hpp"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/scarcity.hpp"
#include "tests/support/scratch_folder.hpp"
#include "work/commands/process_tree.hpp"
#include "work/files/wake_event.hpp"

namespace command_runner_test {

namespace {

using namespace heddle;
using namespace heddle::work;

struct Ran {
  CommandResult end;
  std::string output;
};

Command shell(const std::string& script) {
  Command command;
  command.arguments = {"sh", "-c", script};
  command.mark = make_process_mark();
  command.environment = {{std::string{process_mark_name}, command.mark}};
  return command;
}

Ran run(CommandRunner& runner, const Command& command, const CommandSource& source = {}) {
  Ran ran;
  auto end = runner.run(command, source, [&](std::string_view bytes) -> Result<Done> {
    ran.output.append(bytes);
    return Done{};
  });
  BOOST_REQUIRE(end.has_value());
  ran.end = *end;
  return ran;
}

CommandSource repeat(std::string_view piece, int times) {
  return
      [piece, left = times]() mutable -> Result<std::string_view> { return left-- > 0 ? piece : std::string_view{}; };
}

BOOST_AUTO_TEST_CASE(cat_returns_its_input_unchanged) {
  CommandRunner runner{{}};
  std::string piece;
  while (piece.size() < 300'000) piece += "some words on a line\n";
  Command cat;
  cat.arguments = {"cat"};
  const auto ran = run(runner, cat, repeat(piece, 40));
  BOOST_TEST(ran.end.exit_code == 0);
  BOOST_TEST(ran.output.size() == piece.size() * 40);
  BOOST_TEST(ran.end.records_offered == static_cast<std::int64_t>(ran.output.size() / 21));
  BOOST_TEST(!ran.end.closed_stdin);
}

BOOST_AUTO_TEST_CASE(an_argument_or_variable_over_the_system_limit_is_an_error) {
  CommandRunner runner{{}};
  Command command = shell("true");
  command.environment.emplace_back("HEDDLE_BARRIER_HOSTS", std::string(128 * 1024, 'h'));
  auto ran = run(runner, command);
  BOOST_TEST(ran.end.exit_code == 126);
  BOOST_TEST(ran.end.text.find("cannot execute sh: the environment variable HEDDLE_BARRIER_HOSTS has 131093 bytes, the "
                               "system's limit for one argument or variable is 131071") != std::string::npos);
  command = shell("true");
  command.arguments.emplace_back(128 * 1024, 'x');
  ran = run(runner, command);
  BOOST_TEST(ran.end.text.find("cannot execute sh: an argument has 131072 bytes") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_runner_serves_many_commands_without_mixing_their_output) {
  CommandRunner runner{{}};
  for (int i = 0; i < 50; ++i) {
    const auto ran = run(runner, shell("echo out " + std::to_string(i) + "; echo err " + std::to_string(i) +
                                       " >&2; exit " + std::to_string(i)));
    BOOST_TEST(ran.output == "out " + std::to_string(i) + "\n");
    BOOST_TEST(ran.end.standard_error == "err " + std::to_string(i) + "\n");
    BOOST_TEST(ran.end.exit_code == i);
  }
}

BOOST_AUTO_TEST_CASE(a_missing_command_is_127_and_a_signal_is_128_and_its_number) {
  CommandRunner runner{{}};
  Command missing;
  missing.arguments = {"no-such-command-here"};
  auto ran = run(runner, missing);
  BOOST_TEST(!ran.end.started);
  BOOST_TEST(ran.end.exit_code == 127);
  BOOST_TEST(ran.end.text.find("no-such-command-here") != std::string::npos);
  ran = run(runner, shell("kill -SEGV $$"));
  BOOST_TEST(ran.end.exit_code == 128 + SIGSEGV);
  BOOST_TEST(ran.end.signal == SIGSEGV);
}

BOOST_AUTO_TEST_CASE(a_command_may_close_its_input_early) {
  CommandRunner runner{{}};
  std::string piece(200'000, 'x');
  piece.back() = '\n';
  const auto ran = run(runner, shell("exec 0<&-; echo done"), repeat(piece, 100));
  BOOST_TEST(ran.end.exit_code == 0);
  BOOST_TEST(ran.end.closed_stdin);
  BOOST_TEST(ran.output == "done\n");
}

BOOST_AUTO_TEST_CASE(a_flood_of_stderr_is_bounded_and_stdout_still_arrives) {
  CommandRunner runner{{}};
  const auto ran = run(runner, shell("head -c 200000000 /dev/zero >&2; echo end >&2; echo out"));
  BOOST_TEST(ran.output == "out\n");
  BOOST_TEST(ran.end.standard_error.size() < 80'000U);
  BOOST_TEST(ran.end.standard_error.substr(ran.end.standard_error.size() - 4) == "end\n");
}

// ST-7, C-E4-13
BOOST_AUTO_TEST_CASE(reporter_lines_become_counters_and_status_and_are_not_kept) {
  CommandRunner runner{{}};
  const auto ran = run(runner, shell("echo reporter:counter:g,n,2 >&2; echo reporter:status:busy >&2; echo plain >&2; "
                                     "echo reporter:counter:g,n,3 >&2; echo reporter:counter:broken >&2"));
  BOOST_REQUIRE(ran.end.counters.size() == 1U);
  BOOST_TEST(ran.end.counters[0].first == "g\tn");
  BOOST_TEST(ran.end.counters[0].second == 5);
  BOOST_TEST(ran.end.status == "busy");
  BOOST_TEST(ran.end.standard_error == "plain\nreporter:counter:broken\n");
}

BOOST_AUTO_TEST_CASE(each_counter_line_is_told_at_once_unless_it_is_one_counter_too_many) {
  StandardErrorReader reader{1000};
  std::string told;
  reader.begin({"reporter:", 1}, [&told](std::string_view name, std::int64_t amount) {
    told.append(name).append("=").append(std::to_string(amount)).append(";");
  });
  reader.add("reporter:counter:A,b,1\nreporter:counter:A,c,1\nreporter:counter:A,b,2\nreporter:counter:A,b");
  BOOST_TEST(told == "A\tb=1;A\tb=2;");
}

BOOST_AUTO_TEST_CASE(a_counter_line_has_exactly_three_fields_after_blanks_at_both_ends_are_cut) {
  const auto counted = [](const std::string& fields) {
    StandardErrorReader reader{1000};
    reader.add("reporter:counter:" + fields + "\n");
    CommandResult end;
    reader.finish(end);
    return end.counters.empty() ? std::string{} : end.counters[0].first + "=" + std::to_string(end.counters[0].second);
  };
  const std::vector<std::pair<std::string, std::string>> lines{{"A,b,4", "A\tb=4"},
                                                               {"A, b,5", "A\t b=5"},
                                                               {" A,b,6 \t", "A\tb=6"},
                                                               {"A,b,+7", "A\tb=7"},
                                                               {"A,,8", "A\t=8"},
                                                               {",b,9", "\tb=9"},
                                                               {"A=B,c=d,2", "A=B\tc=d=2"},
                                                               {"A,b,-3,,", "A\tb=-3"},
                                                               {"A,b", ""},
                                                               {"A,b,c", ""},
                                                               {"A,b,1,2", ""},
                                                               {"A,spaces , 3", ""},
                                                               {"A,b,1.5", ""},
                                                               {"A,b,+-1", ""},
                                                               {"A,b,99999999999999999999", ""}};
  for (const auto& [fields, counter] : lines) BOOST_TEST(counted(fields) == counter, fields);
}

BOOST_AUTO_TEST_CASE(the_prefix_of_reporter_lines_and_the_number_of_counters_can_be_chosen) {
  StandardErrorReader reader{1000, {"count!", 1}};
  reader.add(" count!counter:A,indented,1\nreporter:counter:A,b,1\ncount!counter:A,b,2\ncount!counter:A,c,3\n");
  CommandResult end;
  reader.finish(end);
  BOOST_REQUIRE(end.counters.size() == 1U);
  BOOST_TEST(end.counters[0].second == 2);
  BOOST_TEST(end.standard_error == " count!counter:A,indented,1\nreporter:counter:A,b,1\ncount!counter:A,c,3\n");
}

BOOST_AUTO_TEST_CASE(long_names_of_counters_are_cut_as_by_hadoop) {
  const auto counted = [](const std::string& group, const std::string& counter) {
    StandardErrorReader reader{1000, {"reporter:", 1, 8, 4}};
    reader.add("reporter:counter:" + group + "," + counter + ",1\n");
    CommandResult end;
    reader.finish(end);
    return end.counters.at(0).first;
  };
  BOOST_TEST(counted("eightlet", "four") == "eightlet\tfour");
  BOOST_TEST(counted("nineletter", "fives") == "ninelet\tfiv");
  BOOST_TEST(counted("äöüäöüäö", "äöüß") == "äöüäöüäö\täöüß");
  BOOST_TEST(counted("g", "äöüßx") == "g\täöü");
  BOOST_TEST(counted("g", "🙂🙂") == "g\t🙂🙂");
  BOOST_TEST(counted("g", "🙂🙂x") == "g\t🙂");  // Java would keep half of the second one
}

BOOST_AUTO_TEST_CASE(counters_overflow_as_in_java_and_their_number_and_line_length_are_limited) {
  const auto read = [](const std::string& text) {
    StandardErrorReader reader{1000};
    reader.add(text);
    CommandResult end;
    reader.finish(end);
    return end;
  };
  std::string many;
  for (int i = 0; i < 5000; ++i) many += "reporter:counter:g,n" + std::to_string(i) + ",1\n";
  BOOST_TEST(read(many).counters.size() == 1000U);
  const auto wrapped = read("reporter:counter:g,n,9223372036854775807\nreporter:counter:g,n,1\n");
  BOOST_TEST(wrapped.counters.at(0).second == std::numeric_limits<std::int64_t>::min());
  const std::string status = "reporter:status:" + std::string(984, 's');
  BOOST_TEST(read(status + "\n").status.size() == 984U);
  BOOST_TEST(read("x" + status + "\n").status.empty());
}

BOOST_AUTO_TEST_CASE(processes_that_outlive_their_command_are_killed) {
  BOOST_REQUIRE(become_subreaper());
  CommandRunnerSettings settings;
  settings.output_wait_ms = 50;
  CommandRunner runner{settings};
  for (const char* leave : {"sleep 1000 & echo $!", "setsid sleep 1000 & sleep 0.1; echo $!"}) {
    for (const bool with_input : {false, true}) {
      const auto command = shell(leave);
      const auto ran = run(runner, command, with_input ? repeat("x\n", 1) : CommandSource{});
      BOOST_TEST(ran.end.exit_code == 0);
      BOOST_TEST(!ran.output.empty());
      BOOST_TEST(find_descendants(::getpid(), command.mark).empty());
    }
  }
}

// The command ends while its child is between fork, setsid and exec, where /proc shows only part of its data.
BOOST_AUTO_TEST_CASE(a_process_that_starts_while_its_command_ends_is_killed) {
  BOOST_REQUIRE(become_subreaper());
  CommandRunnerSettings settings;
  settings.output_wait_ms = 50;
  CommandRunner runner{settings};
  for (int round = 0; round < 100; ++round) {
    const auto ran = run(runner, shell("setsid sleep 1000 >/dev/null 2>&1 & exit 0"));
    BOOST_TEST(ran.end.exit_code == 0);
    BOOST_REQUIRE_MESSAGE(find_descendants(::getpid(), {}).empty(), "left in round " << round);
  }
}

BOOST_AUTO_TEST_CASE(output_of_a_process_that_outlives_its_shell_arrives) {
  CommandRunnerSettings settings;
  settings.output_wait_ms = 30'000;  // longer than the test: the runner must wait for the end of the process
  CommandRunner runner{settings};
  const auto ran = run(runner, shell("(sleep 0.1; echo late) & exit 0"));
  BOOST_TEST(ran.output == "late\n");
}

BOOST_AUTO_TEST_CASE(a_command_that_ignores_sigterm_is_killed_after_its_grace) {
  CommandRunner runner{{}};
  std::thread killer;
  auto end = runner.run(shell("trap '' TERM; echo ready; while :; do sleep 1000; done"), {},
                        [&](std::string_view) -> Result<Done> {
                          killer = std::thread{[&] { runner.kill(30); }};
                          return Done{};
                        });
  killer.join();
  BOOST_REQUIRE(end.has_value());
  BOOST_TEST(end->was_killed);
  BOOST_TEST(end->signal == SIGKILL);
}

// Ignored signals survive exec: the parent of this program may have ignored SIGCHLD.
BOOST_AUTO_TEST_CASE(exit_codes_are_kept_if_sigchld_was_ignored) {
  CommandRunner runner{{}};
  ::signal(SIGCHLD, SIG_IGN);
  const auto ran = run(runner, shell("exit 3"));
  ::signal(SIGCHLD, SIG_DFL);
  BOOST_TEST(ran.end.exit_code == 3);
}

BOOST_AUTO_TEST_CASE(an_exit_status_that_another_part_of_the_program_reaped_is_an_error) {
  CommandRunner runner{{}};
  const auto end = runner.run(shell("echo out; exit 3"), {}, [](std::string_view) -> Result<Done> {
    while (::waitpid(-1, nullptr, 0) > 0) continue;
    return Done{};
  });
  BOOST_REQUIRE(!end.has_value());
  BOOST_TEST(end.error().text.find("the exit status of process") != std::string::npos, end.error().text);
}

// The process has neither the mark nor the session of its command. Its output must not reach the next command.
BOOST_AUTO_TEST_CASE(a_process_without_mark_and_session_is_found_by_its_pipe) {
  BOOST_REQUIRE(become_subreaper());
  CommandRunner runner{{}};
  for (const bool with_input : {false, true}) {
    const auto ran = run(runner,
                         shell("mkfifo hidden.$$; env -i setsid -f sh -c "
                               "\"echo \\$\\$; echo >hidden.$$; exec sleep 1000\"; read x <hidden.$$; rm hidden.$$"),
                         with_input ? repeat("x\n", 1) : CommandSource{});
    BOOST_TEST(ran.end.exit_code == 0);
    BOOST_REQUIRE(!ran.output.empty());
    BOOST_TEST(::kill(std::stoi(ran.output), 0) != 0);
  }
}

BOOST_AUTO_TEST_CASE(processes_that_outlive_their_command_are_reaped) {
  BOOST_REQUIRE(become_subreaper());
  CommandRunner runner{{}};
  run(runner, shell("setsid sleep 1000 >/dev/null 2>&1 & exit 0"));
  BOOST_TEST(orphan_candidates().empty());
}

// A zombie whose parent has ended has no mark: only a program without other children can identify it as an orphan.
BOOST_AUTO_TEST_CASE(an_orphan_that_ended_by_itself_is_reaped) {
  BOOST_REQUIRE(become_subreaper());
  own_all_children();
  int ends[2];
  BOOST_REQUIRE(::pipe(ends) == 0);
  const pid_t parent = ::fork();
  BOOST_REQUIRE(parent >= 0);
  if (parent == 0) {
    const pid_t orphan = ::fork();
    if (orphan > 0) [[maybe_unused]]
      const auto put = ::write(ends[1], &orphan, sizeof orphan);
    ::_exit(0);
  }
  pid_t orphan = 0;
  BOOST_REQUIRE(::read(ends[0], &orphan, sizeof orphan) == static_cast<ssize_t>(sizeof orphan));
  BOOST_REQUIRE(::waitpid(parent, nullptr, 0) == parent);
  siginfo_t info{};
  BOOST_REQUIRE(::waitid(P_PID, static_cast<id_t>(orphan), &info, WEXITED | WNOWAIT) == 0);
  BOOST_TEST(!orphan_candidates().empty());
  CommandRunner runner{{}};
  run(runner, shell("true"));
  own_all_children(false);
  BOOST_TEST(orphan_candidates().empty());
  for (const int end : ends) ::close(end);
}

// Limits the descriptors so that each one of a command fails in turn: event, pipes, pidfd.
BOOST_AUTO_TEST_CASE(a_lack_of_descriptors_is_an_error_and_leaves_no_process) {
  bool has_run = false;
  int unwatched = 0;
  for (int spare = 0; !has_run && spare < 32; ++spare) {
    CommandRunner runner{{}};
    Result<CommandResult> end = CommandResult{};
    {
      const NoDescriptors few{spare};
      end = runner.run(shell("trap '' TERM; exit 5"), {}, {});
    }
    has_run = end.has_value() && end->started;
    if (has_run) {
      BOOST_TEST(end->exit_code == 5);
      continue;
    }
    const std::string text = end ? end->text : end.error().text;
    BOOST_TEST(text.find("Too many open files") != std::string::npos, text);
    if (text.starts_with("cannot watch a command")) ++unwatched;
    BOOST_TEST(::waitpid(-1, nullptr, WNOHANG) == -1);
    // The runner still works: it kills the next command, which ignores SIGTERM.
    Command stubborn = shell("trap '' TERM; echo up; while :; do sleep 0.02; done");
    const auto killed = runner.run(stubborn, {}, [&](std::string_view) -> Result<Done> {
      runner.kill(20);
      return Done{};
    });
    BOOST_REQUIRE(killed.has_value());
    BOOST_TEST(killed->was_killed);
  }
  BOOST_TEST(has_run);
  BOOST_TEST(unwatched == 2);  // failures of the event and of the pidfd
}

// The source returns one chunk and then blocks for ever.
BOOST_AUTO_TEST_CASE(a_command_ends_while_its_source_blocks) {
  CommandRunner runner{{}};
  WakeEvent ready;
  BOOST_REQUIRE(ready.open("no event").has_value());
  ready.set();
  Command head;
  head.arguments = {"head", "-n", "1"};
  head.input_begin = "first\n";
  head.input_ready = ready.descriptor();
  int calls = 0;
  const auto ran = run(runner, head, [&]() -> Result<std::string_view> {
    BOOST_REQUIRE(++calls == 1);
    ready.clear();
    return std::string_view{"second\n"};
  });
  BOOST_TEST(ran.output == "first\n");
  BOOST_TEST(ran.end.exit_code == 0);
}

BOOST_AUTO_TEST_CASE(output_of_a_command_arrives_while_its_source_blocks) {
  CommandRunner runner{{}};
  WakeEvent ready;
  BOOST_REQUIRE(ready.open("no event").has_value());
  ready.set();
  Command cat;
  cat.arguments = {"cat"};
  cat.input_ready = ready.descriptor();
  int calls = 0;
  const CommandSource source = [&]() -> Result<std::string_view> {
    ready.clear();
    return ++calls == 1 ? std::string_view{"a line\n"} : std::string_view{};
  };
  std::string output;
  const auto end = runner.run(cat, source, [&](std::string_view bytes) -> Result<Done> {
    output += bytes;
    ready.set();  // ends the input after the first line of output
    return Done{};
  });
  BOOST_REQUIRE(end.has_value());
  BOOST_TEST(output == "a line\n");
  BOOST_TEST(calls == 2);
}

/// A zombie of the embedding program in its own session.
pid_t make_foreign_zombie() {
  const pid_t child = ::fork();
  if (child == 0) {
    ::setsid();
    ::_exit(7);
  }
  siginfo_t info{};
  BOOST_REQUIRE(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) == 0);
  return child;
}

void check_waited_for(pid_t child) {
  int status = 0;
  BOOST_TEST(::waitpid(child, &status, 0) == child);
  BOOST_TEST(WEXITSTATUS(status) == 7);
}

BOOST_AUTO_TEST_CASE(an_embedding_program_keeps_its_own_children_but_not_zombies_of_commands) {
  BOOST_REQUIRE(become_subreaper());
  const pid_t foreign = make_foreign_zombie();
  CommandRunner runner{{}};
  // A background process in its own group that ends before its command, which does not reap it.
  const ScratchFolder folder;
  for (const char* gate : {"gate1", "gate2", "number"}) BOOST_REQUIRE(::mkfifo(folder.file(gate).c_str(), 0600) == 0);
  Command job = shell("");
  job.working_directory = folder.path();
  job.arguments = {"bash", "-c", "set -m; sh -c 'echo $$ >number; : <gate1' & exec cat gate2"};
  std::thread thread{[&] { run(runner, job); }};
  pid_t left = 0;
  std::ifstream{folder.file("number")} >> left;
  BOOST_REQUIRE(left > 0);
  std::ofstream{folder.file("gate1")}.close();
  for (std::string line; line.find(") Z ") == line.npos; std::this_thread::yield())
    BOOST_REQUIRE(std::getline(std::ifstream{"/proc/" + std::to_string(left) + "/stat"}, line));
  std::ofstream{folder.file("gate2")}.close();
  thread.join();
  BOOST_TEST(orphan_candidates() == std::vector<pid_t>{foreign}, boost::test_tools::per_element());
  check_waited_for(foreign);
}

BOOST_AUTO_TEST_CASE(an_orphan_that_was_seen_alive_is_reaped_when_it_ends_before_its_command) {
  BOOST_REQUIRE(become_subreaper());
  const ScratchFolder folder;
  for (const char* gate : {"gate1", "gate2", "number"}) BOOST_REQUIRE(::mkfifo(folder.file(gate).c_str(), 0600) == 0);
  auto parent = shell("setsid -f sh -c 'echo $$ >number; read x <gate1'; read x <gate2");
  parent.working_directory = folder.path();
  CommandRunner first{{}};
  std::thread thread{[&] { run(first, parent); }};
  pid_t orphan = 0;
  std::ifstream{folder.file("number")} >> orphan;
  BOOST_REQUIRE(orphan > 0);
  const pid_t foreign = make_foreign_zombie();
  CommandRunner second{{}};
  run(second, shell("true"));
  std::ofstream{folder.file("gate1")} << "go\n";
  siginfo_t info{};
  BOOST_TEST(::waitid(P_PID, static_cast<id_t>(orphan), &info, WEXITED | WNOWAIT) == 0);
  run(second, shell("true"));
  BOOST_TEST(::kill(orphan, 0) != 0);
  std::ofstream{folder.file("gate2")} << "go\n";
  thread.join();
  check_waited_for(foreign);
}

BOOST_AUTO_TEST_CASE(an_error_of_the_source_or_the_consumer_ends_the_command) {
  CommandRunner runner{{}};
  Command cat;
  cat.arguments = {"cat"};
  auto end = runner.run(cat, []() -> Result<std::string_view> { return Error{Errc::io, "broken disk"}; }, {});
  BOOST_REQUIRE(!end.has_value());
  BOOST_TEST(end.error().text == "broken disk");
  end = runner.run(shell("yes"), {}, [](std::string_view) -> Result<Done> { return Error{Errc::io, "full disk"}; });
  BOOST_REQUIRE(!end.has_value());
  BOOST_TEST(end.error().text == "full disk");
}

}  // namespace

}  // namespace command_runner_test
