// Goal: what is shuffled comes out whole, in its partition and in order, however little memory there was.
// Method: random records through writer and reader, held against a sorted list.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <map>
#include <optional>
#include <random>

#include "tests/support/shuffle_pairs.hpp"
#include "work/files/file_handle.hpp"
#include "work/records/key_comparator.hpp"
#include "work/records/partitioner.hpp"
#include "work/shuffle/segment_writer.hpp"

namespace heddle::work {
namespace shuffle_test {
namespace {

BOOST_AUTO_TEST_CASE(records_come_out_whole_and_in_order_in_every_shape) {
  for (const auto& shape : shapes) {
    BOOST_TEST_CONTEXT(shape.name) {
      const ScratchFolder folder;
      const auto output = output_of(shape.partitions);
      const auto partitioner = checked(Partitioner::make(output.description, shape.partitions));
      std::map<std::int32_t, Pairs> expected;
      for (std::int32_t map = 0; map < 5; ++map) {
        const auto pairs = random_pairs(shape, static_cast<std::uint64_t>(map) + 1);
        write_map(pairs, output, map, writer_settings(folder, shape));
        for (const auto& pair : pairs) expected[partitioner.partition_of(pair.first)].push_back(pair);
      }
      BOOST_TEST(files_in(folder.file("shuffle-7")) == 10u);  // data and index, no spill
      for (std::int32_t partition = 0; partition < shape.partitions; ++partition) {
        auto got = read_all(*reader_of(folder, output, shape, 5, partition));
        BOOST_TEST(
            std::is_sorted(got.begin(), got.end(), [](const Pair& a, const Pair& b) { return a.first < b.first; }));
        auto& wanted = expected[partition];
        std::sort(wanted.begin(), wanted.end());
        std::sort(got.begin(), got.end());
        BOOST_TEST((got == wanted));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(equal_keys_keep_the_order_of_map_and_position) {
  const ScratchFolder folder;
  const auto& shape = shapes[1];
  const auto output = output_of(1);
  Pairs expected;
  for (std::int32_t map = 0; map < 3; ++map) {
    Pairs pairs;
    for (int i = 0; i < 2000; ++i)
      pairs.emplace_back(i % 2 == 0 ? "even" : "a long key that is odd", std::to_string(map * 10000 + i));
    write_map(pairs, output, map, writer_settings(folder, shape));
    expected.insert(expected.end(), pairs.begin(), pairs.end());
  }
  std::stable_sort(expected.begin(), expected.end(), [](const Pair& a, const Pair& b) { return a.first < b.first; });
  BOOST_TEST((read_all(*reader_of(folder, output, shape, 3, 0)) == expected));
}

// Twice as many maps as are merged at once, handed over from memory or as files in any mixture, with room for all or
// for little.
BOOST_AUTO_TEST_CASE(what_arrives_when_and_how_changes_nothing) {
  const ScratchFolder folder;
  constexpr std::int32_t maps = 70;
  for (const auto order : {ShuffleDescription::Order::sorted, ShuffleDescription::Order::none}) {
    auto output = output_of(1);
    output.description.order = order;
    Pairs expected;
    for (std::int32_t map = 0; map < maps; ++map) {
      Pairs pairs;
      for (int i = 0; i < 40; ++i) pairs.emplace_back(i % 3 == 0 ? "one" : "another", std::to_string(map * 100 + i));
      write_map(pairs, output, map, writer_settings(folder, shapes[0]));
      expected.insert(expected.end(), pairs.begin(), pairs.end());
    }
    if (order == ShuffleDescription::Order::sorted)
      std::stable_sort(expected.begin(), expected.end(),
                       [](const Pair& a, const Pair& b) { return a.first < b.first; });
    std::mt19937_64 random{1};
    for (int round = 0; round < 20; ++round) {
      std::vector<std::int32_t> arrival(maps);
      for (std::int32_t map = 0; map < maps; ++map) arrival[static_cast<std::size_t>(map)] = map;
      std::shuffle(arrival.begin(), arrival.end(), random);
      ShuffleReaderSettings settings;
      settings.spill_directory = folder.file("reduce");
      settings.memory_bytes = round % 2 == 0 ? 1000 : 1 << 20;
      settings.block_bytes = 300;
      auto reader = checked(ShuffleReader::open(output.description, settings));
      for (const auto map : arrival) checked(reader->add(fetch(folder.path(), map, 0, random() % 4 != 0)));
      BOOST_TEST((read_all(*reader) == expected), "round " << round);
      BOOST_TEST(reader->bytes_spilled() >= (round % 2 == 0 ? reader->bytes_in() / 2 : 0));
    }
    BOOST_TEST(files_in(folder.file("reduce")) == 0u);
  }
}

BOOST_AUTO_TEST_CASE(without_an_order_records_stay_as_they_came) {
  const ScratchFolder folder;
  for (const auto& shape : shapes) {
    auto output = output_of(1);
    output.description.order = ShuffleDescription::Order::none;
    const auto first = random_pairs(shape, 1);
    const auto second = random_pairs(shape, 2);
    write_map(first, output, 0, writer_settings(folder, shape));
    write_map(second, output, 1, writer_settings(folder, shape));
    const auto got = read_all(*reader_of(folder, output, shape, 2, 0));
    auto expected = first;
    expected.insert(expected.end(), second.begin(), second.end());
    BOOST_TEST((got == expected), shape.name);
  }
}

/// Number of descriptors of this process for files below the folder.
std::size_t open_files_below(const std::string& folder) {
  std::size_t count = 0;
  std::error_code gone;
  for (const auto& each : std::filesystem::directory_iterator{"/proc/self/fd"})
    count += std::filesystem::read_symlink(each.path(), gone).string().starts_with(folder) ? 1U : 0U;
  return count;
}

BOOST_AUTO_TEST_CASE(a_file_is_closed_after_its_last_record_and_without_an_order_one_is_open_at_a_time) {
  constexpr std::int32_t maps = 12;
  for (const auto order : {ShuffleDescription::Order::sorted, ShuffleDescription::Order::none}) {
    const ScratchFolder folder;
    auto output = output_of(1);
    output.description.order = order;
    for (std::int32_t map = 0; map < maps; ++map)
      write_map({{"key", std::to_string(map)}}, output, map, writer_settings(folder, shapes[4]));
    const auto reader = reader_of(folder, output, shapes[4], maps, 0);
    RecordBatch batch;
    std::size_t records = 0;
    std::size_t most = 0;
    while (checked(reader->next(batch))) {
      records += batch.size();
      most = std::max(most, open_files_below(folder.path()));
    }
    BOOST_TEST(records == static_cast<std::size_t>(maps));
    BOOST_TEST(most == (order == ShuffleDescription::Order::none ? 1U : static_cast<std::size_t>(maps)));
    BOOST_TEST(open_files_below(folder.path()) == 0U);
  }
}

BOOST_AUTO_TEST_CASE(a_key_field_order_is_kept_through_spills) {
  const ScratchFolder folder;
  const auto& shape = shapes[1];
  auto output = output_of(1);
  output.description.comparator = ComparatorKind::key_field;
  output.description.comparator_options = "-k2,2nr -k1,1";
  Pairs pairs;
  for (int i = 0; i < 3000; ++i)
    pairs.emplace_back("k" + std::to_string(i % 7) + "\t" + std::to_string(i % 100), std::to_string(i));
  write_map(pairs, output, 0, writer_settings(folder, shape));
  const auto got = read_all(*reader_of(folder, output, shape, 1, 0));
  const auto comparator = checked(KeyComparator::make(output.description));
  BOOST_TEST(got.size() == pairs.size());
  for (std::size_t i = 0; i + 1 < got.size(); ++i) BOOST_TEST(comparator.compare(got[i].first, got[i + 1].first) <= 0);
}

BOOST_AUTO_TEST_CASE(readers_that_spill_into_one_folder_do_not_meet) {
  const ScratchFolder folder;
  const auto& shape = shapes[3];
  const auto output = output_of(2);
  for (std::int32_t map = 0; map < 3; ++map)
    write_map(random_pairs(shape, static_cast<std::uint64_t>(map) + 1), output, map, writer_settings(folder, shape));
  ShuffleReaderSettings settings;
  settings.spill_directory = folder.file("reduce");
  settings.memory_bytes = shape.reader_memory;
  settings.block_bytes = shape.block_bytes;
  auto first = checked(ShuffleReader::open(output.description, settings));
  auto second = checked(ShuffleReader::open(output.description, settings));
  for (std::int32_t map = 0; map < 3; ++map) {
    checked(first->add(fetch(folder.path(), map, 0, true)));
    checked(second->add(fetch(folder.path(), map, 1, true)));
  }
  BOOST_TEST(first->bytes_spilled() > 0);
  BOOST_TEST((read_all(*first) == read_all(*reader_of(folder, output, shape, 3, 0))));
  BOOST_TEST((read_all(*second) == read_all(*reader_of(folder, output, shape, 3, 1))));
}

// Adds up the values of each key. Equal keys must be next to each other.
Result<Done> sum(RecordStream& records, const RecordSink& sink) {
  std::optional<std::string> key;
  std::int64_t total = 0;
  for (const auto& [next_key, value] : read_all(records)) {
    if (key && *key != next_key) {
      if (auto done = sink(*key, std::to_string(total)); !done) return done;
      total = 0;
    }
    key = next_key;
    total += std::stoll(value);
  }
  return key ? sink(*key, std::to_string(total)) : Result<Done>{Done{}};
}

BOOST_AUTO_TEST_CASE(a_combiner_runs_on_spills_and_at_the_merge_and_loses_nothing) {  // SH-7, C-E4-18
  const ScratchFolder folder;
  const auto& shape = shapes[1];
  const auto output = output_of(2);
  Pairs pairs;
  for (int i = 0; i < 5000; ++i) pairs.emplace_back("key" + std::to_string(i % 10), "1");
  const auto written = write_map(pairs, output, 0, writer_settings(folder, shape), sum);
  BOOST_TEST(written.bytes_spilled > 0);
  BOOST_TEST(written.counts.combine_records_in >= 5000);
  BOOST_TEST(written.counts.combine_records_out >= 10);
  BOOST_TEST(written.counts.combine_records_out < written.counts.combine_records_in);
  Pairs got;
  for (std::int32_t partition = 0; partition < 2; ++partition) {
    const auto some = read_all(*reader_of(folder, output, shape, 1, partition));
    got.insert(got.end(), some.begin(), some.end());
  }
  BOOST_TEST(got.size() == 10u);
  for (const auto& [key, value] : got) BOOST_TEST(value == "500");
}

BOOST_AUTO_TEST_CASE(a_record_larger_than_the_memory_passes) {
  const ScratchFolder folder;
  const auto& shape = shapes[1];
  const auto output = output_of(1);
  const Pairs pairs{{"b", "2"}, {"c", std::string(300 << 10, 'x')}, {"a", "1"}};
  write_map(pairs, output, 0, writer_settings(folder, shape));
  const Pairs expected{{"a", "1"}, {"b", "2"}, {"c", std::string(300 << 10, 'x')}};
  BOOST_TEST((read_all(*reader_of(folder, output, shape, 1, 0)) == expected));
}

// The lengths alone are refused: the bytes of such a record are not read.
BOOST_AUTO_TEST_CASE(a_record_too_large_for_its_encoding_is_an_error_however_much_memory_there_is) {
  const ScratchFolder folder;
  const std::string_view huge{"x", std::size_t{5} << 30};
  auto settings = writer_settings(folder, shapes[0]);
  settings.memory_bytes = std::int64_t{8} << 30;  // of address space
  auto writer = checked(ShuffleWriter::open(output_of(1), 0, "0.0", settings));
  checked(writer->add("key", "value"));
  auto file = checked(FileHandle::create(folder.file("segment")));
  SegmentWriter segment{file, ShuffleCompression::none, 1 << 10};
  for (const auto& [key, value] : {Record{"key", huge}, Record{huge, "value"}}) {
    for (const auto& added : {writer->add(key, value), segment.add(key, value)}) {
      BOOST_REQUIRE(!added.has_value());
      BOOST_TEST((added.error().code == Errc::usage));
      BOOST_TEST(added.error().text == "a record of more than 2 GiB cannot be shuffled");
    }
  }
}

BOOST_AUTO_TEST_CASE(a_task_without_records_leaves_an_empty_output) {
  const ScratchFolder folder;
  const auto output = output_of(3);
  const auto written = write_map({}, output, 0, writer_settings(folder, shapes[0]));
  BOOST_TEST(written.bytes == 0);
  BOOST_TEST(written.partition_bytes.size() == 3u);
  BOOST_TEST(read_all(*reader_of(folder, output, shapes[0], 1, 2)).empty());
}

BOOST_AUTO_TEST_CASE(a_writer_that_is_given_up_leaves_nothing) {
  const ScratchFolder folder;
  {
    auto writer = checked(ShuffleWriter::open(output_of(1), 0, "0.0", writer_settings(folder, shapes[1])));
    for (const auto& [key, value] : random_pairs(shapes[1], 1)) checked(writer->add(key, value));
  }
  BOOST_TEST(files_in(folder.file("shuffle-7")) == 0u);
  BOOST_TEST((read_shuffle_index(folder.path(), ShuffleId{7}, 0).error().code == Errc::not_found));
}

BOOST_AUTO_TEST_CASE(an_output_that_may_be_read_is_not_replaced_by_a_late_attempt) {
  const ScratchFolder folder;
  const auto output = output_of(2);
  const auto settings = writer_settings(folder, shapes[0]);
  const auto first = write_map({{"a", "1"}, {"b", "1"}}, output, 0, settings, {}, "1.0");
  const auto before = checked(read_shuffle_index(folder.path(), ShuffleId{7}, 0));
  for (const char* late : {"1.1", "1.0", "0.3"}) {
    const auto other = write_map({{"a", "longer than the first one"}}, output, 0, settings, {}, late);
    const auto now = checked(read_shuffle_index(folder.path(), ShuffleId{7}, 0));
    BOOST_TEST(now.data_path == before.data_path);
    BOOST_TEST(other.partition_bytes == first.partition_bytes, boost::test_tools::per_element());
    BOOST_TEST(files_in(folder.file("shuffle-7")) == 2U);
  }
}

BOOST_AUTO_TEST_CASE(an_output_whose_data_is_gone_is_written_again_by_the_same_stage_attempt) {
  const ScratchFolder folder;
  const auto output = output_of(1);
  write_map({{"a", "1"}}, output, 0, writer_settings(folder, shapes[0]), {}, "0.0");
  std::filesystem::remove(checked(read_shuffle_index(folder.path(), ShuffleId{7}, 0)).data_path);
  write_map({{"b", "2"}}, output, 0, writer_settings(folder, shapes[0]), {}, "0.1");
  BOOST_TEST((read_all(*reader_of(folder, output, shapes[0], 1, 0)) == Pairs{{"b", "2"}}));
}

BOOST_AUTO_TEST_CASE(a_later_stage_attempt_takes_the_place_of_an_earlier_one) {
  const ScratchFolder folder;
  const auto output = output_of(1);
  write_map({{"old", "1"}}, output, 0, writer_settings(folder, shapes[0]));
  const auto before = checked(read_shuffle_index(folder.path(), ShuffleId{7}, 0));
  write_map({{"new", "2"}}, output, 0, writer_settings(folder, shapes[0]));
  BOOST_TEST((read_all(*reader_of(folder, output, shapes[0], 1, 0)) == Pairs{{"new", "2"}}));
  BOOST_TEST(std::filesystem::exists(before.data_path));  // whoever reads it goes on
}

}  // namespace
}  // namespace shuffle_test
}  // namespace heddle::work
