// Goal: an unchanged index is read and verified once, a changed one is read again, and memory is limited.
// Method: real files; counts the reads.
#include "work/shuffle/shuffle_index_cache.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>

#include "tests/support/scratch_folder.hpp"

namespace shuffle_index_cache_test {

namespace {

using namespace heddle;
using namespace heddle::work;

constexpr ShuffleId shuffle{3};

struct Outputs {
  Outputs() { std::filesystem::create_directories(shuffle_folder(folder.path(), shuffle)); }
  void write(std::int32_t map, const std::string& attempt, std::size_t bytes) {
    ShuffleIndex index;
    index.data_path = shuffle_folder(folder.path(), shuffle) + "/" + std::to_string(map) + "-" + attempt + ".data";
    index.offsets = {0, static_cast<std::int64_t>(bytes)};
    std::ofstream{index.data_path} << std::string(bytes, 'x');
    BOOST_REQUIRE(write_shuffle_index(folder.path(), shuffle, map, index).has_value());
  }
  ScratchFolder folder;
};

BOOST_AUTO_TEST_CASE(an_index_is_read_once_and_again_after_it_was_replaced) {
  Outputs outputs;
  outputs.write(0, "0.0", 10);
  ShuffleIndexCache cache{1 << 20};
  for (int times = 0; times < 3; ++times) {
    const auto found = cache.find(outputs.folder.path(), shuffle, 0);
    BOOST_REQUIRE(found.has_value());
    BOOST_TEST((*found)->length(0) == 10);
  }
  BOOST_TEST(cache.reads() == 1);
  outputs.write(0, "1.0", 20);
  const auto found = cache.find(outputs.folder.path(), shuffle, 0);
  BOOST_REQUIRE(found.has_value());
  BOOST_TEST((*found)->length(0) == 20);
  BOOST_TEST((*found)->data_path.ends_with("0-1.0.data"));
  BOOST_TEST(cache.reads() == 2);
  const auto bytes = cache.bytes();
  outputs.write(0, "2.0", 30);
  BOOST_REQUIRE(cache.find(outputs.folder.path(), shuffle, 0).has_value());
  BOOST_TEST(cache.bytes() == bytes);  // the replaced one does not count
}

BOOST_AUTO_TEST_CASE(a_removed_or_corrupt_index_is_not_returned_from_the_cache) {
  Outputs outputs;
  outputs.write(0, "0.0", 10);
  ShuffleIndexCache cache{1 << 20};
  BOOST_REQUIRE(cache.find(outputs.folder.path(), shuffle, 0).has_value());
  const auto path = shuffle_index_path(outputs.folder.path(), shuffle, 0);
  std::ofstream{path, std::ios::app} << "more";
  BOOST_TEST((cache.find(outputs.folder.path(), shuffle, 0).error().code == Errc::corrupt));
  std::filesystem::remove(path);
  BOOST_TEST((cache.find(outputs.folder.path(), shuffle, 0).error().code == Errc::not_found));
}

BOOST_AUTO_TEST_CASE(the_cache_is_cleared_above_its_limit) {
  Outputs outputs;
  ShuffleIndexCache cache{2'000};
  for (std::int32_t map = 0; map < 50; ++map) {
    outputs.write(map, "0.0", 1);
    BOOST_REQUIRE(cache.find(outputs.folder.path(), shuffle, map).has_value());
    BOOST_TEST(cache.bytes() <= 2'000U);
  }
  BOOST_TEST(cache.bytes() > 0U);
  ShuffleIndexCache tiny{10};
  for (int times = 0; times < 2; ++times) BOOST_REQUIRE(tiny.find(outputs.folder.path(), shuffle, 0).has_value());
  BOOST_TEST(tiny.reads() == 2);
  BOOST_TEST(tiny.bytes() == 0U);
}

}  // namespace

}  // namespace shuffle_index_cache_test
