// Goal: verbs about applications print what is asked for, and end with the right code. Method: the verbs against a fake
// ResourceManager; their standard streams go to files.
#include "apps/commands/application_verbs.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>
#include <cstdio>

#include "tests/support/fake_applications.hpp"

namespace heddle::apps {
namespace application_verbs_test {
namespace {

using tests::FakeApplications;

/// A file instead of a standard stream, until the end of the scope.
class Redirection {
public:
  Redirection(std::FILE* stream, const std::string& path) : stream_{stream} {
    std::fflush(stream_);
    kept_ = ::dup(::fileno(stream_));
    const int file = ::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    ::dup2(file, ::fileno(stream_));
    ::close(file);
  }
  ~Redirection() {
    std::fflush(stream_);
    ::dup2(kept_, ::fileno(stream_));
    ::close(kept_);
  }
  Redirection(const Redirection&) = delete;
  Redirection& operator=(const Redirection&) = delete;

private:
  std::FILE* stream_;
  int kept_;
};

struct Outcome {
  int code = 0;
  Errc error{};  // of a verb that failed; its text is in err
  std::string out;
  std::string err;
};

struct World {
  FakeApplications fake;
  work::ScratchFolder folder;

  World() {
    fake.add({{1700000000000, 3},
              "words",
              "HEDDLE",
              interop::proto::APPLICATION_FINISHED,
              interop::proto::FINAL_FAILED,
              "the disk is full"});
    fake.add(
        {{1700000000000, 5}, "sort", "SPARK", interop::proto::APPLICATION_FINISHED, interop::proto::FINAL_SUCCEEDED});
    fake.add(
        {{1700000000000, 7}, "words", "HEDDLE", interop::proto::APPLICATION_RUNNING, interop::proto::FINAL_UNDEFINED});
    fake.add({{1700000000000, 8}, "old", "HEDDLE", interop::proto::APPLICATION_KILLED, interop::proto::FINAL_KILLED});
  }
  [[nodiscard]] Outcome run(ApplicationVerb verb, const std::string& application = {},
                            Format format = Format::table) const {
    ApplicationOptions options;
    options.verb = verb;
    options.application = application;
    options.with_ended = options.with_all_types = verb == ApplicationVerb::list;
    options.job.master = *config::parse_master("yarn", 1);
    options.job.format = format;
    options.job.assignments = {"heddle.yarn.connect_wait=100ms", "heddle.yarn.report_interval=10ms"};
    Outcome made;
    {
      const Redirection out{stdout, folder.file("out")};
      const Redirection err{stderr, folder.file("err")};
      const auto code = application_verb(options);
      if (code) made.code = *code;
      else made.error = code.error().code;
      if (!code) std::fputs(code.error().text.c_str(), stderr);
    }
    made.out = folder.read("out");
    made.err = folder.read("err");
    return made;
  }
};

BOOST_AUTO_TEST_CASE(a_list_is_a_table_on_stdout) {
  const World world;
  const auto listed = world.run(ApplicationVerb::list);
  BOOST_TEST(listed.code == 0);
  BOOST_TEST(listed.out ==
             "ID                              NAME   TYPE    USER  QUEUE     STATE     PROGRESS  STATUS\n"
             "application_1700000000000_0003  words  HEDDLE  ann   root.etl  FINISHED  100 %     FAILED\n"
             "application_1700000000000_0005  sort   SPARK   ann   root.etl  FINISHED  100 %     SUCCEEDED\n"
             "application_1700000000000_0007  words  HEDDLE  ann   root.etl  RUNNING   25 %\n"
             "application_1700000000000_0008  old    HEDDLE  ann   root.etl  KILLED    100 %     KILLED\n");
}

BOOST_AUTO_TEST_CASE(details_name_the_logs_of_containers) {
  const World world;
  const auto shown = world.run(ApplicationVerb::info, "application_1700000000000_0007");
  BOOST_TEST(shown.code == 0);
  for (const auto* part :
       {"name          words\n", "state         RUNNING, 25 %\n", "submitted     2023-11-14T22:13:21.000Z\n",
        "attempt 1     RUNNING, master container_1700000000000_0007_01_000001\n",
        "container     container_1700000000000_0007_01_000002 on h2, RUNNING\n",
        "http://h2:8042/node/containerlogs/container_1700000000000_0007_01_000002/ann\n"})
    BOOST_TEST(shown.out.find(part) != std::string::npos, part);
  const auto unknown = world.run(ApplicationVerb::info, "application_1700000000000_0009");
  BOOST_TEST((unknown.error == Errc::not_found));
  BOOST_TEST(unknown.err.find("the nearest one is application_1700000000000_0008") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_wait_ends_with_the_code_of_the_application) {
  const World world;
  const auto failed = world.run(ApplicationVerb::wait, "application_1700000000000_0003");
  BOOST_TEST(failed.code == 1);
  BOOST_TEST(failed.err == "heddle: application_1700000000000_0003 failed after 2.5 s: the disk is full\n");
  BOOST_TEST(world.run(ApplicationVerb::wait, "application_1700000000000_0005").code == 0);
  BOOST_TEST(world.run(ApplicationVerb::wait, "application_1700000000000_0008").code == 7);
}

BOOST_AUTO_TEST_CASE(a_cancelled_application_is_reported_when_it_has_ended) {
  const World world;
  const auto cancelled = world.run(ApplicationVerb::cancel, "application_1700000000000_0007");
  BOOST_TEST(cancelled.code == 0);
  BOOST_TEST(
      cancelled.err ==
      "heddle: application_1700000000000_0007 was killed after 2.5 s: cancelled by user ann with heddle cancel\n");
  BOOST_TEST((world.run(ApplicationVerb::cancel, "application_1700000000000_0003").error == Errc::refused));
}

}  // namespace
}  // namespace application_verbs_test
}  // namespace heddle::apps
