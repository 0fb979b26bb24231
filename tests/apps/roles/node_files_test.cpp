// Goal: files of a removed application are renamed at once and deleted later.
// Method: one folder per test.
#include "apps/roles/node_files.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>

#include "tests/support/scratch_folder.hpp"

namespace heddle::apps {
namespace node_files_test {

BOOST_AUTO_TEST_CASE(a_removed_application_can_be_admitted_again_with_an_empty_folder) {
  const work::ScratchFolder scratch;
  const ApplicationId application{7, 1};
  {
    auto files = NodeFiles::make(scratch.path(), "");
    BOOST_REQUIRE(files.has_value());
    const auto folder = (*files)->admit(application, "token");
    BOOST_REQUIRE(folder.has_value());
    std::ofstream{*folder + "/file"} << "old";
    (*files)->forget(application);
    BOOST_TEST(!std::filesystem::exists(*folder));
    BOOST_TEST((*files)->admit(application, "token").has_value());
    BOOST_TEST(!std::filesystem::exists(*folder + "/file"));
    (*files)->forget(application);
  }
  BOOST_TEST(std::filesystem::is_empty(scratch.path()));
}

BOOST_AUTO_TEST_CASE(only_the_folder_of_an_ended_executor_is_removed) {
  const work::ScratchFolder scratch;
  const ApplicationId application{7, 1};
  {
    auto files = NodeFiles::make(scratch.path(), "");
    BOOST_REQUIRE(files.has_value());
    const auto folder = (*files)->admit(application, "token");
    BOOST_REQUIRE(folder.has_value());
    for (const char* name : {"executor-1", "executor-12", "shuffle"})
      std::filesystem::create_directory(*folder + "/" + name);
    for (const char* executor : {"1", "", "../shuffle", "1/../../shuffle"})
      (*files)->forget_executor(application, executor);
  }  // the destructor waits for the removals
  const auto folder = scratch.path() + "/" + to_string(application);
  BOOST_TEST(!std::filesystem::exists(folder + "/executor-1"));
  BOOST_TEST(std::filesystem::exists(folder + "/executor-12"));
  BOOST_TEST(std::filesystem::exists(folder + "/shuffle"));
}

}  // namespace node_files_test
}  // namespace heddle::apps
