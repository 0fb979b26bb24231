// Goal: shipped files of other file systems become local files, fetched once.
// Method: a remote file system that keeps its files in a scratch folder.
#include "work/output/shipped_files.hpp"

#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <set>
#include <thread>
#include <vector>

#include "tests/support/remote_files.hpp"
#include "tests/support/scratch_folder.hpp"
#include "work/output/attempt_folder.hpp"

namespace heddle::work::shipped_files_test {
namespace {

BOOST_AUTO_TEST_CASE(a_local_file_is_used_where_it_is) {
  const ScratchFolder scratch;
  ShippedFiles shipped{local_files(), scratch.file("copies")};
  BOOST_TEST(*shipped.local_path("/no/such/file") == "/no/such/file");
  BOOST_TEST(!*local_files().is_present(scratch.file("copies")));
}

BOOST_AUTO_TEST_CASE(a_remote_program_is_fetched_once_and_can_be_executed) {
  const ScratchFolder scratch;
  scratch.write("remote/map.sh", "#!/bin/sh\n");
  const auto files = with_remote_files("n:8020", scratch.file("remote"));
  ShippedFiles shipped{files, scratch.file("copies")};
  std::vector<std::string> found(8);
  std::vector<std::thread> threads;
  for (auto& each : found)
    threads.emplace_back([&shipped, &each] { each = *shipped.local_path("hdfs://n:8020/map.sh"); });
  for (auto& thread : threads) thread.join();
  BOOST_TEST((std::set<std::string>(found.begin(), found.end()).size() == 1U));
  BOOST_TEST(*local_files().read_all(found.front()) == "#!/bin/sh\n");
  BOOST_TEST(::access(found.front().c_str(), X_OK) == 0);
  BOOST_REQUIRE(local_files().remove_all(scratch.file("remote/map.sh"), scratch.path()));
  BOOST_TEST(*shipped.local_path("hdfs://n:8020/map.sh") == found.front());
}

BOOST_AUTO_TEST_CASE(files_of_equal_names_and_folders_are_kept_apart) {
  const ScratchFolder scratch;
  scratch.write("remote/a/words", "a");
  scratch.write("remote/b/words", "b");
  const auto files = with_remote_files("n:8020", scratch.file("remote"));
  ShippedFiles shipped{files, scratch.file("copies")};
  BOOST_TEST(*local_files().read_all(*shipped.local_path("hdfs://n:8020/a/words")) == "a");
  BOOST_TEST(*local_files().read_all(*shipped.local_path("hdfs://n:8020/b/words")) == "b");
  BOOST_TEST(*local_files().read_all(*shipped.local_path("hdfs://n:8020/a") + "/words") == "a");
}

BOOST_AUTO_TEST_CASE(a_failed_fetch_names_the_file_and_is_tried_again) {
  const ScratchFolder scratch;
  scratch.write("remote/other", "");
  const auto files = with_remote_files("n:8020", scratch.file("remote"));
  ShippedFiles shipped{files, scratch.file("copies")};
  const auto failed = shipped.local_path("hdfs://n:8020/late");
  BOOST_REQUIRE(!failed);
  BOOST_TEST((failed.error().code == Errc::not_found));
  BOOST_TEST(failed.error().text.starts_with("cannot fetch the shipped file hdfs://n:8020/late: "));
  scratch.write("remote/late", "text");
  BOOST_TEST(*local_files().read_all(*shipped.local_path("hdfs://n:8020/late")) == "text");
}

BOOST_AUTO_TEST_CASE(a_file_that_is_fetched_late_does_not_replace_another_of_its_name) {
  const ScratchFolder scratch;
  scratch.write("remote/b/words", "b");
  const auto files = with_remote_files("n:8020", scratch.file("remote"));
  ShippedFiles shipped{files, scratch.file("copies")};
  BOOST_TEST(!shipped.local_path("hdfs://n:8020/a/words"));
  const auto first = *shipped.local_path("hdfs://n:8020/b/words");
  scratch.write("remote/a/words", "a");
  const auto second = *shipped.local_path("hdfs://n:8020/a/words");
  BOOST_TEST(*local_files().read_all(first) == "b");
  BOOST_TEST(*local_files().read_all(second) == "a");
}

BOOST_AUTO_TEST_CASE(a_task_finds_a_remote_file_by_its_name) {
  const ScratchFolder scratch;
  scratch.write("remote/dir/words", "text");
  const auto files = with_remote_files("n:8020", scratch.file("remote"));
  ShippedFiles shipped{files, scratch.file("copies")};
  StageProgram work;
  CommandBody body;
  body.files = {"hdfs://n:8020/dir/words"};
  work.bodies = {body};
  AttemptFolder folder;
  BOOST_REQUIRE(folder.make(scratch.file("attempt"), work, shipped));
  BOOST_TEST(scratch.read("attempt/words") == "text");
}

}  // namespace
}  // namespace heddle::work::shipped_files_test
