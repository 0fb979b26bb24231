// Random pairs through the shuffle: what writes them, what fetches and reads them, and in which shapes.
#pragma once

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/scratch_folder.hpp"
#include "work/shuffle/shuffle_index.hpp"
#include "work/shuffle/shuffle_reader.hpp"
#include "work/shuffle/shuffle_writer.hpp"

namespace heddle::work::shuffle_test {

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

inline const Shape shapes[] = {
    {"all in memory", 3, 64 << 20, 64 << 20, 64 << 10, ShuffleCompression::lz4, true, 12, 256},
    {"many spills", 3, 20 << 10, 64 << 20, 1 << 10, ShuffleCompression::lz4, true, 12, 256},
    {"more spills than are merged at once", 2, 8 << 10, 64 << 20, 200, ShuffleCompression::zstd, true, 12, 256},
    {"spills of the reader", 2, 20 << 10, 4 << 10, 100, ShuffleCompression::none, true, 12, 256},
    {"segments in files", 4, 20 << 10, 4 << 10, 300, ShuffleCompression::zstd, false, 12, 256},
    {"few keys", 2, 30 << 10, 20 << 10, 1 << 10, ShuffleCompression::lz4, false, 3, 2},
    {"long keys with the same beginning", 1, 64 << 20, 64 << 20, 1 << 10, ShuffleCompression::lz4, true, 60, 1},
    {"keys of zero bytes", 1, 64 << 20, 64 << 20, 1 << 10, ShuffleCompression::lz4, true, 30, 0},
};

inline ShuffleOutput output_of(std::int32_t partitions) {
  ShuffleOutput output;
  output.shuffle = ShuffleId{7};
  output.partitions = partitions;
  return output;
}

inline Pairs random_pairs(const Shape& shape, std::uint64_t seed) {
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

inline ShuffleWritten write_map(const Pairs& pairs, const ShuffleOutput& output, std::int32_t map,
                                const ShuffleWriterSettings& settings, Combine combine = {},
                                const std::string& attempt = {}) {
  static int stage_attempts = 0;  // a later one takes the place of what another round of a test has written
  const auto own = attempt.empty() ? std::to_string(stage_attempts++) + ".0" : attempt;
  auto writer = checked(ShuffleWriter::open(output, map, own, settings, std::move(combine)));
  for (const auto& [key, value] : pairs) checked(writer->add(key, value));
  return checked(writer->finish());
}

inline ports::FetchedSegment fetch(const std::string& directory, std::int32_t map, std::int32_t partition,
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

inline Pairs read_all(RecordStream& stream) {
  Pairs pairs;
  RecordBatch batch;
  while (checked(stream.next(batch))) {
    BOOST_REQUIRE(!batch.empty());
    for (const auto& record : batch) pairs.emplace_back(record.key, record.value);
  }
  return pairs;
}

inline std::unique_ptr<ShuffleReader> reader_of(const ScratchFolder& folder, const ShuffleOutput& output,
                                                const Shape& shape, std::int32_t maps, std::int32_t partition) {
  ShuffleReaderSettings settings;
  settings.spill_directory = folder.file("reduce-" + std::to_string(partition));
  settings.memory_bytes = shape.reader_memory;
  settings.block_bytes = shape.block_bytes;
  auto reader = checked(ShuffleReader::open(output.description, settings));
  for (std::int32_t map = maps - 1; map >= 0; --map)
    checked(reader->add(fetch(folder.path(), map, partition, shape.through_memory)));
  return reader;
}

inline ShuffleWriterSettings writer_settings(const ScratchFolder& folder, const Shape& shape) {
  ShuffleWriterSettings settings;
  settings.directory = folder.path();
  settings.memory_bytes = shape.writer_memory;
  settings.block_bytes = shape.block_bytes;
  settings.compression = shape.compression;
  settings.merge_factor = 8;
  return settings;
}

inline std::size_t files_in(const std::string& folder) {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator{folder}, std::filesystem::directory_iterator{}));
}

}  // namespace heddle::work::shuffle_test
