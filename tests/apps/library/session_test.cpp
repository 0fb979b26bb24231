// Goal: a session of a program runs its jobs, and reports why a job did not run.
// Method: complete sessions of local[N] in folders of the test; tests/end_to_end has sessions with several processes.
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "apps/library/session_arguments.hpp"
#include "heddle/heddle.hpp"
#include "interop/hadoop/proto/hdfs.pb.h"
#include "tests/support/fake_rpc_server.hpp"

namespace session_test {

namespace {

using namespace heddle;

void emit_squares(TaskContext& task) {
  task.emit(task.index() % 2 == 0 ? "even" : "odd", task.index() * task.index());
  task.add_to_counter("squares", "made", 1);
}
HEDDLE_TASK(emit_squares)

void add_up(TaskContext& task) {
  for (auto& group : task.groups()) {
    std::int64_t sum = 0;
    for (std::string_view value : group) sum += std::stoll(std::string{value});
    task.emit(group.key(), sum);
  }
}
HEDDLE_TASK(add_up)

void name_groups(TaskContext& task) {
  for (auto& group : task.groups()) task.emit(group.key());
}
HEDDLE_TASK(name_groups)

void throw_once(TaskContext& task) {
  if (task.attempt() == 0 && task.index() == 3) throw std::runtime_error{"the moon is in the wrong house"};
}
HEDDLE_TASK(throw_once)

void throw_always(TaskContext& task) {
  if (task.index() == 3) throw std::runtime_error{"the moon is in the wrong house"};
}
HEDDLE_TASK(throw_always)

void throw_a_number(TaskContext&) { throw 42; }
HEDDLE_TASK(throw_a_number)

void wait_for_the_end(TaskContext& task) {
  while (!task.is_killed()) std::this_thread::yield();
}
HEDDLE_TASK(wait_for_the_end)

void wait_in_the_second_task(TaskContext& task) {
  if (task.index() == 1) wait_for_the_end(task);
}
HEDDLE_TASK(wait_in_the_second_task)

/// A NameNode without files, which is in safe mode after some changes.
class SafeNameNode {
public:
  explicit SafeNameNode(int changes) : changes_{changes} {}
  std::atomic<int> refusals = 0;  // about one per second while a client waits
  [[nodiscard]] std::string path(const std::string& name) const { return "hdfs://" + server_.address() + "/" + name; }

private:
  heddle::tests::FakeAnswer answer(const heddle::tests::FakeCall& call) {
    if (call.method == "getFileInfo") return heddle::tests::answer_of(interop::proto::GetFileInfoResponse{});
    if (call.method == "mkdirs" && changes_ > 0) {
      --changes_;
      interop::proto::MkdirsResponse response;
      response.set_result(true);
      return heddle::tests::answer_of(response);
    }
    ++refusals;
    refusals.notify_all();
    return heddle::tests::exception_of("org.apache.hadoop.hdfs.server.namenode.SafeModeException",
                                       "Name node is in safe mode.");
  }

  int changes_;
  heddle::tests::FakeRpcServer server_{[this](const auto& call) { return answer(call); }};
};

SessionOptions patient_options() {
  return {.master = "local[1]", .settings = {{"heddle.hdfs.safe_mode_timeout", "20s"}}};
}

/// A folder of the test, also for event logs; and the arguments of a program.
struct Fixture {
  Fixture() {
    std::string pattern = (std::filesystem::temp_directory_path() / "heddle-session-XXXXXX").string();
    BOOST_REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    folder = pattern;
    ::setenv("XDG_STATE_HOME", (folder + "/state").c_str(), 1);
  }
  ~Fixture() { std::filesystem::remove_all(folder); }

  /// Arguments for a Session, the program's name first.
  char** argv(std::vector<std::string> words) {
    words_ = std::move(words);
    words_.insert(words_.begin(), "program");
    pointers_.clear();
    for (auto& word : words_) pointers_.push_back(word.data());
    return pointers_.data();
  }
  [[nodiscard]] int argc() const { return static_cast<int>(pointers_.size()); }

