// Goal: the jobs and the files that they ship get through a staging folder, and a folder that cannot be used is named.
// Method: folders of the local file system.
#include "apps/job_files/staging_folder.hpp"

#include <sys/stat.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/support/scratch_folder.hpp"
#include "work/files/local_file_system.hpp"

namespace heddle::apps {
namespace staging_folder_test {
namespace {

SubmitJob job(const std::string& name, const std::vector<std::string>& files) {
  SubmitJob made;
  made.package.graph.name = name;
  auto& stage = made.package.graph.stages.emplace_back();
  CommandBody command;
  command.arguments = {"./map"};
  command.files = files;
  stage.bodies.emplace_back(command);
  return made;
}

const std::vector<std::string>& shipped(const JobPackage& package) {
  return std::get<CommandBody>(package.graph.stages.front().bodies.front()).files;
}

std::string content_of(const std::string& path) {
  std::ifstream file{path};
  return {std::istreambuf_iterator<char>{file}, {}};
}

struct World {
  work::ScratchFolder place;
  work::LocalFileSystem files;
  std::string folder = place.path() + "/.heddle/applications/application_1_0001";
};

BOOST_AUTO_TEST_CASE(jobs_are_read_in_their_order) {
  World world;
  std::vector<SubmitJob> jobs;
  for (int number = 0; number < 11; ++number) jobs.push_back(job("job" + std::to_string(number), {}));
  BOOST_REQUIRE(write_staging_folder(world.files, world.folder, jobs).has_value());
  const auto read = read_staged_jobs(world.files, world.folder);
  BOOST_REQUIRE(read.has_value());
  BOOST_TEST_REQUIRE(read->size() == 11U);
  for (std::size_t number = 0; number < 11; ++number)
    BOOST_TEST(read->at(number).graph.name == "job" + std::to_string(number));
}

BOOST_AUTO_TEST_CASE(a_shipped_file_is_copied_once_and_keeps_its_name) {
  World world;
  const auto script = world.place.write("map", "#!/bin/sh\n");
  const auto other = world.place.path() + "/other/map";
  std::filesystem::create_directories(world.place.path() + "/other/deep");
  std::ofstream{other} << "other";
  std::ofstream{world.place.path() + "/other/deep/leaf"} << "leaf";
  std::vector<SubmitJob> jobs{job("a", {script, world.place.path() + "/other"}),
                              job("b", {script, "hdfs://n:1/x/map"})};
  BOOST_REQUIRE(write_staging_folder(world.files, world.folder, jobs).has_value());
  const auto read = *read_staged_jobs(world.files, world.folder);
  const auto& of_first = shipped(read[0]);
  BOOST_TEST(of_first[0] == world.folder + "/files/1/map");
  BOOST_TEST(content_of(of_first[0]) == "#!/bin/sh\n");
  BOOST_TEST(of_first[1] == world.folder + "/files/2/other");
  BOOST_TEST(content_of(of_first[1] + "/map") == "other");
  BOOST_TEST(content_of(of_first[1] + "/deep/leaf") == "leaf");
  BOOST_TEST(shipped(read[1])[0] == of_first[0]);
  BOOST_TEST(shipped(read[1])[1] == "hdfs://n:1/x/map");
  BOOST_TEST(shipped(jobs[0].package)[0] == of_first[0]);
  struct stat about {};
  BOOST_REQUIRE(::stat(of_first[0].c_str(), &about) == 0);
  BOOST_TEST((about.st_mode & S_IXUSR) != 0U);
}

BOOST_AUTO_TEST_CASE(only_the_user_can_read_the_jobs) {
  World world;
  BOOST_REQUIRE(make_own_folder(world.files, world.place.path() + "/.heddle").has_value());
  std::vector<SubmitJob> jobs{job("a", {})};
  BOOST_REQUIRE(write_staging_folder(world.files, world.folder, jobs).has_value());
  for (const auto& path : {world.folder, world.place.path() + "/.heddle"}) {
    struct stat about {};
    BOOST_REQUIRE(::stat(path.c_str(), &about) == 0);
    BOOST_TEST((about.st_mode & 0777U) == 0700U);
  }
}

BOOST_AUTO_TEST_CASE(a_missing_file_and_a_damaged_job_are_named) {
  World world;
  std::vector<SubmitJob> missing{job("a", {world.place.path() + "/nothing"})};
  const auto refused = write_staging_folder(world.files, world.folder, missing);
  BOOST_REQUIRE(!refused.has_value());
  BOOST_TEST(refused.error().text.find("cannot ship " + world.place.path() + "/nothing") == 0U, refused.error().text);
  BOOST_TEST((read_staged_jobs(world.files, world.folder).error().code == Errc::not_found));
  std::ofstream{world.folder + "/job-1.package"} << "cut";
  const auto damaged = read_staged_jobs(world.files, world.folder);
  BOOST_REQUIRE(!damaged.has_value());
  BOOST_TEST((damaged.error().code == Errc::corrupt));
  BOOST_TEST(damaged.error().text.find("/job-1.package") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_folder_is_removed_and_the_one_above_it_when_it_is_empty) {
  World world;
  const auto other = world.place.path() + "/.heddle/applications/application_1_0002";
  std::vector<SubmitJob> jobs{job("a", {})};
  for (const auto& folder : {world.folder, other})
    BOOST_REQUIRE(write_staging_folder(world.files, folder, jobs).has_value());
  BOOST_TEST(remove_staging_folder(world.files, world.folder).has_value());
  BOOST_TEST(!std::filesystem::exists(world.folder));
  BOOST_TEST(std::filesystem::exists(other));
  BOOST_TEST(remove_staging_folder(world.files, other).has_value());
  BOOST_TEST(!std::filesystem::exists(world.place.path() + "/.heddle/applications"));
  BOOST_TEST(remove_staging_folder(world.files, other).has_value());  // by another process
}

}  // namespace
}  // namespace staging_folder_test
}  // namespace heddle::apps
