// Goal: a broken file, a lack of descriptors and a full disk are errors that name their cause, and only a broken output
// is a lost one. Method: bytes are changed, descriptors and space are taken away.
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <optional>

#include "tests/support/scarcity.hpp"
#include "tests/support/shuffle_pairs.hpp"
#include "work/shuffle/record_arena.hpp"

namespace heddle::work {
namespace shuffle_test {
namespace {

void write_two_maps(const ScratchFolder& folder, const ShuffleOutput& output) {
  for (std::int32_t map = 0; map < 2; ++map)
    write_map(random_pairs(shapes[4], 1), output, map, writer_settings(folder, shapes[4]));
}

/// Maps 0 and 1; two bytes of the data of map 1 are wrong.
void write_good_and_broken_map(const ScratchFolder& folder, const ShuffleOutput& output) {
  write_two_maps(folder, output);
  const auto index = checked(read_shuffle_index(folder.path(), ShuffleId{7}, 1));
  std::fstream file{index.data_path, std::ios::in | std::ios::out | std::ios::binary};
  file.seekp(index.offsets[1] - 5);
  file.put('#').put('#');
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
  write_good_and_broken_map(folder, output);
  auto reader = reader_of(folder, output, shapes[4], 2, 0);
  RecordBatch batch;
  auto more = reader->next(batch);
  while (more && *more) more = reader->next(batch);
  BOOST_REQUIRE(!more);
  BOOST_TEST((more.error().code == Errc::corrupt));
  BOOST_TEST(reader->failed_map() == 1);
}

BOOST_AUTO_TEST_CASE(a_broken_file_is_noticed_when_it_is_added_if_the_reader_verifies_files) {
  const ScratchFolder folder;
  const auto output = output_of(1);
  write_good_and_broken_map(folder, output);
  ShuffleReaderSettings settings;
  settings.verifies_files = true;
  auto reader = checked(ShuffleReader::open(output.description, settings));
  BOOST_TEST(reader->add(fetch(folder.path(), 0, 0, false)).has_value());
  const auto added = reader->add(fetch(folder.path(), 1, 0, false));
  BOOST_REQUIRE(!added);
  BOOST_TEST((added.error().code == Errc::corrupt));
  BOOST_TEST(reader->failed_map() == 1);
  RecordBatch batch;  // the damaged segment is not part of the merge
  auto more = reader->next(batch);
  while (more && *more) more = reader->next(batch);
  BOOST_TEST(more.has_value());
}

// A shortage here says nothing about the output: the attempt fails, the map is not run again.
BOOST_AUTO_TEST_CASE(want_of_descriptors_is_no_loss_of_an_output) {
  const ScratchFolder folder;
  const auto output = output_of(1);
  write_two_maps(folder, output);
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
