// Goal: an unmanaged master gets its credentials in a file of its user, a failure is reported once, and nothing of it
// is left. Method: scripts as the program of the role.
#include "apps/roles/unmanaged_master.hpp"

#include <signal.h>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <filesystem>
#include <future>
#include <optional>

#include "tests/support/scratch_folder.hpp"

namespace heddle::apps {
namespace unmanaged_master_test {
namespace {

using namespace std::chrono_literals;

struct World {
  work::ScratchFolder folder;
  std::promise<std::string> failure;
  std::future<std::string> reported = failure.get_future();
  std::optional<UnmanagedMaster> master;

  void start(const std::string& script, const std::string& place) {
    const auto program = folder.write("program", "#!/bin/sh\n" + script);
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    master.emplace(program, place, "ann", [this](const std::string& text) { failure.set_value(text); });
    LaunchSpec spec;
    spec.role = ApplicationMasterLaunch{};
    master->start(spec, {{{"", {"who", "proof", "YARN_AM_RM_TOKEN", ""}}}, {}});
  }
  [[nodiscard]] std::string text() {
    BOOST_REQUIRE((reported.wait_for(30s) == std::future_status::ready));
    return reported.get();
  }
};

BOOST_AUTO_TEST_CASE(the_process_gets_the_user_and_a_token_file_that_nobody_else_reads) {
  World world;
  world.start("echo $USER $HADOOP_USER_NAME $1 $2; stat -c %a $HADOOP_TOKEN_FILE_LOCATION; exit 3",
              world.folder.path());
  BOOST_TEST(world.text() == "the ApplicationMaster ended with exit code 3 (log: " +
                                 world.folder.file("application_master.stderr") + ")");
  world.master.reset();
  BOOST_TEST(world.folder.read("application_master.stdout") == "ann ann heddle-role application-master\n600\n");
  BOOST_TEST(!std::filesystem::exists(world.folder.file("application_master.tokens")));
}

BOOST_AUTO_TEST_CASE(a_killed_process_is_reported_with_its_signal) {
  World world;
  world.start("kill -9 $$", world.folder.path());
  BOOST_TEST(world.text().find("the ApplicationMaster was killed by signal 9 (log: ") == 0U);
}

BOOST_AUTO_TEST_CASE(a_master_that_cannot_get_its_credentials_is_not_started) {
  World world;
  world.start("exit 0", world.folder.file("none"));
  const auto text = world.text();
  BOOST_TEST(text.find("the ApplicationMaster was not started: cannot create '") == 0U, text);
}

BOOST_AUTO_TEST_CASE(a_process_that_does_not_end_with_its_session_is_killed_without_a_report) {
  World world;
  world.start("echo $$ > " + world.folder.file("pid") + "; exec sleep 1000", world.folder.path());
  world.master.reset();
  const auto process = std::stoi(world.folder.read("pid"));
  BOOST_TEST(::kill(process, 0) == -1);
  BOOST_TEST((world.reported.wait_for(0s) == std::future_status::timeout));
  BOOST_TEST(!std::filesystem::exists(world.folder.file("application_master.tokens")));
}

}  // namespace
}  // namespace unmanaged_master_test
}  // namespace heddle::apps
