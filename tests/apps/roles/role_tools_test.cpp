// Goal: each application attempt has an event log of its own.
// Method: the logs of two attempts in one folder.
#include "apps/roles/role_tools.hpp"

#include <sys/stat.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "tests/support/scratch_folder.hpp"

namespace heddle::apps {
namespace role_tools_test {
namespace {

BOOST_AUTO_TEST_CASE(the_second_attempt_of_a_master_keeps_the_log_of_the_first) {
  const work::ScratchFolder folder;
  LaunchSpec spec;
  spec.log_directory = folder.path();
  const config::Settings settings;
  for (const std::int32_t attempt : {1, 2}) {
    const auto events = role_events(spec, settings, attempt_log_name("application_master", attempt));
    events->write(Instant{}, "test", ports::EventFields{}.add("attempt", attempt));
  }
  const auto first = folder.read("application_master.jsonl");
  const auto second = folder.read("application_master.attempt-2.jsonl");
  BOOST_TEST(first.find(R"("event":"test","attempt":1})") != std::string::npos, first);
  BOOST_TEST(first.find(R"("attempt":2})") == std::string::npos);
  BOOST_TEST(second.find(R"("event":"test","attempt":2})") != std::string::npos, second);
}

// A NodeManager with the LinuxContainerExecutor reads logs as another user, who shares the group of the files.
BOOST_AUTO_TEST_CASE(the_group_may_read_event_logs_in_containers_of_hadoop_only) {
  struct Row {
    ContainerId container;
    std::string shuffle_address;  // of the NodeManager
    std::filesystem::perms expected;
  };
  using enum std::filesystem::perms;
  const auto own = owner_read | owner_write;
  for (const auto& row :
       {Row{ContainerId{3}, "", own | group_read}, Row{ContainerId{3}, "host:1", own}, Row{{}, "", own}}) {
    const work::ScratchFolder folder;
    LaunchSpec spec;
    spec.log_directory = folder.path();
    spec.container.container = row.container;
    spec.container.shuffle_address = row.shuffle_address;
    const auto before = ::umask(0);
    const auto events = role_events(spec, {}, "events");
    ::umask(before);
    const auto found = std::filesystem::status(folder.path() + "/events.jsonl").permissions();
    BOOST_TEST(static_cast<int>(found) == static_cast<int>(row.expected));
  }
}

BOOST_AUTO_TEST_CASE(the_log_of_a_driver_has_the_number_of_its_attempt_from_the_second_on) {
  BOOST_TEST(driver_log_name(1) == "events");
  BOOST_TEST(driver_log_name(2) == "events.attempt-2");
}

}  // namespace
}  // namespace role_tools_test
}  // namespace heddle::apps
