// Goal: the output of an attempt is kept up to the limit, and there is no file without output.
// Method: small limits; reads the file back.
#include "work/tasks/log_output.hpp"

#include <sys/stat.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "tests/support/scratch_folder.hpp"

namespace log_output_test {

namespace {

using namespace heddle;
using namespace heddle::work;

constexpr const char* name = "1.0/0.0.stdout";

BOOST_AUTO_TEST_CASE(an_attempt_without_output_has_no_file) {
  const ScratchFolder folder;
  LogOutput output{folder.file(name), 10};
  BOOST_TEST(output.add_text("").has_value());
  BOOST_TEST(output.finish().has_value());
  BOOST_TEST(!std::filesystem::exists(folder.file("1.0")));
}

BOOST_AUTO_TEST_CASE(a_log_and_its_folders_are_private_but_not_the_folder_of_all_applications) {
  const ScratchFolder scratch;
  LogOutput output{scratch.file("logs/application/1.0/0.0.stdout"), 10};
  const auto umask_before = ::umask(022);
  BOOST_TEST(output.add_line("four").has_value());
  ::umask(umask_before);
  const auto permissions_of = [&scratch](const std::string& path) {
    return static_cast<unsigned>(std::filesystem::status(scratch.file(path)).permissions());
  };
  BOOST_TEST(permissions_of("logs") == 0755U);
  BOOST_TEST(permissions_of("logs/application") == 0700U);
  BOOST_TEST(permissions_of("logs/application/1.0") == 0700U);
  BOOST_TEST(permissions_of("logs/application/1.0/0.0.stdout") == 0600U);
}

BOOST_AUTO_TEST_CASE(a_log_in_the_folder_of_a_container_is_readable_by_its_group) {
  const ScratchFolder folder;
  LogOutput output{folder.file("task-0.0-1.0.stderr"), 10, LogPlace::container_folder};
  const auto umask_before = ::umask(027);
  BOOST_TEST(output.add_line("four").has_value());
  ::umask(umask_before);
  const auto status = std::filesystem::status(folder.file("task-0.0-1.0.stderr"));
  BOOST_TEST(static_cast<unsigned>(status.permissions()) == 0640U);
  LogOutput lost{folder.file("no-folder/task-0.0-1.0.stderr"), 10, LogPlace::container_folder};
  BOOST_TEST(!lost.add_line("four").has_value());
}

BOOST_AUTO_TEST_CASE(output_up_to_the_limit_is_kept_with_one_notice) {
  const ScratchFolder folder;
  LogOutput output{folder.file(name), 10};
  BOOST_TEST(output.add_line("four").has_value());
  BOOST_TEST(output.add_pair("k", "v").has_value());
  BOOST_TEST(folder.read(name) == "four\nk\tv\n");
  BOOST_TEST(output.add_text("all that is too much").has_value());
  BOOST_TEST(output.add_text("and more").has_value());
  BOOST_TEST(folder.read(name) ==
             "four\nk\tv\na\n[heddle: the output reached its size limit; later output is dropped]\n");
}

}  // namespace

}  // namespace log_output_test
