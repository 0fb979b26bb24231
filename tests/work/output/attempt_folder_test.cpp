// Goal: an attempt finds its shipped files by name, and its folder is removed after it.
// Method: a real folder.
#include "work/output/attempt_folder.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "tests/support/scratch_folder.hpp"
#include "work/files/local_file_system.hpp"

namespace attempt_folder_test {

namespace {

using namespace heddle;
using namespace heddle::work;

BOOST_AUTO_TEST_CASE(shipped_files_are_linked_once_and_the_folder_is_removed) {
  const ScratchFolder scratch;
  StageProgram work;
  BOOST_TEST(!ships_files(work));
  CommandBody body;
  body.files = {scratch.file("words.txt")};
  work.bodies = {body, IdentityBody{}, body};
  BOOST_TEST(ships_files(work));
  const auto path = scratch.file("attempt");
  {
    ShippedFiles shipped{local_files(), scratch.file("shipped")};
    AttemptFolder folder;
    BOOST_TEST(folder.path().empty());
    BOOST_REQUIRE(folder.make(path, work, shipped).has_value());
    BOOST_TEST(folder.path() == path);
    BOOST_TEST(std::filesystem::read_symlink(path + "/words.txt") == scratch.file("words.txt"));
  }
  BOOST_TEST(!std::filesystem::exists(path));
  BOOST_TEST(std::filesystem::exists(scratch.path()));
}

BOOST_AUTO_TEST_CASE(programs_without_execute_permission_are_copied_and_made_executable) {
  namespace fs = std::filesystem;
  const ScratchFolder scratch;
  scratch.write("script.sh", "#!/bin/sh\n");
  scratch.write("named", "exit 0\n");
  scratch.write("dictionary", "many words\n");
  StageProgram work;
  CommandBody body;
  body.arguments = {"./named"};
  body.files = {scratch.file("script.sh"), scratch.file("named"), scratch.file("dictionary")};
  work.bodies = {body};
  const auto path = scratch.file("attempt");
  ShippedFiles shipped{local_files(), scratch.file("shipped")};
  AttemptFolder folder;
  BOOST_REQUIRE(folder.make(path, work, shipped).has_value());
  const auto is_executable = [](const std::string& file) {
    return (fs::status(file).permissions() & fs::perms::owner_exec) != fs::perms::none;
  };
  for (const auto* name : {"script.sh", "named"}) {
    BOOST_TEST(is_executable(path + "/" + name), name);
    BOOST_TEST(!is_executable(scratch.file(name)), name);
  }
  BOOST_TEST(fs::is_symlink(path + "/dictionary"));
}

}  // namespace

}  // namespace attempt_folder_test
