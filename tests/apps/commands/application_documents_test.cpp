// Goal: with --format json or jsonl, verbs about applications print exactly one document, also after a failure; with
// jsonl, list and logs print one for each application or file.
// Method: the program heddle against a fake ResourceManager; its standard streams go to files.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/support/fake_applications.hpp"
#include "tests/support/fake_http_server.hpp"

namespace heddle::apps {
namespace application_documents_test {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;
using tests::HttpAnswer;
using Words = std::vector<std::string>;

constexpr const char* failed = "application_1700000000000_0003";
constexpr const char* succeeded = "application_1700000000000_0005";
constexpr const char* running = "application_1700000000000_0007";
constexpr const char* killed = "application_1700000000000_0008";
constexpr const char* unknown = "application_1700000000000_0020";

struct Ended {
  int code = -1;  // -1: a signal ended it
  std::string out;
  std::string err;
};

/// The program heddle in a folder, where it leaves its files.
class Program {
public:
  Program(const work::ScratchFolder& folder, Words words) : folder_{folder} {
    words.insert(words.begin(), HEDDLE_PROGRAM);
    std::vector<char*> pointers;
    for (auto& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addchdir_np(&actions, folder.path().c_str());
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC;
    ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "out", flags, 0600);
    ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "err", flags, 0600);
    BOOST_REQUIRE(::posix_spawn(&process_, HEDDLE_PROGRAM, &actions, nullptr, pointers.data(), environ) == 0);
    ::posix_spawn_file_actions_destroy(&actions);
  }
  ~Program() {
    if (process_ < 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void interrupt() const { ::kill(process_, SIGINT); }

  [[nodiscard]] Ended end() {
    constexpr int patience_ms = 30'000;
    const int descriptor = static_cast<int>(::syscall(SYS_pidfd_open, process_, 0));
    pollfd polled{descriptor, POLLIN, 0};
    BOOST_REQUIRE_MESSAGE(::poll(&polled, 1, patience_ms) == 1, "the program has not ended: " + folder_.read("err"));
    ::close(descriptor);
    int status = 0;
    BOOST_REQUIRE(::waitpid(std::exchange(process_, -1), &status, 0) > 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, folder_.read("out"), folder_.read("err")};
  }

private:
  const work::ScratchFolder& folder_;
  pid_t process_ = -1;
};

struct World {
  tests::FakeApplications fake;
  work::ScratchFolder folder;

  World() {
    ::setenv("XDG_STATE_HOME", folder.file("state").c_str(), 1);
    namespace proto = interop::proto;
    fake.add({{1700000000000, 3},
              "words",
              "HEDDLE",
              proto::APPLICATION_FINISHED,
              proto::FINAL_FAILED,
              "the disk of \"h1\" is full\n\tat java"});
    fake.add({{1700000000000, 5}, "sort", "SPARK", proto::APPLICATION_FINISHED, proto::FINAL_SUCCEEDED});
    fake.add({{1700000000000, 7}, "words", "HEDDLE", proto::APPLICATION_RUNNING, proto::FINAL_UNDEFINED});
    fake.add({{1700000000000, 8}, "old", "HEDDLE", proto::APPLICATION_KILLED, proto::FINAL_KILLED});
  }
  ~World() { ::unsetenv("XDG_STATE_HOME"); }

  [[nodiscard]] Program start(const Words& words, const std::string& format) const {
    Words all{words.front(), "--master", "yarn", "--format", format};
    for (const auto* setting : {"heddle.yarn.connect_wait=100ms", "heddle.yarn.report_interval=10ms"})
      all.insert(all.end(), {"--set", setting});
    if (words.front() == "submit") all.insert(all.end(), {"--set", "heddle.yarn.staging_dir=local"});
    all.insert(all.end(), words.begin() + 1, words.end());
    return Program{folder, all};
  }
  [[nodiscard]] Ended run(const Words& words, const std::string& format) const { return start(words, format).end(); }
};

/// The lines of stdout, each of which must be one document.
std::vector<json::object> documents(const Ended& ended) {
  std::vector<json::object> made;
  BOOST_TEST(ended.out.ends_with('\n'), ended.out);
  for (std::size_t begin = 0; begin < ended.out.size();) {
    const auto end = std::min(ended.out.find('\n', begin), ended.out.size());
    boost::system::error_code fault;
    const auto value = json::parse(ended.out.substr(begin, end - begin), fault);
    BOOST_REQUIRE_MESSAGE(!fault && value.is_object(), ended.out);
    made.push_back(value.as_object());
    const auto* schema = made.back().if_contains("schema");
    BOOST_REQUIRE_MESSAGE(schema != nullptr, ended.out);
    BOOST_TEST(*schema == json::value(1));
    begin = end + 1;
  }
  return made;
}

/// The only document on stdout.
json::object document(const Ended& ended) {
  const auto all = documents(ended);
  BOOST_REQUIRE_MESSAGE(all.size() == 1, ended.out + ended.err);
  return all.front();
}

std::string text(const json::object& document, std::string_view member) {
  const auto* value = document.if_contains(member);
  return value != nullptr && value->is_string() ? std::string{value->as_string()} : std::string{};
}

std::size_t size(const json::object& document, std::string_view member) {
  const auto* value = document.if_contains(member);
  return value != nullptr && value->is_array() ? value->as_array().size() : 0;
}

const std::vector<std::string> formats{"json", "jsonl"};

BOOST_AUTO_TEST_CASE(a_list_is_one_json_document_or_one_line_for_each_application) {
  const World world;
  const auto listed = document(world.run({"list", "--ended", "--all-types"}, "json"));
  BOOST_TEST(size(listed, "applications") == 4U);
  const auto lines = documents(world.run({"list", "--ended", "--all-types"}, "jsonl"));
  BOOST_REQUIRE(lines.size() == 4U);
  BOOST_TEST(text(lines[0], "id") == failed);
  BOOST_TEST(text(lines[0], "diagnostics") == "the disk of \"h1\" is full\n\tat java");
  BOOST_TEST(text(lines[3], "final_status") == "KILLED");
  for (const auto& format : formats) {
    const auto ended = world.run({"list"}, format);
    BOOST_TEST(ended.code == 0);
    BOOST_TEST(ended.out.find(running) != std::string::npos);
    BOOST_TEST(ended.out.find(failed) == std::string::npos);
    BOOST_TEST(ended.err.empty(), ended.err);
  }
}

BOOST_AUTO_TEST_CASE(an_application_is_one_document_with_its_attempts_and_containers) {
  const World world;
  for (const auto& format : formats) {
    const auto ended = world.run({"info", running}, format);
    BOOST_TEST(ended.code == 0);
    const auto shown = document(ended);
    BOOST_TEST(text(shown, "id") == running);
    BOOST_TEST(text(shown, "state") == "RUNNING");
    BOOST_TEST(size(shown, "attempts") == 1U);
    BOOST_TEST(size(shown, "containers") == 2U);
  }
}

BOOST_AUTO_TEST_CASE(the_end_of_an_application_is_one_document_whatever_the_exit_code) {
  const World world;
  for (const auto& format : formats)
    for (const auto& [application, code, status] :
         {std::tuple{failed, 1, "FAILED"}, std::tuple{succeeded, 0, "SUCCEEDED"}, std::tuple{killed, 7, "KILLED"}}) {
      const auto ended = world.run({"wait", application}, format);
      BOOST_TEST(ended.code == code);
      const auto shown = document(ended);
      BOOST_TEST(text(shown, "id") == application);
      BOOST_TEST(text(shown, "final_status") == status);
    }
}

BOOST_AUTO_TEST_CASE(a_cancelled_application_is_one_document) {
  for (const auto& format : formats) {
    const World world;
    const auto ended = world.run({"cancel", running}, format);
    BOOST_TEST(ended.code == 0);
    const auto shown = document(ended);
    BOOST_TEST(text(shown, "state") == "KILLED");
    BOOST_TEST(text(shown, "diagnostics") == "cancelled by user ann with heddle cancel");
  }
}

BOOST_AUTO_TEST_CASE(a_submission_is_one_document_with_the_id) {
  for (const auto& format : formats) {
    const World world;
    const auto ended = world.run({"submit", "--", "true"}, format);
    BOOST_TEST(ended.code == 0, ended.err);
    BOOST_TEST(text(document(ended), "id") == "application_1700000000000_0009");
    BOOST_TEST(world.fake.count_of("submitApplication") == 1);
  }
}

BOOST_AUTO_TEST_CASE(logs_are_one_document_that_names_them_or_one_line_for_each) {
  World world;
  tests::FakeHttpServer node{[](const std::string& target) {
    constexpr std::string_view lists = "/ws/v1/node/containers/";
    if (!target.starts_with(lists)) return HttpAnswer{200, "lines"};
    const auto container = target.substr(lists.size(), target.find("/logs") - lists.size());
    const json::array files{{{"fileName", "stderr"}, {"fileSize", "5"}}, {{"fileName", "stdout"}, {"fileSize", "5"}}};
    const json::object logs{{"containerId", container}, {"containerLogInfo", files}};
    return HttpAnswer{200, json::serialize(json::object{{"containerLogsInfo", logs}})};
  }};
  world.fake.set_node_page(node.address());
  const auto ended = world.run({"logs", running}, "json");
  BOOST_TEST(ended.code == 0, ended.err);
  const auto shown = document(ended);
  BOOST_TEST(text(shown, "id") == running);
  BOOST_REQUIRE(size(shown, "files") == 4U);  // of two containers
  const auto lines = documents(world.run({"logs", running}, "jsonl"));
  BOOST_REQUIRE(lines.size() == 4U);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    BOOST_TEST(text(lines[i], "file") == (i % 2 == 0 ? "stderr" : "stdout"));
    BOOST_TEST(text(lines[i], "container") == text(shown.at("files").as_array().at(i).as_object(), "container"));
  }
}

/// A verb that fails: its exit code, and the kind and a part of the text of its error.
struct Failure {
  Words words;
  int code = 0;
  std::string kind;
  std::string part;
};

void check(const World& world, const std::vector<Failure>& failures) {
  for (const auto& format : formats)
    for (const auto& [words, code, kind, part] : failures)
      BOOST_TEST_CONTEXT(words.front() << ' ' << words.back() << " --format " << format) {
        const auto ended = world.run(words, format);
        BOOST_TEST(ended.code == code);
        const auto shown = document(ended);
        const auto* error = shown.if_contains("error");
        BOOST_REQUIRE_MESSAGE(error != nullptr && error->is_object(), ended.out);
        BOOST_TEST(text(error->as_object(), "kind") == kind);
        BOOST_TEST(text(error->as_object(), "text").find(part) != std::string::npos, ended.out);
        BOOST_TEST(ended.err == "heddle: " + text(error->as_object(), "text") + "\n");
      }
}

BOOST_AUTO_TEST_CASE(a_verb_about_an_unknown_application_prints_one_document) {
  const World world;
  std::vector<Failure> failures;
  for (const auto* verb : {"info", "wait", "cancel", "logs"}) {
    failures.push_back({{verb, unknown}, 3, "not_found", "the nearest one is application_1700000000000_0008"});
    failures.push_back({{verb, "words"}, 2, "usage", "\"words\" is no application id"});
    failures.push_back({{verb}, 2, "usage", "needs the id of an application"});
  }
  failures.push_back({{"list", running}, 2, "usage", "list takes no argument"});
  check(world, failures);
}

BOOST_AUTO_TEST_CASE(a_refused_verb_prints_one_document) {
  World world;
  world.fake.refuse_kills("User ann cannot perform operation MODIFY_APP");
  world.fake.refuse_submissions("unknown queue: root.nosuch");
  check(world, {{{"cancel", failed}, 4, "refused", "has ended already, with status FAILED"},
                {{"cancel", running}, 4, "refused", "User ann cannot perform operation MODIFY_APP"},
                {{"logs", failed}, 3, "not_found", "has no logs of application_1700000000000_0003"},
                {{"logs", "--container", "c1", running}, 2, "usage", "\"c1\" is no container id"},
                {{"submit", "nowhere.toml"}, 3, "not_found", "nowhere.toml"},
                {{"submit", "--", "true"}, 4, "refused", "unknown queue: root.nosuch"}});
}

BOOST_AUTO_TEST_CASE(a_verb_without_a_resource_manager_prints_one_document) {
  const World world;
  const work::ScratchFolder gone;
  gone.write("yarn-site.xml",
             "<configuration><property><name>yarn.resourcemanager.address</name><value>127.0.0.1:1</value></property>"
             "<property><name>yarn.resourcemanager.scheduler.address</name><value>127.0.0.1:1</value></property>"
             "</configuration>");
  ::setenv("HADOOP_CONF_DIR", gone.path().c_str(), 1);
  std::vector<Failure> failures{{{"list"}, 5, "unreachable", "127.0.0.1:1"},
                                {{"submit", "--", "true"}, 5, "unreachable", "127.0.0.1:1"}};
  for (const auto* verb : {"info", "wait", "cancel", "logs"})
    failures.push_back({{verb, running}, 5, "unreachable", "127.0.0.1:1"});
  check(world, failures);
}

template <class Condition>
void wait_until(const Condition& condition) {
  const auto deadline = std::chrono::steady_clock::now() + 30s;
  while (!condition()) {
    BOOST_REQUIRE(std::chrono::steady_clock::now() < deadline);
    std::this_thread::yield();
  }
}

BOOST_AUTO_TEST_CASE(an_interrupted_verb_prints_one_document) {
  for (const auto& format : formats)
    for (const auto& [words, call] : {std::pair{Words{"wait", running}, "getApplicationReport"},
                                      std::pair{Words{"submit", "--", "true"}, "submitApplication"}})
      BOOST_TEST_CONTEXT(words.front() << " --format " << format) {
        World world;
        world.fake.set_submitted_state(interop::proto::APPLICATION_SUBMITTED);  // never accepted
        auto program = world.start(words, format);
        wait_until([&, call = call] { return world.fake.count_of(call) > 0; });
        program.interrupt();
        const auto ended = program.end();
        BOOST_TEST(ended.code == 7);
        const auto shown = document(ended);
        const auto* error = shown.if_contains("error");
        BOOST_REQUIRE_MESSAGE(error != nullptr && error->is_object(), ended.out);
        BOOST_TEST(text(error->as_object(), "kind") == "cancelled");
      }
}

}  // namespace
}  // namespace application_documents_test
}  // namespace heddle::apps
