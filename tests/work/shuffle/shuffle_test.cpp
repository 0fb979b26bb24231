// Goal: what is shuffled comes out whole, in its partition and in order, however little memory there was.
// Method: random records through writer and reader, held against a sorted list; broken files and a full disk.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <map>
#include <optional>
#include <random>

#include "tests/support/scarcity.hpp"
#include "tests/support/scratch_folder.hpp"
#include "work/records/key_comparator.hpp"
#include "work/records/partitioner.hpp"
#include "work/shuffle/record_arena.hpp"
#include "work/shuffle/shuffle_index.hpp"
#include "work/shuffle/shuffle_reader.hpp"
#include "work/shuffle/shuffle_writer.hpp"

namespace heddle::work {
namespace shuffle_test {
namespace {

using Pair = std::pair<std::string, std::string>;
using Pairs = std::vector<Pair>;

struct Shape {
  const char* name;
  std::int32_t partitions;
  std::int64_t writer_memory;
  std::int64_t reader_memory;
  std::int64_t block_bytes;
  ShuffleCompression compression;
  bool through_memory;  // segments are handed over as bytes
  std::size_t key_bytes_max;
  int alphabet;
};

const Shape shapes[] = {
    {"all in memory", 3, 64 << 20, 64 << 20, 64 << 10, ShuffleCompression::lz4, true, 12, 256},
    {"many spills", 3, 20 << 10, 64 << 20, 1 << 10, ShuffleCompression::lz4, true, 12, 256},
    {"more spills than are merged at once", 2, 8 << 10, 64 << 20, 200, ShuffleCompression::zstd, true, 12, 256},
    {"spills of the reader", 2, 20 << 10, 4 << 10, 100, ShuffleCompression::none, true, 12, 256},
    {"segments in files", 4, 20 << 10, 4 << 10, 300, ShuffleCompression::zstd, false, 12, 256},
    {"few keys", 2, 30 << 10, 20 << 10, 1 << 10, ShuffleCompression::lz4, false, 3, 2},
    {"long keys with the same beginning", 1, 64 << 20, 64 << 20, 1 << 10, ShuffleCompression::lz4, true, 60, 1},
    {"keys of zero bytes", 1, 64 << 20, 64 << 20, 1 << 10, ShuffleCompression::lz4, true, 30, 0},
};

ShuffleOutput output_of(std::int32_t partitions) {
  ShuffleOutput output;
  output.shuffle = ShuffleId{7};
  output.partitions = partitions;
  return output;
}

Pairs random_pairs(const Shape& shape, std::uint64_t seed) {
  std::mt19937_64 random{seed};
  Pairs pairs;
  for (int i = 0; i < 3000; ++i) {
    std::string key(random() % (shape.key_bytes_max + 1), '\0');
    for (auto& c : key)
      if (shape.alphabet > 0)
        c = static_cast<char>(shape.alphabet == 256 ? random()
                                                    : 'a' + random() % static_cast<unsigned>(shape.alphabet));
    std::string value(random() % 40, static_cast<char>('A' + i % 26));
    pairs.emplace_back(std::move(key), std::to_string(i) + value);
  }
  return pairs;
}

template <class T>
T checked(Result<T> result) {
  if (!result) throw std::runtime_error{result.error().text};
  return std::move(result).value();
}

ShuffleWritten write_map(const Pairs& pairs, const ShuffleOutput& output, std::int32_t map,
                         const ShuffleWriterSettings& settings, Combine combine = {}, const std::string& attempt = {}) {
  static int stage_attempts = 0;  // a later one takes the place of what another round of a test has written
  const auto own = attempt.empty() ? std::to_string(stage_attempts++) + ".0" : attempt;
  auto writer = checked(ShuffleWriter::open(output, map, own, settings, std::move(combine)));
  for (const auto& [key, value] : pairs) checked(writer->add(key, value));
  return checked(writer->finish());
}

ports::FetchedSegment fetch(const std::string& directory, std::int32_t map, std::int32_t partition,
                            bool through_memory) {
  const auto index = checked(read_shuffle_index(directory, ShuffleId{7}, map));
  ports::FetchedSegment segment;
  segment.map = map;
  segment.path = index.data_path;
  segment.offset = index.offsets[static_cast<std::size_t>(partition)];
  segment.length = index.length(partition);
  if (!through_memory) return segment;
  std::ifstream file{segment.path, std::ios::binary};
  file.seekg(segment.offset);
  segment.bytes.resize(static_cast<std::size_t>(segment.length));
  file.read(reinterpret_cast<char*>(segment.bytes.data()), segment.length);
  segment.path.clear();
  return segment;
}

Pairs read_all(RecordStream& stream) {
  Pairs pairs;
  RecordBatch batch;
  while (checked(stream.next(batch))) {
    BOOST_REQUIRE(!batch.empty());
    for (const auto& record : batch) pairs.emplace_back(record.key, record.value);
  }
  return pairs;
}

std::unique_ptr<ShuffleReader> reader_of(const ScratchFolder& folder, const ShuffleOutput& output, const Shape& shape,
                                         std::int32_t maps, std::int32_t partition) {
  ShuffleReaderSettings settings;
  settings.spill_directory = folder.file("reduce-" + std::to_string(partition));
  settings.memory_bytes = shape.reader_memory;
  settings.block_bytes = shape.block_bytes;
  auto reader = checked(ShuffleReader::open(output.description, settings));
  for (std::int32_t map = maps - 1; map >= 0; --map)
    checked(reader->add(fetch(folder.path(), map, partition, shape.through_memory)));
  return reader;
}

ShuffleWriterSettings writer_settings(const ScratchFolder& folder, const Shape& shape) {
  ShuffleWriterSettings settings;
  settings.directory = folder.path();
  settings.memory_bytes = shape.writer_memory;
  settings.block_bytes = shape.block_bytes;
  settings.compression = shape.compression;
  settings.merge_factor = 8;
  return settings;
}

std::size_t files_in(const std::string& folder) {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator{folder}, std::filesystem::directory_iterator{}));
}

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
  BOOST_TEST(written.combine_records_in >= 5000);
  BOOST_TEST(written.combine_records_out >= 10);
  BOOST_TEST(written.combine_records_out < written.combine_records_in);
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

BOOST_AUTO_TEST_CASE(every_broken_byte_of_a_segment_is_noticed_and_its_map_named) {
  const ScratchFolder folder;
  const auto output = output_of(1);
  write_map({{"key", "value"}, {"other", "thing"}}, output, 0, writer_settings(folder, shapes[0]));
  const auto good = fetch(folder.path(), 0, 0, true);
  for (std::size_t at = 0; at < good.bytes.size(); ++at) {
    auto bad = good;
    bad.map = 41;
    bad.bytes[at] ^= std::byte{4};
    auto reader = checked(ShuffleReader::open(output.description, {}));
    const auto added = reader->add(bad);
    BOOST_REQUIRE(!added);
    BOOST_TEST((added.error().code == Errc::corrupt));
    BOOST_TEST(reader->failed_map() == 41);
  }
}

BOOST_AUTO_TEST_CASE(a_broken_file_is_noticed_while_it_is_read) {
  const ScratchFolder folder;
  const auto output = output_of(1);
  for (std::int32_t map = 0; map < 2; ++map)
    write_map(random_pairs(shapes[4], 1), output, map, writer_settings(folder, shapes[4]));
  const auto index = checked(read_shuffle_index(folder.path(), ShuffleId{7}, 1));
  std::fstream file{index.data_path, std::ios::in | std::ios::out | std::ios::binary};
  file.seekp(index.offsets[1] - 5);
  file.put('#').put('#');
  file.close();
  auto reader = reader_of(folder, output, shapes[4], 2, 0);
  RecordBatch batch;
  auto more = reader->next(batch);
  while (more && *more) more = reader->next(batch);
  BOOST_REQUIRE(!more);
  BOOST_TEST((more.error().code == Errc::corrupt));
  BOOST_TEST(reader->failed_map() == 1);
}

// A shortage here says nothing about the output: the attempt fails, the map is not run again.
BOOST_AUTO_TEST_CASE(want_of_descriptors_is_no_loss_of_an_output) {
  const ScratchFolder folder;
  const auto output = output_of(1);
  for (std::int32_t map = 0; map < 2; ++map)
    write_map(random_pairs(shapes[4], 1), output, map, writer_settings(folder, shapes[4]));
  auto reader = reader_of(folder, output, shapes[4], 2, 0);
  RecordBatch batch;
  const auto more = [&] {
    const NoDescriptors none;
    return reader->next(batch);
  }();
  BOOST_REQUIRE(!more);
  BOOST_TEST((more.error().code == Errc::io));
  BOOST_TEST(more.error().text.find("Too many open files") != std::string::npos);
  BOOST_TEST(reader->failed_map() == -1);
}

BOOST_AUTO_TEST_CASE(an_index_beyond_all_partitions_is_corrupt_and_not_read) {
  const ScratchFolder folder;
  write_map({{"key", "value"}}, output_of(2), 0, writer_settings(folder, shapes[0]));
  const auto path = shuffle_index_path(folder.path(), ShuffleId{7}, 0);
  std::filesystem::resize_file(path, std::uintmax_t{1} << 42);  // a sparse file
  BOOST_TEST((read_shuffle_index(folder.path(), ShuffleId{7}, 0).error().code == Errc::corrupt));
}

BOOST_AUTO_TEST_CASE(a_sort_buffer_without_addresses_is_an_error) {
  RecordArena arena{std::size_t{1} << 60};
  const auto made = arena.make_room(100);
  BOOST_REQUIRE(!made.has_value());
  BOOST_TEST(made.error().text.find("heddle.shuffle.sort_memory") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_short_or_changed_index_is_corrupt) {
  const ScratchFolder folder;
  write_map({{"key", "value"}}, output_of(2), 0, writer_settings(folder, shapes[0]));
  const auto text = folder.read("shuffle-7/0.index");
  for (std::size_t size = 0; size < text.size(); ++size) {
    folder.write("shuffle-7/0.index", std::string_view{text}.substr(0, size));
    BOOST_TEST((read_shuffle_index(folder.path(), ShuffleId{7}, 0).error().code == Errc::corrupt));
  }
  auto changed = text;
  changed[14] ^= 1;
  folder.write("shuffle-7/0.index", changed);
  BOOST_TEST((read_shuffle_index(folder.path(), ShuffleId{7}, 0).error().code == Errc::corrupt));
}

BOOST_AUTO_TEST_CASE(a_full_disk_is_an_error_that_names_the_file) {
  const ScratchFolder folder;
  Result<Done> done = Done{};
  {
    auto writer = checked(ShuffleWriter::open(output_of(1), 0, "0.0", writer_settings(folder, shapes[1])));
    const FullDisk full{2 << 10};
    for (const auto& [key, value] : random_pairs(shapes[1], 1))
      if (done = writer->add(key, value); !done) break;
  }
  BOOST_REQUIRE(!done);
  BOOST_TEST((done.error().code == Errc::io));
  BOOST_TEST(done.error().text.find("spill") != std::string::npos);
  BOOST_TEST(files_in(folder.file("shuffle-7")) == 0u);
}

BOOST_AUTO_TEST_CASE(a_disk_that_is_full_at_the_end_leaves_no_output) {
  const ScratchFolder folder;
  auto writer = checked(ShuffleWriter::open(output_of(1), 0, "0.0", writer_settings(folder, shapes[0])));
  for (const auto& [key, value] : random_pairs(shapes[0], 1)) checked(writer->add(key, value));
  const auto written = [&] {
    const FullDisk full{2 << 10};
    return writer->finish();
  }();
  writer.reset();
  BOOST_REQUIRE(!written);
  BOOST_TEST((written.error().code == Errc::io));
  BOOST_TEST(files_in(folder.file("shuffle-7")) == 0u);
}

BOOST_AUTO_TEST_CASE(a_full_disk_on_the_reduce_side_is_no_loss_of_an_output) {
  const ScratchFolder folder;
  const auto& shape = shapes[3];
  const auto output = output_of(1);
  for (std::int32_t map = 0; map < 3; ++map)
    write_map(random_pairs(shape, 1), output, map, writer_settings(folder, shape));
  ShuffleReaderSettings settings;
  settings.spill_directory = folder.file("reduce");
  settings.memory_bytes = 1000;
  auto reader = checked(ShuffleReader::open(output.description, settings));
  const auto segment = fetch(folder.path(), 0, 0, true);
  const auto added = [&] {
    const FullDisk full{2 << 10};
    return reader->add(segment);
  }();
  BOOST_REQUIRE(!added);
  BOOST_TEST((added.error().code == Errc::io));
  BOOST_TEST(reader->failed_map() == -1);
  reader.reset();
  BOOST_TEST(files_in(folder.file("reduce")) == 0u);
}

}  // namespace
}  // namespace shuffle_test
}  // namespace heddle::work
