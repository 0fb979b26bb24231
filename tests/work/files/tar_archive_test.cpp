// Goal: any tar unpacks an archive of program files. Method: the tar of this system unpacks archives of local files.
#include "work/files/tar_archive.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <fstream>

#include "tests/support/scratch_folder.hpp"
#include "work/files/local_file_system.hpp"

namespace heddle::work {
namespace tar_archive_test {
namespace {

struct World {
  ScratchFolder place;
  LocalFileSystem files;
  std::vector<TarEntry> entries;

  void add(const std::string& name, const std::string& content) {
    const auto path = place.path() + "/in-" + std::to_string(entries.size());
    std::ofstream{path} << content;
    entries.push_back({name, path, static_cast<std::int64_t>(content.size())});
  }
  [[nodiscard]] Result<std::string> archive(const std::string& name = "a.tar") {
    const auto path = place.path() + "/" + name;
    const auto sink = files.create(path, {});
    if (!sink) return sink.error();
    if (auto written = write_tar(entries, **sink); !written) return written.error();
    return path;
  }
};

BOOST_AUTO_TEST_CASE(tar_unpacks_files_of_all_sizes_with_their_names) {
  World world;
  std::vector<std::string> contents;
  for (const int size : {0, 1, 511, 512, 513, 3'000'000}) {
    std::string content(static_cast<std::size_t>(size), 'x');
    for (std::size_t at = 0; at < content.size(); ++at) content[at] = static_cast<char>('a' + at % 23);
    contents.push_back(content);
    world.add("lib" + std::to_string(size) + ".so.1", content);
  }
  world.add(std::string(100, 'n'), "longest name");
  const auto path = world.archive();
  BOOST_REQUIRE(path.has_value());
  BOOST_TEST(world.files.status(*path)->length == tar_bytes(world.entries));
  const auto folder = world.place.path() + "/out";
  BOOST_TEST(world.files.make_directories(folder, 0700).has_value());
  BOOST_REQUIRE(std::system(("tar -xf '" + *path + "' -C '" + folder + "'").c_str()) == 0);
  for (std::size_t at = 0; at < contents.size(); ++at)
    BOOST_TEST((world.files.read_all(folder + "/" + world.entries[at].name).value() == contents[at]));
  BOOST_TEST(world.files.read_all(folder + "/" + std::string(100, 'n')).value() == "longest name");
  BOOST_TEST(world.files.list(folder)->size() == world.entries.size());
}

BOOST_AUTO_TEST_CASE(archives_of_equal_files_are_equal) {
  World one, other;
  for (auto* world : {&one, &other}) world->add("libz.so.1", "content");
  BOOST_TEST(one.files.read_all(one.archive().value()).value() ==
             other.files.read_all(other.archive().value()).value());
}

BOOST_AUTO_TEST_CASE(a_file_that_does_not_fit_is_named) {
  World long_name;
  long_name.add(std::string(101, 'n'), "");
  BOOST_TEST(long_name.archive().error().text.find("in-0: an archive takes names of at most 100 bytes") !=
             std::string::npos);
  World changed;
  changed.add("a", "content");
  changed.entries[0].bytes = 3;
  BOOST_TEST(changed.archive().error().text.find("in-0 changed while it was read: it has 7 bytes, it had 3") !=
             std::string::npos);
  World missing;
  missing.entries.push_back({"a", missing.place.path() + "/missing", 1});
  BOOST_TEST(missing.archive().error().text.find("/missing") != std::string::npos);
}

}  // namespace
}  // namespace tar_archive_test
}  // namespace heddle::work
