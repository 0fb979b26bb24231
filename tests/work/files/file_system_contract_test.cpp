// Goal: local files keep the contract of the file system port.
#include "tests/support/file_system_contract.hpp"

#include "tests/support/scratch_folder.hpp"
#include "work/files/local_file_system.hpp"

namespace heddle::work::file_system_contract_test {

BOOST_AUTO_TEST_CASE(local_files_keep_the_contract_of_file_systems) {
  const ScratchFolder scratch;
  LocalFileSystem files;
  int number = 0;
  file_system_contract::check_file_system_contract(files, [&] {
    auto folder = scratch.file(std::to_string(number++));
    BOOST_REQUIRE(files.make_directory(folder));
    return folder;
  });
}

}  // namespace heddle::work::file_system_contract_test
