// Map outputs: locations, sizes, losses. C-MOT-nn are numbered cases of the specification.
#include "policies/stages/map_output_table.hpp"

#include <boost/test/unit_test.hpp>

#include "model/random_stream.hpp"

namespace heddle::policies {
namespace map_output_table_test {

namespace {

constexpr ShuffleId shuffle{0};
MapStatusLocation at(std::int64_t executor, std::int32_t host) { return {ExecutorId{executor}, HostId{host}}; }
using Hosts = std::vector<HostId>;

}  // namespace

BOOST_AUTO_TEST_SUITE(map_output_table)

// C-MOT-13, C-MOT-01
BOOST_AUTO_TEST_CASE(sizes_are_coded_on_a_scale_of_a_tenth) {
  struct Row {
    std::int64_t bytes;
    int code;
    std::int64_t back;
  };
  const Row rows[] = {{0, 0, 0},
                      {1, 1, 1},
                      {2, 8, 2},
                      {3, 12, 3},
                      {10, 25, 10},
                      {20, 32, 21},
                      {30, 36, 30},
                      {40, 39, 41},
                      {100, 49, 106},
                      {1'000, 73, 1'051},
                      {10'000, 97, 10'353},
                      {1'000'000, 145, 1'004'475}};
  for (const Row& row : rows) {
    BOOST_TEST(static_cast<int>(encode_output_size(row.bytes)) == row.code);
    BOOST_TEST(decode_output_size(static_cast<std::uint8_t>(row.code)) == row.back);
  }
  BOOST_TEST(static_cast<int>(encode_output_size(INT64_MAX)) == 255);
}

// C-MOT-02, C-MOT-03, C-MOT-09
BOOST_AUTO_TEST_CASE(taking_an_output_away_twice_is_no_error_and_the_epoch_rises_in_any_case) {
  MapOutputTable table;
  table.add_shuffle(shuffle, 2, 1);
  table.add_output(shuffle, 0, at(1, 1));
  table.add_output(shuffle, 1, at(2, 2));
  BOOST_TEST(table.is_complete(shuffle));
  table.remove_output(shuffle, 0, at(2, 2));
  BOOST_TEST(table.is_complete(shuffle));
  table.remove_output(shuffle, 0, at(1, 1));
  table.remove_output(shuffle, 0, at(1, 1));
  BOOST_TEST(table.epoch() == 3);
  BOOST_TEST(table.place(shuffle, 0).is_none());
  BOOST_TEST(table.place(ShuffleId{7}, 0).is_none());
  BOOST_TEST((table.missing(shuffle) == std::vector{IndexRange{0, 1}}));
}

// C-MOT-04, C-MOT-08
BOOST_AUTO_TEST_CASE(preferred_hosts_hold_a_share_of_the_input_by_executor) {
  MapOutputTable table;
  table.add_shuffle(shuffle, 3, 1);
  const std::int64_t two[] = {2};
  const std::int64_t three[] = {3};
  table.add_output(shuffle, 0, at(1, 1), two);
  table.add_output(shuffle, 1, at(1, 1), two);
  table.add_output(shuffle, 2, at(2, 2), three);
  BOOST_TEST((table.largest_hosts(shuffle, 0, 0.5) == Hosts{HostId{1}}));
  BOOST_TEST((table.largest_hosts(shuffle, 0, 0.2) == Hosts{HostId{1}, HostId{2}}));
  table.add_output(shuffle, 2, at(3, 1), three);
  BOOST_TEST((table.largest_hosts(shuffle, 0, 0.2) == Hosts{HostId{1}}));
}

// C-MOT-06
BOOST_AUTO_TEST_CASE(the_bytes_of_reduces_are_known_once_every_map_has_told_its_sizes) {
  MapOutputTable table;
  table.add_shuffle(shuffle, 2, 3);
  const std::vector<std::int64_t> sizes{1, 0, 1000};
  table.add_output(shuffle, 0, {ExecutorId{1}, HostId{1}}, sizes);
  BOOST_TEST(table.bytes_per_reduce(shuffle).empty());
  table.add_output(shuffle, 1, {ExecutorId{1}, HostId{1}});
  BOOST_TEST(table.bytes_per_reduce(shuffle).empty());
  table.add_output(shuffle, 1, {ExecutorId{1}, HostId{1}}, sizes);
  const std::int64_t thousand = decode_output_size(encode_output_size(1000));
  const std::int64_t one = decode_output_size(encode_output_size(1));
  BOOST_TEST((table.bytes_per_reduce(shuffle) == std::vector<std::int64_t>{2 * one, 0, 2 * thousand}));
  table.remove_output(shuffle, 0, {ExecutorId{1}, HostId{1}});
  BOOST_TEST(table.bytes_per_reduce(shuffle).empty());
  BOOST_TEST(table.bytes_per_reduce(ShuffleId{5}).empty());
}

BOOST_AUTO_TEST_CASE(an_output_without_a_byte_for_a_reducer_is_no_place_for_it) {
  MapOutputTable table;
  table.add_shuffle(shuffle, 2, 4);
  const std::int64_t first[] = {0, 1'000, 0, 10'000};
  const std::int64_t second[] = {10'000, 0, 1'000, 0};
  table.add_output(shuffle, 0, at(1, 1), first);
  table.add_output(shuffle, 1, at(2, 2), second);
  for (std::int32_t reducer = 0; reducer < 4; ++reducer)
    BOOST_TEST((table.largest_hosts(shuffle, reducer, 0) == Hosts{HostId{reducer % 2 == 0 ? 2 : 1}}));
}

BOOST_AUTO_TEST_CASE(shares_can_be_summed_over_the_executors_of_a_host) {
  MapOutputTable table;
  table.add_shuffle(shuffle, 3, 1);
  const std::int64_t small[] = {15};
  const std::int64_t large[] = {70};
  table.add_output(shuffle, 0, at(1, 1), small);
  table.add_output(shuffle, 1, at(2, 1), small);
  table.add_output(shuffle, 2, at(3, 2), large);
  BOOST_TEST((table.largest_hosts(shuffle, 0, 0.2) == Hosts{HostId{2}}));
  BOOST_TEST((table.largest_hosts(shuffle, 0, 0.2, true) == Hosts{HostId{1}, HostId{2}}));
}

// C-MOT-12
BOOST_AUTO_TEST_CASE(large_shuffles_and_unknown_sizes_have_no_preferred_hosts) {
  const std::int64_t size[] = {10};
  for (const std::int32_t maps : {999, 1'000}) {
    for (const std::int32_t reduces : {999, 1'000}) {
      MapOutputTable table;
      table.add_shuffle(shuffle, maps, reduces);
      table.add_output(shuffle, 0, at(1, 1), size);
      BOOST_TEST(table.largest_hosts(shuffle, 0, 0.2).empty() == (maps == 1'000 || reduces == 1'000));
    }
  }
  MapOutputTable table;
  table.add_shuffle(shuffle, 1, 1);
  table.add_output(shuffle, 0, at(1, 1));
  BOOST_TEST(table.largest_hosts(shuffle, 0, 0.2).empty());
}

BOOST_AUTO_TEST_CASE(random_changes_agree_with_a_plain_array) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    RandomStream random{seed};
    MapOutputTable table;
    constexpr std::int32_t maps = 20;
    std::vector<MapStatusLocation> plain(maps);
    table.add_shuffle(shuffle, maps, 1);
    for (int step = 0; step < 600; ++step) {
      const auto map = static_cast<std::int32_t>(random.below(maps));
      const auto executor = static_cast<std::int64_t>(random.below(6));
      const MapStatusLocation place = at(executor, static_cast<std::int32_t>(executor / 2));
      const std::uint64_t verb = random.below(12);
      if (verb < 8) {
        table.add_output(shuffle, map, place);
        plain[static_cast<std::size_t>(map)] = place;
      } else if (verb < 10) {
        table.remove_output(shuffle, map, place);
        if (plain[static_cast<std::size_t>(map)] == place) plain[static_cast<std::size_t>(map)] = {};
      } else if (verb == 10) {
        table.remove_outputs_on_executor(place.executor);
        for (MapStatusLocation& slot : plain) slot = slot.executor == place.executor ? MapStatusLocation{} : slot;
      } else {
        table.remove_outputs_on_host(place.host);
        for (MapStatusLocation& slot : plain) slot = slot.host == place.host ? MapStatusLocation{} : slot;
      }
      table.check_invariants();
      for (std::int32_t i = 0; i < maps; ++i)
        BOOST_REQUIRE((table.place(shuffle, i) == plain[static_cast<std::size_t>(i)]));
    }
  }
}

// heddle.fix.reduce_locality_by_host (MOT-4): two executors of a host hold 15 of 100 bytes each.
BOOST_AUTO_TEST_CASE(what_executors_of_one_host_hold_is_summed_only_if_mended) {
  for (const bool mended : {false, true}) {
    MapOutputTable table;
    table.add_shuffle(shuffle, 3, 1);
    const std::int64_t few[] = {15};
    const std::int64_t many[] = {70};
    table.add_output(shuffle, 0, at(1, 1), few);
    table.add_output(shuffle, 1, at(2, 1), few);
    table.add_output(shuffle, 2, at(3, 2), many);
    BOOST_TEST(
        (table.largest_hosts(shuffle, 0, 0.2, mended) == (mended ? Hosts{HostId{1}, HostId{2}} : Hosts{HostId{2}})));
  }
}

BOOST_AUTO_TEST_CASE(an_output_that_moved_is_known_at_its_new_place_with_its_sizes_MOT_3) {
  MapOutputTable table;
  table.add_shuffle(shuffle, 2, 1);
  const std::int64_t ten[] = {10};
  for (const std::int32_t map : {0, 1}) table.add_output(shuffle, map, at(1, 1), ten);
  BOOST_TEST(table.move_output(shuffle, 0, at(1, 1), at(2, 2)));
  BOOST_TEST(!table.move_output(shuffle, 0, at(1, 1), at(3, 3)));  // it was moved before
  BOOST_TEST(!table.move_output(ShuffleId{9}, 0, at(1, 1), at(3, 3)));
  BOOST_TEST((table.place(shuffle, 0) == at(2, 2)));
  BOOST_TEST((table.largest_hosts(shuffle, 0, 0.5) == Hosts{HostId{2}, HostId{1}}));
  BOOST_TEST(table.available(shuffle) == 2);
  table.remove_outputs_on_host(HostId{1});
  BOOST_TEST((table.missing(shuffle) == std::vector{IndexRange{1, 1}}));
  table.check_invariants();
}

BOOST_AUTO_TEST_CASE(word_of_a_move_that_comes_after_the_loss_brings_the_output_back_MOT_3) {
  MapOutputTable table;
  table.add_shuffle(shuffle, 3, 1);
  for (const std::int32_t map : {0, 1, 2}) table.add_output(shuffle, map, at(1, 1));
  table.remove_outputs_on_host(HostId{1});
  BOOST_TEST(table.move_output(shuffle, 0, at(1, 1), at(2, 2)));
  BOOST_TEST(!table.move_output(shuffle, 1, at(4, 4), at(2, 2)));  // another location than the one it was lost from
  table.add_output(shuffle, 2, at(3, 3));                          // computed again meanwhile
  BOOST_TEST(!table.move_output(shuffle, 2, at(1, 1), at(2, 2)));
  BOOST_TEST((table.place(shuffle, 2) == at(3, 3)));
  BOOST_TEST(table.available(shuffle) == 2);
  table.remove_outputs_of_shuffle(shuffle);  // rollback: old outputs are wrong
  BOOST_TEST(!table.move_output(shuffle, 0, at(2, 2), at(3, 3)));
  BOOST_TEST(!table.move_output(shuffle, 1, at(1, 1), at(2, 2)));
  table.check_invariants();
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace map_output_table_test
}  // namespace heddle::policies
