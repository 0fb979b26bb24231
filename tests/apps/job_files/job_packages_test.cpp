// Goal: a package that was saved is loaded again, and every other file is refused with its path. Method: files in a
// scratch folder.
#include "apps/job_files/job_packages.hpp"

#include <sys/stat.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>

#include "messages/job_package_file.hpp"
#include "tests/support/scratch_folder.hpp"

namespace heddle::apps {
namespace job_packages_test {
namespace {

JobPackage package() {
  JobPackage made;
  made.graph.name = "words";
  made.graph.stages.resize(1);
  made.graph.stages[0].inputs.resize(1);
  made.splits = {{{{0, {"/in/a", 0, 10, {"host"}}}}}};
  return made;
}

BOOST_AUTO_TEST_CASE(a_saved_package_is_loaded_again) {
  const work::ScratchFolder folder;
  const auto path = folder.file("job");
  BOOST_REQUIRE(save_job_package(path, package()).has_value());
  const auto loaded = load_job_package(path);
  BOOST_REQUIRE(loaded.has_value());
  BOOST_TEST(*write_job_package(*loaded) == *write_job_package(package()));
  BOOST_REQUIRE(save_job_package(path, JobPackage{}).has_value());  // replaces the file
  BOOST_TEST(load_job_package(path)->graph.stages.empty());
  BOOST_TEST(std::distance(std::filesystem::directory_iterator{folder.path()}, {}) == 1);
}

BOOST_AUTO_TEST_CASE(a_torn_a_foreign_and_an_older_file_are_refused_with_path_and_reason) {
  const work::ScratchFolder folder;
  const auto whole = *write_job_package(package());
  auto older = whole;
  older[4] = 0;
  struct Row {
    std::string content;
    std::string reason;
  };
  const Row rows[] = {{whole.substr(0, whole.size() - 1), "is damaged: the checksum"},
                      {whole.substr(0, 5), "has no valid header"},
                      {"", "has no valid header"},
                      {"[[stage]]\nname = \"split\"\n", "has no valid header"},
                      {older, "has version 0, this program reads version "}};
  for (const auto& [content, reason] : rows) {
    const auto path = folder.write("job", content);
    const auto loaded = load_job_package(path);
    BOOST_REQUIRE(!loaded.has_value());
    BOOST_TEST((loaded.error().code == Errc::corrupt));
    BOOST_TEST(loaded.error().text.starts_with("cannot use '" + path + "': the job package " + reason));
  }
}

BOOST_AUTO_TEST_CASE(what_is_no_file_is_refused_with_its_path) {
  const work::ScratchFolder folder;
  const auto pipe = folder.file("pipe");
  BOOST_REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  for (const auto& path : {folder.file("nowhere"), folder.path(), pipe, std::string{"/dev/zero"}, std::string{"job"}}) {
    const auto loaded = load_job_package(path);
    BOOST_REQUIRE(!loaded.has_value());
    BOOST_TEST(loaded.error().text.find(path) != std::string::npos);
  }
  BOOST_TEST((load_job_package(folder.file("nowhere")).error().code == Errc::not_found));
}

BOOST_AUTO_TEST_CASE(a_file_beyond_the_maximum_is_refused_unread) {
  const work::ScratchFolder folder;
  const auto path = folder.write("job", "HDJP");
  std::filesystem::resize_file(path, job_package_bytes_max + 1);  // sparse: needs no disk
  BOOST_TEST(load_job_package(path).error().text ==
             "cannot use '" + path + "': it has 1073741825 bytes, a job package has at most 1073741824");
}

BOOST_AUTO_TEST_CASE(a_package_that_cannot_be_written_leaves_nothing) {
  const work::ScratchFolder folder;
  BOOST_TEST(!save_job_package(folder.file("nowhere/job"), package()).has_value());
  BOOST_TEST(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace job_packages_test
}  // namespace heddle::apps
