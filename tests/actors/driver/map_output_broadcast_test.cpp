// Goal: a reader that applies all deltas has the current table and receives no change twice. Method: random outputs are
// added, moved and removed; readers read at random times and keep what they received.
#include "actors/driver/map_output_broadcast.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

#include "model/random_stream.hpp"

namespace heddle::actors {
namespace map_output_broadcast_test {
namespace {

constexpr ShuffleId shuffle{4};
constexpr std::int32_t maps = 12;

struct Reader {
  MapOutputChanges::Cursor cursor;
  std::vector<policies::MapStatusLocation> places{std::size_t{maps}};
  int whole_tables = 0;

  std::size_t look(MapOutputChanges& changes, const policies::MapOutputTable& outputs) {
    const auto delta = changes.delta_since(cursor, outputs, shuffle, maps);
    whole_tables += delta.is_whole ? 1 : 0;
    for (std::int32_t map = 0; delta.is_whole && map < maps; ++map)
      places[static_cast<std::size_t>(map)] = outputs.place(shuffle, map);
    for (const auto map : delta.maps) places[static_cast<std::size_t>(map)] = outputs.place(shuffle, map);
    return delta.maps.size();
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_moved_output_is_the_only_change) {
  policies::MapOutputTable outputs;
  outputs.add_shuffle(shuffle, maps, 1);
  const policies::MapStatusLocation here{ExecutorId{1}, HostId{1}};
  const policies::MapStatusLocation there{ExecutorId{2}, HostId{2}};
  for (std::int32_t map = 0; map < maps; ++map) outputs.add_output(shuffle, map, here);
  MapOutputChanges changes;
  MapOutputChanges::Cursor cursor;
  BOOST_TEST(changes.delta_since(cursor, outputs, shuffle, maps).is_whole);
  outputs.add_output(shuffle, 7, there);
  BOOST_TEST(changes.delta_since(cursor, outputs, shuffle, maps).maps.empty());  // not marked as changed
  changes.mark_changed();
  const auto delta = changes.delta_since(cursor, outputs, shuffle, maps);
  BOOST_TEST(!delta.is_whole);
  BOOST_TEST(delta.maps == std::vector<std::int32_t>{7}, boost::test_tools::per_element());
  changes.mark_changed();
  BOOST_TEST(changes.delta_since(cursor, outputs, shuffle, maps).maps.empty());
}

BOOST_AUTO_TEST_CASE(a_skipped_map_is_not_wanted_whatever_its_place) {
  policies::MapOutputTable outputs;
  outputs.add_shuffle(shuffle, 3, 1);
  const MapOutputLocation here;
  for (std::int32_t map = 0; map < 3; ++map) outputs.add_output(shuffle, map, {ExecutorId{1}, HostId{1}});
  MapOutputBroadcast broadcast;
  broadcast.skip(shuffle, 1);
  const auto messages = broadcast.update(ExecutorId{2}, Epoch{1}, ShuffleInput{shuffle, 3, {}}, outputs,
                                         [&here](ExecutorId) { return &here; });
  BOOST_REQUIRE(messages.size() == 1U);
  BOOST_TEST(std::get<MapOutputs>(messages[0]).place_of_map == (std::vector<std::int32_t>{0, -2, 0}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(random_readers_always_reconstruct_the_whole_table) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    RandomStream random{seed};
    policies::MapOutputTable outputs;
    outputs.add_shuffle(shuffle, maps, 1);
    MapOutputChanges changes;
    std::vector<Reader> readers(3);
    for (int step = 0; step < 200; ++step) {
      const auto map = static_cast<std::int32_t>(random.next() % maps);
      const auto number = static_cast<std::int32_t>(random.next() % 3);
      if (random.next() % 4 == 0) outputs.remove_outputs_on_executor(ExecutorId{number});
      else outputs.add_output(shuffle, map, {ExecutorId{number}, HostId{number}});
      changes.mark_changed();
      for (auto& reader : readers) {
        if (random.next() % 5 != 0) continue;
        reader.look(changes, outputs);
        for (std::int32_t each = 0; each < maps; ++each)
          BOOST_TEST((reader.places[static_cast<std::size_t>(each)] == outputs.place(shuffle, each)));
        BOOST_TEST(reader.look(changes, outputs) == 0U);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_reader_that_missed_more_changes_than_maps_gets_the_whole_table) {
  policies::MapOutputTable outputs;
  outputs.add_shuffle(shuffle, maps, 1);
  MapOutputChanges changes;
  Reader late;
  Reader steady;
  late.look(changes, outputs);
  for (std::int32_t change = 0; change < 3 * maps; ++change) {
    outputs.add_output(shuffle, change % maps, {ExecutorId{change}, HostId{change}});
    changes.mark_changed();
    steady.look(changes, outputs);
  }
  late.look(changes, outputs);
  BOOST_TEST(late.whole_tables == 2);
  BOOST_TEST((late.places == steady.places));
}

BOOST_AUTO_TEST_CASE(a_broadcast_sends_the_table_once_then_changes_with_each_location_once) {
  policies::MapOutputTable outputs;
  outputs.add_shuffle(shuffle, 3, 1);
  const MapOutputLocation location{NodeId{1}, Epoch{1}, "h1", "", "/h1"};
  const auto location_of = [&](ExecutorId executor) { return executor == ExecutorId{1} ? &location : nullptr; };
  for (const std::int32_t map : {0, 1}) outputs.add_output(shuffle, map, {ExecutorId{1}, HostId{1}});
  MapOutputBroadcast broadcast;
  const ShuffleInput input{shuffle, 3, {}};
  const ExecutorId reader{5};
  BOOST_TEST(!broadcast.has_received(reader, shuffle));
  auto messages = broadcast.update(reader, Epoch{2}, input, outputs, location_of);
  BOOST_REQUIRE(messages.size() == 1U);
  const auto& table = std::get<MapOutputs>(messages[0]);
  BOOST_TEST(table.places.size() == 1U);
  BOOST_TEST(table.place_of_map == (std::vector<std::int32_t>{0, 0, -1}), boost::test_tools::per_element());
  BOOST_TEST(broadcast.has_received(reader, shuffle));
  BOOST_TEST(broadcast.update(reader, Epoch{2}, input, outputs, location_of).empty());
  outputs.add_output(shuffle, 2, {ExecutorId{9}, HostId{1}});  // the location of this executor is unknown
  broadcast.mark_all_changed();
  messages = broadcast.update(reader, Epoch{2}, input, outputs, location_of);
  BOOST_REQUIRE(messages.size() == 1U);
  const auto& change = std::get<MapOutputsChanged>(messages[0]);
  BOOST_TEST(change.maps == (std::vector<std::int32_t>{2}), boost::test_tools::per_element());
  BOOST_TEST(change.place_of_map == (std::vector<std::int32_t>{-1}), boost::test_tools::per_element());
  broadcast.restart();
  messages = broadcast.update(reader, Epoch{2}, input, outputs, location_of);
  BOOST_TEST(std::holds_alternative<MapOutputs>(messages.at(0)));
  broadcast.forget_reader(reader);
  BOOST_TEST(!broadcast.has_received(reader, shuffle));
}

}  // namespace map_output_broadcast_test
}  // namespace heddle::actors
