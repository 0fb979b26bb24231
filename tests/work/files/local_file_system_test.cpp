// Goal: a folder that cannot be read is an error, not an empty folder; many paths are synced, trees are removed.
// Method: replaces readdir by a function that fails on demand.
#include "work/files/local_file_system.hpp"

#include <dirent.h>
#include <dlfcn.h>

#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <string>
#include <vector>

#include "tests/support/scratch_folder.hpp"

namespace {

thread_local int fault_of_readdir = 0;

}  // namespace

/// Replaces the function of the C library in this program.
extern "C" dirent* readdir(DIR* folder) {
  static const auto real = reinterpret_cast<dirent* (*)(DIR*)>(::dlsym(RTLD_NEXT, "readdir"));
  if (fault_of_readdir == 0) return real(folder);
  errno = fault_of_readdir;
  return nullptr;
}

namespace heddle::work {
namespace local_file_system_test {

BOOST_AUTO_TEST_CASE(a_read_error_in_a_folder_listing_is_an_error) {
  const ScratchFolder folder;
  folder.write("input/a", "text");
  LocalFileSystem files;
  BOOST_TEST(files.list(folder.file("input"))->size() == 1U);
  fault_of_readdir = EIO;
  const auto listed = files.list(folder.file("input"));
  const auto removed = files.remove_all(folder.file("input"), folder.path());
  fault_of_readdir = 0;
  BOOST_REQUIRE(!listed);
  BOOST_TEST((listed.error().code == Errc::corrupt));
  BOOST_TEST(!removed);
  BOOST_TEST(folder.read("input/a") == "text");
}

BOOST_AUTO_TEST_CASE(many_paths_are_synced_and_the_one_that_is_missing_is_named) {
  const ScratchFolder folder;
  LocalFileSystem files;
  std::vector<std::string> paths;
  for (int i = 0; i < 200; ++i) paths.push_back(folder.write("file" + std::to_string(i), "text"));
  BOOST_TEST(files.sync(paths).has_value());
  paths[150] = folder.file("missing");
  const auto synced = files.sync(paths);
  BOOST_REQUIRE(!synced);
  BOOST_TEST((synced.error().code == Errc::not_found));
  BOOST_TEST(synced.error().text.find("missing") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_folder_is_removed_with_empty_and_full_folders_in_it) {
  const ScratchFolder folder;
  LocalFileSystem files;
  folder.write("tree/full/deeper/file", "text");
  BOOST_REQUIRE(files.make_directories(folder.file("tree/empty")));
  BOOST_REQUIRE(files.make_directories(folder.file("tree/full/empty")));
  BOOST_TEST(files.remove_all(folder.file("tree"), folder.path()).has_value());
  BOOST_TEST(!files.is_present(folder.file("tree")).value());
}

}  // namespace local_file_system_test
}  // namespace heddle::work
