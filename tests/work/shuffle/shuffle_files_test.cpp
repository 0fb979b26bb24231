// Goal: only the files of ended shuffles are removed.
// Method: folders created by the test.
#include "work/shuffle/shuffle_files.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <set>

#include "tests/support/scratch_folder.hpp"

namespace heddle::work {
namespace shuffle_files_test {

BOOST_AUTO_TEST_CASE(files_of_ended_shuffles_are_removed_and_no_others) {
  const ScratchFolder folder;
  for (const char* name :
       {"shuffle-99", "shuffle-100", "shuffle-101", "shuffle-102", "shuffle-103", "shuffle-x", "logs"}) {
    std::filesystem::create_directory(folder.file(name));
    folder.write(std::string{name} + "/0.index", "bytes");
  }
  remove_shuffles(folder.path(), 100, ShuffleId{3}, {ShuffleId{1}});
  std::set<std::string> left;
  for (const auto& each : std::filesystem::directory_iterator{folder.path()})
    left.insert(each.path().filename().string());
  BOOST_TEST((left == std::set<std::string>{"shuffle-99", "shuffle-101", "shuffle-103", "shuffle-x", "logs"}));
  remove_shuffles(folder.file("not-there"), 0, ShuffleId{3}, {});
}

}  // namespace shuffle_files_test
}  // namespace heddle::work
