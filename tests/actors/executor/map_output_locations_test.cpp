// Goal: a table is used when it is complete, a change does not alter the former table, and a table lives as long as its
// readers.
#include "actors/executor/map_output_locations.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle::actors {
namespace map_output_locations_test {
namespace {

MapOutputLocation place(const std::string& host) {
  MapOutputLocation made;
  made.host = host;
  return made;
}

StageProgram reader(std::int64_t stage, std::int64_t shuffle) {
  StageProgram work;
  work.key.stage = StageId{stage};
  work.shuffle_inputs.emplace_back().shuffle = ShuffleId{shuffle};
  return work;
}

MapOutputs part(std::int32_t first, std::vector<std::int32_t> numbers, std::vector<MapOutputLocation> places) {
  MapOutputs message;
  message.shuffle = ShuffleId{1};
  message.maps = 4;
  message.first_map = first;
  message.place_of_map = std::move(numbers);
  message.places = std::move(places);
  return message;
}

BOOST_AUTO_TEST_CASE(a_table_is_complete_after_its_last_part) {
  MapOutputLocations locations;
  BOOST_TEST((locations.add_part(part(0, {0, -1}, {place("a")})) == nullptr));
  const auto whole = locations.add_part(part(2, {0, 1}, {place("b"), place("c")}));
  BOOST_TEST_REQUIRE((whole != nullptr));
  BOOST_TEST(whole->place_of_map == (std::vector<std::int32_t>{0, -1, 1, 2}), boost::test_tools::per_element());
  BOOST_TEST(whole->places.size() == 3U);
}

BOOST_AUTO_TEST_CASE(an_output_that_is_not_wanted_stays_so) {
  constexpr auto not_wanted = ports::ShuffleLocations::not_wanted;
  MapOutputLocations locations;
  const auto whole = locations.add_part(part(0, {0, not_wanted, -7, 0}, {place("a")}));
  BOOST_TEST_REQUIRE((whole != nullptr));
  BOOST_TEST(whole->place_of_map == (std::vector<std::int32_t>{0, not_wanted, -1, 0}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_part_that_does_not_fit_drops_the_earlier_parts) {
  for (const auto& wrong :
       {part(3, {0}, {place("b")}), part(2, {7, 0}, {place("b")}), part(2, {0, 0, 0}, {place("b")})}) {
    MapOutputLocations locations;
    BOOST_TEST((locations.add_part(part(0, {0, 0}, {place("a")})) == nullptr));
    BOOST_TEST((locations.add_part(wrong) == nullptr));
    BOOST_TEST((locations.add_part(part(2, {0, 0}, {place("b")})) == nullptr));
  }
}

BOOST_AUTO_TEST_CASE(a_change_makes_a_new_table) {
  MapOutputLocations locations;
  const auto before = locations.add_part(part(0, {0, 0, 0, 0}, {place("a")}));
  MapOutputsChanged change;
  change.shuffle = ShuffleId{1};
  change.maps = {1, 2, 3};
  change.place_of_map = {0, 1, -1};
  change.places = {place("b"), place("a")};
  const auto after = locations.change(change);
  BOOST_TEST_REQUIRE((after != nullptr));
  BOOST_TEST(after->place_of_map == (std::vector<std::int32_t>{0, 1, 0, -1}), boost::test_tools::per_element());
  BOOST_TEST(before->place_of_map == (std::vector<std::int32_t>{0, 0, 0, 0}), boost::test_tools::per_element());
  change.maps = {4, 0, 0};
  BOOST_TEST((locations.change(change) == nullptr));
  change.shuffle = ShuffleId{2};
  BOOST_TEST((locations.change(change) == nullptr));
}

BOOST_AUTO_TEST_CASE(a_table_is_removed_with_the_last_stage_that_reads_it) {
  MapOutputLocations locations;
  for (const std::int64_t stage : {1, 1, 2}) locations.add_stage(reader(stage, 1));
  BOOST_TEST_REQUIRE((locations.add_part(part(0, {0, 0, 0, 0}, {place("a")})) != nullptr));
  MapOutputsChanged nothing;
  nothing.shuffle = ShuffleId{1};
  locations.remove_stage(reader(1, 1).key);
  BOOST_TEST((locations.change(nothing) != nullptr));
  locations.remove_stage(reader(2, 1).key);
  BOOST_TEST((locations.change(nothing) == nullptr));
  locations.add_stage(reader(3, 1));
  BOOST_TEST(locations.clear().size() == 1U);
  BOOST_TEST(locations.clear().empty());
}

}  // namespace
}  // namespace map_output_locations_test
}  // namespace heddle::actors
