// Goal: splits cover each file once, are within the size limits, and have hosts with their bytes. Method: tables of
// edge cases; then properties of random files.
#include "policies/stages/input_splits.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <random>

namespace heddle::policies {
namespace input_splits_test {
namespace {

SplitFile file_of(std::int64_t length, std::int64_t block_bytes) {
  SplitFile file;
  file.path = "f";
  file.length = length;
  file.block_bytes = block_bytes;
  for (std::int64_t at = 0; at < length; at += block_bytes)
    file.block_hosts.push_back({"h" + std::to_string(at / block_bytes % 5 + 1)});
  return file;
}

std::vector<std::int64_t> lengths_of(const SplitFile& file, const SplitSettings& settings) {
  std::vector<std::int64_t> lengths;
  for (const auto& split : compute_splits({file}, settings, {})) lengths.push_back(split.length);
  return lengths;
}

using Lengths = std::vector<std::int64_t>;

BOOST_AUTO_TEST_CASE(a_rest_of_up_to_a_tenth_joins_the_last_split) {
  const SplitSettings settings{.old_interface = false};
  BOOST_TEST((lengths_of(file_of(140, 128), settings) == Lengths{140}));
  BOOST_TEST((lengths_of(file_of(141, 128), settings) == Lengths{128, 13}));
  BOOST_TEST((lengths_of(file_of(0, 128), settings) == Lengths{0}));
}

BOOST_AUTO_TEST_CASE(bounds_and_the_wanted_number_set_the_size) {
  BOOST_TEST((lengths_of(file_of(300, 128), {.old_interface = false, .split_bytes_min = 200}) == Lengths{200, 100}));
  BOOST_TEST((lengths_of(file_of(150, 128), {.old_interface = false, .split_bytes_max = 50}) == Lengths{50, 50, 50}));
  BOOST_TEST((lengths_of(file_of(100, 128), {.wanted_splits = 4}) == Lengths{25, 25, 25, 25}));
  BOOST_TEST((lengths_of(file_of(100, 128), {.wanted_splits = 0}) == Lengths{100}));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_split_is_one_split) {
  auto file = file_of(1000, 128);
  file.is_splittable = false;
  BOOST_TEST((lengths_of(file, {.wanted_splits = 8}) == Lengths{1000}));
}

BOOST_AUTO_TEST_CASE(the_longest_is_submitted_first_and_equals_stay) {
  std::vector<InputSplit> splits{{"a", 0, 1, {}}, {"b", 0, 3, {}}, {"c", 0, 1, {}}, {"d", 0, 3, {}}};
  order_for_submission(splits);
  std::string order;
  for (const auto& split : splits) order += split.path;
  BOOST_TEST(order == "bdac");
}

BOOST_AUTO_TEST_CASE(a_split_names_the_hosts_that_hold_it_in_memory) {
  auto file = file_of(300, 100);
  file.block_cached_hosts = {{"h1"}, {}, {"h3"}};
  const auto cached = [&file](const SplitSettings& settings) {
    std::vector<std::vector<std::string>> hosts;
    for (const auto& split : compute_splits({file}, settings, {})) hosts.push_back(split.cached_hosts);
    return hosts;
  };
  using Hosts = std::vector<std::vector<std::string>>;
  BOOST_TEST((cached({.old_interface = false}) == Hosts{{"h1"}, {}, {"h3"}}));
  BOOST_TEST((cached({.wanted_splits = 3}) == Hosts{{"h1"}, {}, {"h3"}}));
  // As in Hadoop: of a split over several blocks the new interface asks the first one, the old one says nothing.
  BOOST_TEST((cached({.old_interface = false, .split_bytes_min = 300}) == Hosts{{"h1"}}));
  BOOST_TEST((cached({.split_bytes_min = 300}) == Hosts{{}}));
}

BOOST_AUTO_TEST_CASE(random_files_are_covered_once_and_hosts_hold_what_they_are_named_for) {
  std::mt19937_64 random{7};
  const auto below = [&](std::uint64_t bound) { return static_cast<std::int64_t>(random() % bound); };
  for (int turn = 0; turn < 2000; ++turn) {
    const auto file = file_of(1 + below(2000), 1 + below(300));
    SplitSettings settings;
    settings.old_interface = turn % 2 == 0;
    settings.split_bytes_min = below(200);
    settings.split_bytes_max = 1 + below(400);
    settings.wanted_splits = static_cast<std::int32_t>(below(12));
    const auto splits = compute_splits({file}, settings, {});
    std::int64_t at = 0;
    for (const auto& split : splits) {
      BOOST_REQUIRE_EQUAL(split.offset, at);
      BOOST_REQUIRE(split.length > 0);
      at += split.length;
      const auto first = split.offset / file.block_bytes;
      const auto last = (at - 1) / file.block_bytes;
      for (const auto& host : split.hosts) {
        bool holds = false;
        for (auto block = first; block <= last; ++block)
          holds = holds || file.block_hosts[static_cast<std::size_t>(block)][0] == host;
        BOOST_REQUIRE(holds);
      }
    }
    BOOST_REQUIRE_EQUAL(at, file.length);
    BOOST_REQUIRE((compute_splits({file}, settings, {}) == splits));
  }
}

}  // namespace
}  // namespace input_splits_test
}  // namespace heddle::policies
