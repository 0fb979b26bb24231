// Goal: a folder that cannot be read is an error, not an empty folder.
// Method: replaces readdir by a function that fails on demand.
#include "work/files/local_file_system.hpp"

#include <dirent.h>
#include <dlfcn.h>

#include <boost/test/unit_test.hpp>
#include <cerrno>

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

}  // namespace local_file_system_test
}  // namespace heddle::work