  [[nodiscard]] std::vector<std::string> saved(const std::string& name) const {
    std::vector<std::string> lines;
    for (const auto& part : std::filesystem::directory_iterator{folder + "/" + name}) {
      std::ifstream file{part.path()};
      for (std::string line; std::getline(file, line);) lines.push_back(line);
    }
    std::sort(lines.begin(), lines.end());
    return lines;
  }

  std::string folder;

private:
  std::vector<std::string> words_;
  std::vector<char*> pointers_;
};

JobBuilder squares(const std::string& output) {
  return JobBuilder{"squares"}
      .stage("square", tasks(10), emit_squares)
      .shuffle_stage("sum", {.after = "square", .partitions = 2}, add_up)
      .save_text(output);
}

BOOST_FIXTURE_TEST_SUITE(session, Fixture)

BOOST_AUTO_TEST_CASE(a_job_of_functions_runs_and_its_report_has_its_counts) {
  char** const words = argv({"--master", "local[2]", "mine"});
  Session session{argc(), words};
  BOOST_REQUIRE(session.status());
  BOOST_TEST(session.arguments() == std::vector<std::string>{"mine"}, boost::test_tools::per_element());
  const auto report = session.run(squares(folder + "/out"));
  BOOST_REQUIRE(report);
  BOOST_TEST(saved("out") == (std::vector<std::string>{"even\t120", "odd\t165"}), boost::test_tools::per_element());
  BOOST_TEST(report->tasks == 12);
  BOOST_TEST(report->failed_attempts == 0);
  BOOST_TEST(report->counter("squares", "made") == 10);
  BOOST_TEST(report->counter("squares", "lost") == 0);
  BOOST_REQUIRE_EQUAL(report->stages.size(), 2U);
  BOOST_TEST(report->stages.front().finished == 10);
  BOOST_TEST(report->outputs == std::vector<std::string>{folder + "/out"}, boost::test_tools::per_element());
  BOOST_TEST(to_string(*report).find("squares done in ") == 0U);
}

BOOST_AUTO_TEST_CASE(a_job_can_read_the_output_of_an_earlier_job_of_the_session) {
  Session session{1, argv({}), {.master = "local[2]"}};
  BOOST_REQUIRE(session.run(squares(folder + "/first")));
  const auto second = JobBuilder{"again"}
                          .stage("read", key_value_text(folder + "/first/part-*"), unchanged())
                          .shuffle_stage("names", {.after = "read"}, name_groups)
                          .save_text(folder + "/second");
  BOOST_REQUIRE(session.run(second));
  BOOST_TEST(saved("second") == (std::vector<std::string>{"even", "odd"}), boost::test_tools::per_element());
  std::vector<std::thread> threads;
  std::atomic<int> done = 0;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back(
        [&, i] { done += session.run(squares(folder + "/thread" + std::to_string(i))).has_value() ? 1 : 0; });
  for (auto& thread : threads) thread.join();
  BOOST_TEST(done == 4);
}

BOOST_AUTO_TEST_CASE(a_task_that_throws_is_retried) {
  Session session{1, argv({}), {.master = "local[2,4]"}};
  const auto report = session.run(JobBuilder{"throw"}.stage("throw", tasks(8), throw_once));
  BOOST_REQUIRE(report);
  BOOST_TEST(report->failed_attempts == 1);
  BOOST_REQUIRE_EQUAL(report->failures.size(), 1U);
  BOOST_TEST(report->failures.front().attempts == 1);
  BOOST_TEST(report->failures.front().reason.find("the moon is in the wrong house") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_function_that_always_throws_fails_the_job_with_its_text) {
  Session session{1, argv({}), {.master = "local[2,3]"}};
  const auto failed = session.run(JobBuilder{"throw"}.stage("throw", tasks(8), throw_always));
  BOOST_REQUIRE(!failed);
  BOOST_TEST((failed.error().code == Errc::failed));
  BOOST_TEST_MESSAGE(failed.error().text);
  for (const char* part : {"throw", "3", "the moon is in the wrong house"})
    BOOST_TEST(failed.error().text.find(part) != std::string::npos, part);
  const auto other = session.run(JobBuilder{"number"}.stage("throw", tasks(1), throw_a_number));
  BOOST_REQUIRE(!other);
  BOOST_TEST_MESSAGE(other.error().text);
  BOOST_TEST(other.error().text.find("not a std::exception") != std::string::npos);
  BOOST_TEST(session.run(squares(folder + "/out")).has_value(), "the session goes on after a failed job");
}

BOOST_AUTO_TEST_CASE(a_failed_job_leaves_no_output) {
  Session session{1, argv({}), {.master = "local[2]"}};
  BOOST_REQUIRE(!session.run(JobBuilder{"throw"}.stage("throw", tasks(8), throw_always).save_text(folder + "/out")));
  BOOST_TEST(!std::filesystem::exists(folder + "/out/_SUCCESS"));
  BOOST_TEST(!std::filesystem::exists(folder + "/out/part-00000"));
}

BOOST_AUTO_TEST_CASE(invalid_jobs_are_refused_before_any_task_runs) {
  Session session{1, argv({}), {.master = "local[1]"}};
  const auto wrong = session.run(JobBuilder{"wrong"}.stage("a", tasks(1), function("emit_sqares")));
  BOOST_REQUIRE(!wrong);
  BOOST_TEST((wrong.error().code == Errc::not_found));
  const auto missing = session.run(JobBuilder{"missing"}.stage("a", text(folder + "/nowhere"), unchanged()));
  BOOST_REQUIRE(!missing);
  BOOST_TEST((missing.error().code == Errc::not_found));
  BOOST_TEST(missing.error().text.find(folder + "/nowhere") != std::string::npos);
  std::filesystem::create_directory(folder + "/there");
  const auto exists = session.run(squares(folder + "/there"));
  BOOST_REQUIRE(!exists);
  BOOST_TEST((exists.error().code == Errc::refused));
}

BOOST_AUTO_TEST_CASE(a_job_is_cancelled_by_its_callback) {
  Session session{1, argv({}), {.master = "local[2]"}};
  bool is_running = false;
  RunCallbacks callbacks;
  callbacks.on_progress = [&is_running](const std::vector<StageReport>& stages) {
    is_running = is_running || (!stages.empty() && stages.front().running > 0);
  };
  callbacks.is_cancelled = [&is_running] { return is_running; };
  const auto cancelled = session.run(JobBuilder{"wait"}.stage("wait", tasks(4), wait_for_the_end), callbacks);
  BOOST_REQUIRE(!cancelled);
  BOOST_TEST((cancelled.error().code == Errc::cancelled));
}

// The only slot runs the tasks of the first job before those of the second one.
BOOST_AUTO_TEST_CASE(a_job_that_failed_before_the_cancellation_of_another_one_stays_failed) {
  Session session{1, argv({}), {.master = "local[1]"}};
  bool has_first_failed = false;
  RunCallbacks callbacks;
  callbacks.on_progress = [&](const std::vector<StageReport>& stages) {
    for (const auto& stage : stages)
      has_first_failed = has_first_failed || (stage.name == "wait" && stage.finished > 0);
  };
  callbacks.is_cancelled = [&] { return has_first_failed; };
  const auto ends = session.run_all({JobBuilder{"first"}.stage("throw", tasks(1), throw_a_number),
                                     JobBuilder{"second"}.stage("wait", tasks(2), wait_in_the_second_task)},
                                    callbacks);
  BOOST_REQUIRE(ends.size() == 2U);
  BOOST_REQUIRE(!ends[0]);
  BOOST_TEST((ends[0].error().code == Errc::failed), ends[0].error().text);
  BOOST_TEST(ends[0].error().text.find("not a std::exception") != std::string::npos, ends[0].error().text);
  BOOST_REQUIRE(!ends[1]);
  BOOST_TEST((ends[1].error().code == Errc::cancelled), ends[1].error().text);
  BOOST_TEST(ends[1].error().text == "the job 'second' was cancelled by the user");
}

BOOST_AUTO_TEST_CASE(a_cancellation_ends_a_wait_for_a_name_node_before_and_after_the_submission) {
  for (const int changes : {0, 1}) {  // of the session, which looks whether it must wait, and of the Driver
    SafeNameNode name_node{changes};
    Session session{1, argv({}), patient_options()};
    RunCallbacks callbacks;
    callbacks.is_cancelled = [&name_node] { return name_node.refusals > 0; };
    const auto cancelled = session.run(squares(name_node.path("a/out")), callbacks);
    BOOST_REQUIRE(!cancelled);
    BOOST_TEST((cancelled.error().code == Errc::cancelled), cancelled.error().text);
    BOOST_TEST(name_node.refusals < 10);
  }
}

BOOST_AUTO_TEST_CASE(a_session_that_closes_ends_a_wait_of_another_thread_for_a_name_node) {
  SafeNameNode name_node{1};
  Session session{1, argv({}), patient_options()};
  bool has_run = true;
  std::thread waiting{[&] { has_run = session.run(squares(name_node.path("a/out"))).has_value(); }};
  name_node.refusals.wait(0);
  session.close();
  waiting.join();
  BOOST_TEST(!has_run);
  BOOST_TEST(name_node.refusals < 10);
}

BOOST_AUTO_TEST_CASE(a_closed_session_refuses_jobs) {
  Session session{1, argv({}), {.master = "local[1]"}};
  session.close();
  session.close();
  const auto refused = session.run(squares(folder + "/out"));
  BOOST_REQUIRE(!refused);
  BOOST_TEST((refused.error().code == Errc::refused));
  BOOST_TEST(refused.error().text == "the session is closed; open a new session to run jobs");
}

BOOST_AUTO_TEST_CASE(each_run_of_a_session_that_failed_to_open_returns_the_reason) {
  const struct {
    SessionOptions options;
    std::vector<std::string> words;
    const char* part;
  } cases[] = {
      {{.master = "lokal[2]"}, {}, "lokal[2]"},
      {{}, {"--master"}, "--master needs a value"},
      {{}, {"--set", "heddle.no.such.key=1"}, "heddle.no.such.key"},
      {{.settings = {{"heddle.task.max_failures", "many"}}}, {}, "heddle.task.max_failures"},
      {{.topology = "/nowhere.toml"}, {}, "/nowhere.toml"},
      {{.topology = "/nowhere.toml"}, {"--master", "foo"}, "expected: local-cluster[n,c,m]"},
  };
  for (const auto& [options, words, part] : cases) {
    char** const all = argv(words);
    Session session{argc(), all, options};
    const auto status = session.status();
    BOOST_REQUIRE(!status);
    BOOST_TEST_MESSAGE(status.error().text);
    BOOST_TEST(status.error().text.find(part) != std::string::npos, status.error().text);
    const auto refused = session.run(squares(folder + "/out"));
    BOOST_REQUIRE(!refused);
    BOOST_TEST(refused.error().text == status.error().text);
  }
}

BOOST_AUTO_TEST_CASE(a_session_that_is_cancelled_while_it_opens_ends) {
  for (const char* master : {"local[1]", "local-cluster[1,1,512]"}) {
    int polls = 0;
    // The second poll comes while a cluster starts.
    const auto is_cancelled = [&] { return ++polls > (std::string_view{master} == "local[1]" ? 0 : 1); };
    Session session{1, argv({}), {.master = master, .is_cancelled = is_cancelled}};
    const auto status = session.status();
    BOOST_REQUIRE(!status);
    BOOST_TEST((status.error().code == Errc::cancelled), status.error().text);
    const auto refused = session.run(squares(folder + "/out"));
    BOOST_REQUIRE(!refused);
    BOOST_TEST((refused.error().code == Errc::cancelled));
  }
}

BOOST_AUTO_TEST_CASE(the_session_removes_only_its_own_options) {
  const std::vector<std::string> words{"--master=local[3]", "in",     "--set",     "a=b", "--setting",
                                       "--topology",        "t.toml", "--set=c=d", "--",  "--master"};
  const auto taken = apps::parse_session_words(words);
  BOOST_REQUIRE(taken);
  BOOST_TEST(taken->master == "local[3]");
  BOOST_TEST(taken->topology == "t.toml");
  BOOST_TEST(taken->assignments == (std::vector<std::string>{"a=b", "c=d"}), boost::test_tools::per_element());
  BOOST_TEST(taken->others == (std::vector<std::string>{"in", "--setting", "--", "--master"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace

}  // namespace session_test
