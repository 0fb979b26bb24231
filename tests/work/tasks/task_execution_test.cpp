// Goal: bodies get their identity, their output is logged, and pipelines of bodies work.
// Method: real slot threads; waits only on reports.
#include "work/tasks/task_execution.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "tests/support/no_threads.hpp"
#include "tests/support/slot_task_fixture.hpp"

namespace task_execution_test {

namespace {

using namespace heddle;
using namespace heddle::work;

BOOST_AUTO_TEST_CASE(commands_get_their_identity_and_report_their_exit) {
  SlotTaskFixture f;
  auto work = f.stage(1,
                      {shell("echo $HEDDLE_TASK_INDEX of $HEDDLE_TASK_COUNT try $HEDDLE_TASK_ATTEMPT; echo no >&2; "
                             "exit $HEDDLE_TASK_INDEX")},
                      3);
  work.keep_standard_output = true;
  f.run(work, 3, 2);
  f.reports.wait_for_ends(3);
  for (const auto& end : f.reports.ends) {
    BOOST_TEST(end.outcome.exit_code == end.index);
    BOOST_TEST(end.outcome.standard_error == "no\n");
    std::ifstream log{f.folder / "logs/1.0" / (std::to_string(end.index) + ".2.stdout")};
    std::string line;
    std::getline(log, line);
    BOOST_TEST(line == std::to_string(end.index) + " of 3 try 2");
    BOOST_TEST((end.outcome.state == (end.index == 0 ? TaskState::finished : TaskState::failed)));
  }
}

BOOST_AUTO_TEST_CASE(the_failure_of_a_command_has_its_last_lines_of_stderr) {
  SlotTaskFixture f;
  f.run(f.stage(1, {shell("for i in 1 2 3 4 5 6; do echo line $i >&2; echo >&2; done; exit 3")}), 1);
  f.reports.wait_for_ends(1);
  BOOST_TEST(f.reports.ends.front().outcome.text ==
             "sh exited with code 3: line 2 | line 3 | line 4 | line 5 | line 6");
}

/// Waits until the progress of the attempt is as wanted.
template <class IsWanted>
ports::TaskProgress wait_for_progress(SlotTaskFixture& f, const StageProgram& work, const IsWanted& is_wanted) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  for (;;) {
    const auto now = f.runner->progress(work.key, 0, 0);
    if (now && is_wanted(*now)) return *now;
    BOOST_REQUIRE(std::chrono::steady_clock::now() < deadline);
    std::this_thread::yield();
  }
}

BOOST_AUTO_TEST_CASE(a_map_tells_which_part_of_its_split_it_has_read) {
  SlotTaskFixture f;
  const auto path = f.write_file("input.txt", "one\ntwo\n");
  auto work = f.stage(1, {FunctionBody{"read_and_wait"}});
  TextInput input;
  input.paths = {path};
  work.inputs = {input};
  f.run(work, 1, 0, {{0, {path, 0, 8, {}}}});
  const auto progress = wait_for_progress(f, work, [](const auto& now) { return now.fraction == 1; });
  BOOST_TEST((progress.phase == ports::TaskPhase::map));
  BOOST_TEST(progress.signs > 0);
  BOOST_TEST(!f.runner->progress(work.key, 0, 1).has_value());
  f.runner->kill(work.key, 0, 0, "seen");
  f.reports.wait_for_ends(1);
  BOOST_TEST(!f.runner->progress(work.key, 0, 0).has_value());
}

BOOST_AUTO_TEST_CASE(a_command_tells_its_status_and_signs_of_life) {
  SlotTaskFixture f{1};
  auto work = f.stage(1, {shell("echo reporter:status:half way >&2; echo out; exec sleep 1000")});
  work.keep_standard_output = true;
  f.run(work, 1);
  const auto progress =
      wait_for_progress(f, work, [](const auto& now) { return !now.status.empty() && now.signs > 0; });
  BOOST_TEST(progress.status == "half way");
  f.runner->kill(work.key, 0, 0, "seen");
  f.reports.wait_for_ends(1);
  const auto next = f.stage(2, {FunctionBody{"wait_until_killed"}});
  f.run(next, 1);
  const auto fresh = wait_for_progress(f, next, [](const auto&) { return true; });
  BOOST_TEST(fresh.fraction == 0);
  BOOST_TEST(fresh.signs == 0);
  BOOST_TEST(fresh.status.empty());
  f.runner->kill(next.key, 0, 0, "seen");
  f.reports.wait_for_ends(2);
}

BOOST_AUTO_TEST_CASE(a_reduce_tells_which_part_of_its_map_outputs_it_has_copied) {
  SlotTaskFixture f;
  f.run_map(f.map_stage(5, IdentityBody{}));
  f.reports.wait_for_ends(1);
  f.place_shuffle(5, f.folder / "shuffle", {0, ports::ShuffleLocations::expected});
  auto reduce = f.reduce_stage({5});
  reduce.shuffle_inputs[0].maps = 2;
  f.run(reduce, 1);
  const auto progress = wait_for_progress(f, reduce, [](const auto& now) { return now.fraction > 0; });
  BOOST_TEST((progress.phase == ports::TaskPhase::shuffle));
  BOOST_TEST(progress.fraction == 0.5F / 3);
  f.runner->kill(reduce.key, 0, 0, "seen");
  f.reports.wait_for_ends(2);
}

std::int64_t count_of(const TaskCounters& counters, TaskCounter counter) {
  return counters.empty() ? -1 : counters.at(static_cast<std::size_t>(counter));
}

BOOST_AUTO_TEST_CASE(a_killed_map_keeps_the_counters_that_it_told) {
  SlotTaskFixture f;
  auto work = f.map_stage(1, shell("while read line; do echo $line; done; echo reporter:counter:Mine,n,2 >&2; "
                                   "echo reporter:counter:Mine,n,3 >&2; exec sleep 1000"));
  work.map_reduce.emplace();
  f.run_map(work);
  const auto told = wait_for_progress(f, work, [](const auto& now) {
                      return !now.counters.user.empty() && now.counters.user.front().second == 5 &&
                             count_of(now.counters.task, TaskCounter::map_output_records) == 1;
                    }).counters;
  BOOST_TEST(count_of(told.task, TaskCounter::map_input_records) == 1);
  BOOST_TEST(count_of(told.task, TaskCounter::bytes_read) == 6);
  BOOST_TEST(told.user.front().first == "Mine\tn");
  f.runner->kill(work.key, 0, 0, "seen");
  f.reports.wait_for_ends(1);
  const auto& outcome = f.reports.ends.front().outcome;
  BOOST_TEST((outcome.state == TaskState::killed));
  BOOST_TEST((outcome.task_counters == told.task));
  BOOST_TEST((outcome.counters == told.user));
}

BOOST_AUTO_TEST_CASE(a_map_tells_the_counters_of_its_function_and_the_bytes_of_its_output) {
  SlotTaskFixture f;
  auto work = f.map_stage(1, FunctionBody{"count_lines_and_wait"});
  work.map_reduce.emplace();
  f.run_map(work);
  const auto told = wait_for_progress(f, work, [](const auto& now) { return !now.counters.user.empty(); }).counters;
  BOOST_TEST_REQUIRE(told.user.size() == 1U);
  BOOST_TEST(told.user.front().first == "Mine\tlines");
  BOOST_TEST(told.user.front().second == 1);
  BOOST_TEST(count_of(told.task, TaskCounter::map_output_records) == 1);
  BOOST_TEST(count_of(told.task, TaskCounter::map_output_bytes) == 7);
  f.runner->kill(work.key, 0, 0, "seen");
  f.reports.wait_for_ends(1);
  BOOST_TEST((f.reports.ends.front().outcome.counters == told.user));
}

BOOST_AUTO_TEST_CASE(a_reduce_tells_its_copies_and_then_the_records_that_it_has_read) {
  SlotTaskFixture f;
  f.run_map(f.map_stage(5, IdentityBody{}));
  f.reports.wait_for_ends(1);
  f.place_shuffle(5, f.folder / "shuffle", {0, ports::ShuffleLocations::expected});
  auto reduce = f.reduce_stage({5});
  reduce.shuffle_inputs[0].maps = 2;
  reduce.map_reduce.emplace();
  reduce.bodies = {FunctionBody{"read_and_wait"}};
  f.run(reduce, 1);
  const auto copying = wait_for_progress(f, reduce, [](const auto& now) { return now.fraction > 0; }).counters.task;
  BOOST_TEST(count_of(copying, TaskCounter::shuffled_maps) == 1);
  BOOST_TEST(count_of(copying, TaskCounter::reduce_input_records) == 0);
  f.place_shuffle(5, f.folder / "shuffle", {0, ports::ShuffleLocations::not_wanted});
  const auto reading = wait_for_progress(f, reduce, [](const auto& now) {
                         return count_of(now.counters.task, TaskCounter::reduce_input_groups) > 0;
                       }).counters.task;
  BOOST_TEST(count_of(reading, TaskCounter::reduce_input_records) == 1);
  BOOST_TEST(count_of(reading, TaskCounter::map_input_records) == 0);
  f.runner->kill(reduce.key, 0, 0, "seen");
  f.reports.wait_for_ends(2);
}

BOOST_AUTO_TEST_CASE(an_attempt_of_another_job_tells_no_counters) {
  SlotTaskFixture f;
  const auto work = f.map_stage(1, shell("cat; echo reporter:counter:Mine,n,2 >&2; echo reporter:status:read >&2; "
                                         "exec sleep 1000"));
  f.run_map(work);
  const auto told = wait_for_progress(f, work, [](const auto& now) { return !now.status.empty(); }).counters;
  BOOST_TEST(told.task.empty());
  BOOST_TEST(told.user.empty());
  f.runner->kill(work.key, 0, 0, "seen");
  f.reports.wait_for_ends(1);
  BOOST_TEST(f.reports.ends.front().outcome.task_counters.empty());
}

BOOST_AUTO_TEST_CASE(a_failed_map_keeps_what_it_has_counted) {
  SlotTaskFixture f;
  auto work = f.map_stage(1, shell("cat; exit 3"));
  work.map_reduce.emplace();
  f.run_map(work);
  f.reports.wait_for_ends(1);
  const auto& outcome = f.reports.ends.front().outcome;
  BOOST_TEST((outcome.failure == FailureKind::command_exit));
  BOOST_TEST(count_of(outcome.task_counters, TaskCounter::map_input_records) == 1);
  BOOST_TEST(count_of(outcome.task_counters, TaskCounter::map_output_records) == 1);
}

BOOST_AUTO_TEST_CASE(tasks_get_the_addresses_of_their_devices) {
  SlotTaskFixture f;
  const std::vector<TaskBody> bodies{shell("echo $HEDDLE_DEVICES_GPU $HEDDLE_DEVICES_MY_CARD_2"),
                                     FunctionBody{"say_devices"}};
  for (std::int64_t id = 1; id <= 2; ++id) {
    auto work = f.stage(id, {bodies[static_cast<std::size_t>(id - 1)]}, 2);
    work.keep_standard_output = true;
    f.runner->load_stage(std::make_shared<const StageProgram>(work));
    f.runner->run({work.key, 0, 2, 0, {}, {{{{"gpu", {"0", "1"}}, {"my-card.2", {"x"}}}}, {{{"gpu", {"2", "3"}}}}}});
  }
  f.reports.wait_for_ends(4);
  for (const auto& end : f.reports.ends) BOOST_TEST((end.outcome.state == TaskState::finished), end.outcome.text);
  const auto output_of = [&f](const std::string& name) {
    std::stringstream text;
    text << std::ifstream{f.folder / "logs" / name}.rdbuf();
    return text.str();
  };
  BOOST_TEST(output_of("1.0/0.0.stdout") == "0,1 x\n");
  BOOST_TEST(output_of("1.0/1.0.stdout") == "2,3\n");
  BOOST_TEST(output_of("2.0/0.0.stdout") == "0\n1\n");
  BOOST_TEST(output_of("2.0/1.0.stdout") == "2\n3\n");
}

BOOST_AUTO_TEST_CASE(logs_of_attempts_lie_directly_in_the_log_folder_of_a_container) {
  SlotTaskFixture f{1, [](SlotTaskRunnerSettings& settings) { settings.log_place = LogPlace::container_folder; }};
  std::filesystem::create_directories(f.folder / "logs");
  auto work = f.stage(1, {shell("echo out; echo err >&2")}, 1);
  work.keep_standard_output = true;
  f.run(work, 1, 3);
  f.reports.wait_for_ends(1);
  BOOST_TEST(std::filesystem::file_size(f.folder / "logs/task-1.0-0.3.stdout") == 4U);
  BOOST_TEST(std::filesystem::file_size(f.folder / "logs/task-1.0-0.3.stderr") == 4U);
}

BOOST_AUTO_TEST_CASE(standard_output_of_attempts_is_logged_up_to_a_limit) {
  SlotTaskFixture f{1, [](SlotTaskRunnerSettings& settings) { settings.log_bytes_max = 1000; }};
  auto work = f.stage(1, {shell("head -c 5000 /dev/zero | tr '\\0' x; echo err >&2; exit 1")});
  work.keep_standard_output = true;
  f.run(work, 1);
  f.reports.wait_for_ends(1);
  std::stringstream text;
  text << std::ifstream{f.folder / "logs/1.0/0.0.stdout"}.rdbuf();
  BOOST_TEST(text.str().size() < 1200U);
  BOOST_TEST(text.str().find("the output reached its size limit") != std::string::npos);
  BOOST_TEST(std::filesystem::file_size(f.folder / "logs/1.0/0.0.stderr") == 4U);
}

/// Local files whose sinks lose their servers at the first write, or when they are closed.
class BrokenPipelines final : public LocalFileSystem {
public:
  explicit BrokenPipelines(bool at_close) : at_close_{at_close} {}
  Result<std::unique_ptr<ports::ByteSink>> create(const std::string& path, const ports::CreateOptions&) override {
    struct Sink final : ports::ByteSink {
      Result<Done> write(std::string_view) override { return is_late ? Result<Done>{Done{}} : broken(); }
      Result<Done> close() override { return broken(); }
      Result<Done> broken() const { return Error{Errc::interrupted, "cannot write '" + path + "': pipeline broken"}; }
      std::string path;
      bool is_late = false;
    };
    auto sink = std::make_unique<Sink>();
    sink->path = path;
    sink->is_late = at_close_;
    return std::unique_ptr<ports::ByteSink>{std::move(sink)};
  }

private:
  bool at_close_;
};

/// Runs a task of these bodies that reads the line "b a b" from this file and has a text output. Returns its stage.
StageProgram run_on_line(SlotTaskFixture& f, std::vector<TaskBody> bodies, const std::string& name) {
  auto work = f.stage(1, std::move(bodies));
  const auto path = f.write_file(name, "b a b\n");
  TextInput input;
  input.paths = {path};
  work.inputs = {input};
  work.output.emplace();
  work.output->path = f.folder / "out";
  f.run(work, 1, 0, {{0, {path, 0, 6, {}}}});
  f.reports.wait_for_ends(1);
  return work;
}

/// Outcome of that task.
TaskOutcome outcome_of(SlotTaskFixture& f, const TaskBody& body, const std::string& name) {
  run_on_line(f, {body}, name);
  return f.reports.ends[0].outcome;
}

BOOST_AUTO_TEST_CASE(an_output_that_its_file_system_breaks_is_told_apart_from_other_failures) {
  for (const bool at_close : {false, true})
    for (const auto& body : {TaskBody{IdentityBody{}}, TaskBody{shell("head -c 2000000 /dev/zero; cat")}}) {
      BrokenPipelines files{at_close};
      SlotTaskFixture f{1, [&files](SlotTaskRunnerSettings& settings) { settings.files = &files; }};
      const auto outcome = outcome_of(f, body, "input.txt");
      BOOST_TEST((outcome.state == TaskState::failed));
      BOOST_TEST((outcome.failure == FailureKind::output_interrupted), outcome.text);
      BOOST_TEST(outcome.text.find("pipeline broken") != std::string::npos, outcome.text);
    }
}

/// Local files of which none can be created: the servers do not answer.
class UnreachableOutputs final : public LocalFileSystem {
public:
  Result<std::unique_ptr<ports::ByteSink>> create(const std::string& path, const ports::CreateOptions&) override {
    return Error{Errc::unreachable, "cannot create '" + path + "': no answer"};
  }
  Result<std::unique_ptr<ports::ByteSource>> open(const std::string& path,
                                                  const ports::ReadRange& range) const override {
    if (path.ends_with("far.txt")) return Error{Errc::unreachable, "cannot open '" + path + "': no answer"};
    return LocalFileSystem::open(path, range);
  }
};

BOOST_AUTO_TEST_CASE(an_input_or_output_whose_servers_do_not_answer_is_told_apart_from_other_failures) {
  UnreachableOutputs files;
  for (const auto* name : {"near.txt", "far.txt"}) {
    SlotTaskFixture f{1, [&files](SlotTaskRunnerSettings& settings) { settings.files = &files; }};
    const auto outcome = outcome_of(f, IdentityBody{}, name);
    BOOST_TEST((outcome.failure == FailureKind::unreachable), name << ": " << outcome.text);
    BOOST_TEST(outcome.text.find("no answer") != std::string::npos, outcome.text);
  }
}

/// Output of a pipeline of these bodies for the input line "b a b".
std::string written_by(std::vector<TaskBody> bodies) {
  SlotTaskFixture f;
  const auto work = run_on_line(f, std::move(bodies), "input.txt");
  BOOST_REQUIRE_MESSAGE(f.reports.ends[0].outcome.state == TaskState::finished, f.reports.ends[0].outcome.text);
  return f.part(work, 0);
}

BOOST_AUTO_TEST_CASE(each_body_reads_the_output_of_the_previous_one) {
  BOOST_TEST(written_by({shell("tr ' ' '\\n'"), IdentityBody{}, FunctionBody{"count_words"}, shell("sort -r")}) ==
             "b\t2\na\t1\n");
}

BOOST_AUTO_TEST_CASE(an_endless_command_ends_when_its_reader_ends) {
  const auto endless = shell("while :; do echo x; sleep 0.02; done");
  BOOST_TEST(written_by({endless, shell("head -n 1")}) == "x\n");
  BOOST_TEST(written_by({endless, shell("cat"), shell("head -n 2")}) == "x\nx\n");
  BOOST_TEST(written_by({endless, IdentityBody{}, shell("head -n 1")}) == "x\n");
}

// Each body but the last runs on its own thread, where an uncaught exception would end the process.
BOOST_AUTO_TEST_CASE(an_exception_in_any_body_fails_the_task_and_leaves_the_slot_usable) {
  SlotTaskFixture f{1};
  std::size_t ends = 0;
  for (const std::string function : {"throw_after_a_line", "throw_a_number"}) {
    for (std::size_t place = 0; place < 3; ++place) {
      std::vector<TaskBody> bodies{shell("echo a; echo b"), shell("cat"), shell("cat")};
      bodies[place] = FunctionBody{function};
      f.run(f.stage(static_cast<std::int64_t>(ends), std::move(bodies)), 1);
      f.reports.wait_for_ends(++ends);
      const auto& outcome = f.reports.ends.back().outcome;
      BOOST_TEST((outcome.state == TaskState::failed));
      BOOST_TEST((outcome.failure == FailureKind::exception));
      BOOST_TEST(outcome.text ==
                 (function == "throw_a_number" ? "an exception that is not a std::exception" : "the table has no row"));
    }
  }
  f.run(f.stage(100, {FunctionBody{"do_nothing"}}), 1);
  f.reports.wait_for_ends(++ends);
  BOOST_TEST((f.reports.ends.back().outcome.state == TaskState::finished));
}

BOOST_AUTO_TEST_CASE(a_body_whose_thread_cannot_start_fails_the_task_and_leaves_the_slot_usable) {
  SlotTaskFixture f{1};
  const std::vector<TaskBody> bodies{FunctionBody{"do_nothing"}, FunctionBody{"do_nothing"},
                                     FunctionBody{"do_nothing"}};
  {
    const tests::NoThreads none;
    f.run(f.stage(1, bodies), 1);
    f.reports.wait_for_ends(1);
  }
  const auto& outcome = f.reports.ends.front().outcome;
  BOOST_TEST((outcome.state == TaskState::failed));
  BOOST_TEST((outcome.failure == FailureKind::internal));
  BOOST_TEST(outcome.text.starts_with("body 1 of the task failed to run: "), outcome.text);
  f.run(f.stage(2, bodies), 1);
  f.reports.wait_for_ends(2);
  BOOST_TEST((f.reports.ends.back().outcome.state == TaskState::finished));
}

BOOST_AUTO_TEST_CASE(remaining_processes_of_one_command_are_killed_without_the_next_command) {
  // The second command reads until the first one has ended.
  BOOST_TEST(written_by({shell("cat; sleep 60 > /dev/null 2>&1 &"), shell("wc -l; sleep 0.3")}) == "1\n");
}

BOOST_AUTO_TEST_CASE(a_launch_with_fewer_splits_than_tasks_or_an_unknown_input_fails_its_tasks) {
  SlotTaskFixture f;
  const auto work = f.map_stage(1, IdentityBody{});
  const TaskSplit split{0, {f.folder / "input.txt", 0, 6, {}}};
  f.run(work, 2, 0, {split});
  f.reports.wait_for_ends(2);
  auto wrong = split;
  wrong.input = 7;
  f.run(work, 1, 1, {wrong});
  wrong.input = -1;
  f.run(work, 1, 2, {wrong});
  f.reports.wait_for_ends(4);
  int failed = 0;
  for (const auto& end : f.reports.ends)
    if (end.outcome.state == TaskState::failed) {
      ++failed;
      BOOST_TEST((end.outcome.failure == FailureKind::internal));
      BOOST_TEST(!end.outcome.text.empty());
    }
  BOOST_TEST(failed == 4);
}

}  // namespace

}  // namespace task_execution_test
