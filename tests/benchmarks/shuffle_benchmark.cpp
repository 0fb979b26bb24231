// Speed of the data path in two threads: reads lines, then sorts 10 M records of 100 bytes by their first ten, with map
// outputs and a merge to text; page cache, no commit. Arguments: records, folder. The seed is fixed. Compare with
// LC_ALL=C sort --parallel=2 -k1.1,1.10 of the same file.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "model/random_stream.hpp"
#include "work/files/local_file_system.hpp"
#include "work/output/output_writer.hpp"
#include "work/records/record_reader.hpp"
#include "work/shuffle/shuffle_index.hpp"
#include "work/shuffle/shuffle_reader.hpp"
#include "work/shuffle/shuffle_writer.hpp"

namespace {

using namespace heddle;
using namespace heddle::work;
using Clock = std::chrono::steady_clock;

constexpr std::int32_t maps = 8;
constexpr std::int32_t partitions = 2;
constexpr std::int64_t record_bytes = 100;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

template <class T>
T checked(Result<T> result) {
  if (result) return std::move(result).value();
  std::fprintf(stderr, "shuffle_benchmark: %s\n", result.error().text.c_str());
  std::exit(1);
}

void make_input(const std::string& path, std::int64_t records) {
  RandomStream random{7};
  std::ofstream file{path, std::ios::binary};
  std::string line(record_bytes, '\n');
  for (std::int64_t i = 0; i < records; ++i) {
    for (std::size_t at = 0; at + 1 < line.size(); ++at) line[at] = static_cast<char>('!' + random.below(90));
    file << line;
  }
}

void on_two_threads(std::int32_t count, const std::function<void(std::int32_t)>& run) {
  std::atomic<std::int32_t> next{0};
  const auto take = [&] {
    for (auto index = next++; index < count; index = next++) run(index);
  };
  std::thread other{take};
  take();
  other.join();
}

void map_task(const std::string& folder, const ShuffleOutput& output, std::int64_t bytes, std::int32_t map) {
  ShuffleWriterSettings settings;
  settings.directory = folder;
  auto writer = checked(ShuffleWriter::open(output, map, "0.0", settings));
  const auto begin = bytes * map / maps;
  auto reader =
      checked(open_records(local_files(), {}, {folder + "/in", begin, bytes * (map + 1) / maps - begin, {}}, {}));
  RecordBatch batch;
  while (checked(reader->next(batch)))
    for (const auto& record : batch) checked(writer->add(record.value.substr(0, 10), record.value.substr(10)));
  checked(writer->finish());
}

void reduce_task(const std::string& folder, const ShuffleOutput& output, std::int32_t partition) {
  ShuffleReaderSettings settings;
  settings.spill_directory = folder + "/spill";
  auto reader = checked(ShuffleReader::open(output.description, settings));
  for (std::int32_t map = 0; map < maps; ++map) {
    const auto index = checked(read_shuffle_index(folder, output.shuffle, map));
    ports::FetchedSegment segment;
    segment.map = map;
    segment.path = index.data_path;
    segment.offset = index.offsets[static_cast<std::size_t>(partition)];
    segment.length = index.length(partition);
    checked(reader->add(std::move(segment)));
  }
  TextOutput text;
  text.path = folder + "/out";
  auto writer =
      checked(OutputWriter::open(local_files(), text, {1, "attempt-" + std::to_string(partition), partition}));
  RecordBatch batch;
  while (checked(reader->next(batch)))
    for (const auto& record : batch) checked(writer->add(record, ""));
  checked(writer->finish());
}

void run(std::int64_t records, const std::string& folder) {
  const auto bytes = records * record_bytes;
  make_input(folder + "/in", records);
  auto start = Clock::now();
  auto reader = checked(open_records(local_files(), {}, {folder + "/in", 0, bytes, {}}, {}));
  RecordBatch batch;
  while (checked(reader->next(batch))) continue;
  std::printf("line_records %.0f MB/s\n", static_cast<double>(bytes) / 1e6 / seconds_since(start));
  ShuffleOutput output;
  output.shuffle = ShuffleId{1};
  output.partitions = partitions;
  start = Clock::now();
  on_two_threads(maps, [&](std::int32_t map) { map_task(folder, output, bytes, map); });
  std::printf("sort_map %.2f s\n", seconds_since(start));
  on_two_threads(partitions, [&](std::int32_t partition) { reduce_task(folder, output, partition); });
  std::printf("sort_whole %.2f s\n", seconds_since(start));
}

}  // namespace

int main(int argc, char** argv) {
  const auto records = argc > 1 ? std::atoll(argv[1]) : 10'000'000;
  std::string folder =
      argc > 2 ? argv[2] : (std::filesystem::temp_directory_path() / "heddle-shuffle-benchmark").string();
  std::filesystem::create_directories(folder);
  run(records, folder);
  std::filesystem::remove_all(folder);
}
