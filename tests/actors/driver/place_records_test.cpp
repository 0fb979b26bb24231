// Goal: lists of preferred locations are written once while they are in use, under numbers that are never reused.
#include "actors/driver/place_records.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/support/actor_world.hpp"

namespace heddle::actors {
namespace place_records_test {
namespace {

std::shared_ptr<const PreferredLocationLists> lists_on(std::int32_t host) {
  PreferredLocationLists lists;
  lists.add(std::vector{PreferredLocation{HostId{host}}});
  return std::make_shared<const PreferredLocationLists>(std::move(lists));
}

}  // namespace

BOOST_AUTO_TEST_CASE(lists_are_written_once_and_numbered_in_order) {
  tests::EventNames events;
  PlaceRecords records{&events};
  const auto first = lists_on(1);
  auto second = lists_on(2);
  BOOST_TEST(records.number_of(Instant{}, nullptr) == -1);
  BOOST_TEST(records.number_of(Instant{}, first) == 0);
  BOOST_TEST(records.number_of(Instant{}, second) == 1);
  BOOST_TEST(records.number_of(Instant{}, first) == 0);
  BOOST_TEST(events.count("place_lists") == 2);
  second = lists_on(3);
  BOOST_TEST(records.number_of(Instant{}, second) == 2);
  PlaceRecords nowhere{nullptr};
  BOOST_TEST(nowhere.number_of(Instant{}, first) == -1);
}

}  // namespace place_records_test
}  // namespace heddle::actors
