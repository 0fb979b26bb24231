// Goal: an attempt finds its shipped files by their names, and its folder goes with it.
// Method: a real folder.
#include "work/output/attempt_folder.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "tests/support/scratch_folder.hpp"

namespace attempt_folder_test {

namespace {

using namespace heddle;
using namespace heddle::work;

BOOST_AUTO_TEST_CASE(shipped_files_are_linked_in_once_and_the_folder_is_gone_in_the_end) {
  const ScratchFolder scratch;
  StageWork work;
  BOOST_TEST(!ships_files(work));
  CommandBody body;
  body.files = {scratch.file("words.txt")};
  work.bodies = {body, IdentityBody{}, body};
  BOOST_TEST(ships_files(work));
  const auto path = scratch.file("attempt");
  {
    AttemptFolder folder;
    BOOST_TEST(folder.path().empty());
    BOOST_REQUIRE(folder.make(path, work).has_value());
    BOOST_TEST(folder.path() == path);
    BOOST_TEST(std::filesystem::read_symlink(path + "/words.txt") == scratch.file("words.txt"));
  }
  BOOST_TEST(!std::filesystem::exists(path));
  BOOST_TEST(std::filesystem::exists(scratch.path()));
}

}  // namespace

}  // namespace attempt_folder_test
