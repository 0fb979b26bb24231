// Goal: the program and its libraries are uploaded once, whole, under names of their contents. Method: a folder of the
// local file system.
#include "apps/session/program_staging.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "tests/support/scratch_folder.hpp"
#include "work/files/local_file_system.hpp"

namespace heddle::apps {
namespace program_staging_test {
namespace {

struct World {
  work::ScratchFolder place;
  work::LocalFileSystem files;
  std::string folder = place.path() + "/staging/.heddle";
  std::vector<work::ProgramFile> program;

  World() {
    for (const auto* name : {"words", "libz.so.1", "libfmt.so.9"}) {
      const auto path = place.path() + "/" + name;
      std::ofstream{path} << name;
      program.push_back({name, path, static_cast<std::int64_t>(std::string_view{name}.size()), 1, "id"});
    }
  }
  /// With the file that names the owner, without those that record uses.
  [[nodiscard]] std::ptrdiff_t staged() const {
    return std::count_if(std::filesystem::directory_iterator{folder}, {},
                         [](const auto& entry) { return entry.path().extension() != ".used"; });
  }
  [[nodiscard]] auto stage() { return stage_program(program, files, folder); }
  [[nodiscard]] std::string name_of_archive() {
    const auto url = stage()->at(1).url;
    return url.substr(url.rfind('/') + 1);
  }
  /// As if the last use of the file was recorded so long ago.
  void age(const std::string& name, std::chrono::hours age) const {
    std::filesystem::last_write_time(folder + "/" + name + ".used",
                                     std::filesystem::file_time_type::clock::now() - age);
  }
};

BOOST_AUTO_TEST_CASE(a_program_is_uploaded_once) {
  World world;
  const auto first = world.stage();
  BOOST_REQUIRE(first.has_value());
  BOOST_TEST(world.staged() == 3);
  BOOST_TEST(first->at(0).name == "heddle");
  BOOST_TEST(first->at(0).url == "file://" + world.folder + "/id-words");
  BOOST_TEST(first->at(0).bytes == 5);
  BOOST_TEST(first->at(0).modified_ms == world.files.status(world.folder + "/id-words")->modified_ms);
  BOOST_TEST(!first->at(0).is_archive);
  BOOST_REQUIRE(first->size() == 2U);
  BOOST_TEST(first->at(1).name == "libraries");
  BOOST_TEST(first->at(1).is_archive);
  BOOST_TEST(first->at(1).url.ends_with("-libraries.tar"));
  BOOST_TEST(first->at(1).bytes == 2048 + 1024);   // a block for each header and content, and two at the end
  std::filesystem::remove(world.program[0].path);  // the second time reads no file
  const auto second = world.stage();
  BOOST_REQUIRE(second.has_value());
  BOOST_TEST(second->at(0).modified_ms == first->at(0).modified_ms);
  BOOST_TEST(world.staged() == 3);
}

BOOST_AUTO_TEST_CASE(programs_with_the_same_libraries_share_an_archive) {
  World world;
  const auto first = world.stage();
  world.program[0].content = "other";
  const auto second = world.stage();
  BOOST_TEST(second->at(1).url == first->at(1).url);
  world.program[2].content = "newer";
  BOOST_TEST(world.stage()->at(1).url != first->at(1).url);
  world.program.resize(1);
  BOOST_TEST(world.stage()->size() == 1U);
}

BOOST_AUTO_TEST_CASE(only_the_staging_folder_itself_is_private) {
  World world;
  BOOST_TEST(world.stage().has_value());
  const auto may_pass = [](const std::string& path) {
    return (std::filesystem::status(path).permissions() & std::filesystem::perms::group_exec) !=
           std::filesystem::perms::none;
  };
  BOOST_TEST(may_pass(world.place.path() + "/staging"));
  BOOST_TEST(!may_pass(world.folder));
}

BOOST_AUTO_TEST_CASE(another_build_gets_a_file_of_its_own) {
  World world;
  BOOST_TEST(world.stage().has_value());
  world.program[0].content = "other";
  BOOST_TEST(world.stage().has_value());
  BOOST_TEST(world.staged() == 4);
}

BOOST_AUTO_TEST_CASE(files_that_no_client_has_used_for_thirty_days_are_removed) {
  World world;
  constexpr std::chrono::hours day{24};
  const auto libraries = world.name_of_archive();
  const auto last_use = [&world](const std::string& name) {
    return world.files.status(world.folder + "/" + name + ".used")->modified_ms;
  };
  world.age("id-words", 31 * day);
  world.age(libraries, 31 * day);
  world.program[0].content = "other";  // another build with the same libraries
  BOOST_TEST(world.stage().has_value());
  BOOST_TEST(!std::filesystem::exists(world.folder + "/id-words"));
  BOOST_TEST(!std::filesystem::exists(world.folder + "/id-words.used"));
  BOOST_TEST(world.staged() == 3);
  world.age("other-words", 29 * day);
  const auto renewed = last_use(libraries);
  world.program[0].content = "newest";
  BOOST_TEST(world.stage().has_value());
  BOOST_TEST(last_use(libraries) == renewed);  // once a day
  BOOST_TEST(world.staged() == 4);
}

BOOST_AUTO_TEST_CASE(a_damaged_or_missing_file_is_an_error_that_names_it) {
  World world;
  BOOST_TEST(world.stage().has_value());
  std::ofstream{world.folder + "/id-words"} << "cut";
  BOOST_TEST(world.stage().error().text.find("/id-words has 3 bytes instead of 5") != std::string::npos);
  std::filesystem::remove(world.folder + "/id-words");
  world.program[2].content = "new";
  world.program[2].path = world.place.path() + "/missing";
  const auto missing = world.stage();
  BOOST_TEST(missing.error().text.find("cannot upload the program") == 0U);
  BOOST_TEST(missing.error().text.find("/missing") != std::string::npos);
  BOOST_TEST(world.staged() == 3);  // no incomplete file
}

BOOST_AUTO_TEST_CASE(without_upload_nodes_read_the_files_where_they_are) {
  World world;
  const auto files = local_program(world.program);
  BOOST_TEST(files.at(0).name == "heddle");
  BOOST_TEST(files.at(0).url == "file://" + world.program[0].path);
  BOOST_TEST(files.at(1).url == "file://" + world.program[1].path);
}

}  // namespace
}  // namespace program_staging_test
}  // namespace heddle::apps
