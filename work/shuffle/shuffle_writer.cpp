#include "work/shuffle/shuffle_writer.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "work/files/file_handle.hpp"
#include "work/files/single_writer_counter.hpp"
#include "work/records/partitioner.hpp"
#include "work/shuffle/hadoop_merges.hpp"
#include "work/shuffle/hadoop_spills.hpp"
#include "work/shuffle/record_arena.hpp"
#include "work/shuffle/record_sort.hpp"
#include "work/shuffle/run_file.hpp"
#include "work/shuffle/run_merge.hpp"
#include "work/shuffle/segment_writer.hpp"
#include "work/shuffle/shuffle_index.hpp"

namespace heddle::work {
namespace {

constexpr std::size_t prefetch_ahead = 12;

// Sorted part of the arena as a stream, the input of a combiner.
class ArenaStream : public RecordStream {
public:
  ArenaStream(const RecordArena& arena, const RecordEntry* begin, const RecordEntry* end)
      : arena_{arena}, at_{begin}, end_{end} {}
  Result<bool> next(RecordBatch& batch) override {
    batch.clear();
    for (; at_ != end_ && batch.size() < 4096; ++at_) batch.push_back(arena_.record(*at_));
    return !batch.empty();
  }

private:
  const RecordArena& arena_;
  const RecordEntry* at_;
  const RecordEntry* end_;
};

// Counts records.
class CountingStream : public RecordStream {
public:
  CountingStream(RecordStream& inner, SingleWriterCounter& count) : inner_{inner}, count_{count} {}
  Result<bool> next(RecordBatch& batch) override {
    auto more = inner_.next(batch);
    if (more && *more) count_.add(static_cast<std::int64_t>(batch.size()));
    return more;
  }

private:
  RecordStream& inner_;
  SingleWriterCounter& count_;
};

/// Sizes of a record in Hadoop's buffer.
class RecordSizes {
public:
  RecordSizes(const ShuffleDescription& description, const MapReduceRules& rules)
      : has_offset_keys_{rules.has_offset_keys}, has_values_{description.key.fields != 0} {}

  [[nodiscard]] SerialisedSize of(std::string_view key, std::string_view value) const {
    const auto key_bytes = static_cast<std::int64_t>(key.size());
    const auto value_bytes = static_cast<std::int64_t>(value.size());
    SerialisedSize size{vint_bytes(key_bytes), key_bytes, vint_bytes(value_bytes), value_bytes};
    if (has_offset_keys_) size = {0, 8, size.value_head, size.value};
    if (!has_values_) size = {size.key_head, size.key, 0, 0};
    return size;
  }

private:
  bool has_offset_keys_;
  bool has_values_;
};

/// Memory for the records of Hadoop's buffer. A record takes at least 17 bytes there and 42 bytes more than its text
/// here.
std::size_t arena_bytes(const ShuffleWriterSettings& settings) {
  if (!settings.map_reduce) return static_cast<std::size_t>(settings.memory_bytes);
  return (static_cast<std::size_t>(settings.map_reduce->sort_mib) << 20) / 2 * 5;
}

class SortingWriter : public ShuffleWriter {
public:
  SortingWriter(const ShuffleOutput& output, std::int32_t map, std::string attempt, ShuffleWriterSettings settings,
                Combine combine, Partitioner partitioner, KeyComparator comparator)
      : output_{output},
        map_{map},
        settings_{std::move(settings)},
        combine_{std::move(combine)},
        partitioner_{std::move(partitioner)},
        comparator_{std::move(comparator)},
        arena_{arena_bytes(settings_)},
        is_sorted_{output.description.order == ShuffleDescription::Order::sorted} {
    if (const auto& rules = settings_.map_reduce) {
      hadoop_.emplace(rules->sort_mib, rules->spill_part);
      sizes_.emplace(output.description, *rules);
    }
    folder_ = shuffle_folder(settings_.directory, output.shuffle);
    name_ = folder_ + '/' + std::to_string(map) + '-' + attempt;
    if (!is_sorted_) combine_ = {};
  }

  Result<Done> add(std::string_view key, std::string_view value) override {
    if (is_too_large(key, value)) return large_record_error();
    HadoopSpills::Step step;
    if (hadoop_) {
      step = hadoop_->add(sizes_->of(key, value));
      if (step.spills_before)
        if (auto done = spill(); !done) return done;
    }
    const auto cost = RecordArena::cost(key, value);
    if (!arena_.has_room(cost)) {
      if (!arena_.entries().empty())
        if (auto done = spill(); !done) return done;
      if (!arena_.has_room(cost))
        if (auto made = arena_.make_room(cost); !made) return made;
    }
    arena_.add(static_cast<std::uint32_t>(partitioner_.partition_of(key)), key, value);
    counters_.records_in.add(1);
    written_.bytes_in += static_cast<std::int64_t>(key.size() + value.size());
    return step.is_alone ? spill() : Result<Done>{Done{}};
  }

  ShuffleCounts counts() const override {
    return {counters_.records_in.value(), counters_.combine_records_in.value(), counters_.combine_records_out.value(),
            hadoop_ ? hadoop_->bytes() : 0, counters_.spilled_records.value()};
  }
  Result<ShuffleWritten> finish() override {
    auto data = new_data_file();
    if (!data) return data.error();
    auto done = runs_.empty() ? write_arena(*data) : merge_all(*data);
    if (spill_sizes_.size() > 1) counters_.spilled_records.add(merged_records_);
    if (done) done = data->close();
    if (!done) return done.error();
    const auto placed =
        commit_shuffle_index(settings_.directory, output_.shuffle, map_, {data->path(), data->offsets()});
    if (!placed) return placed.error();
    if (placed->partitions() != output_.partitions)
      return Error{Errc::corrupt, "'" + placed->data_path + "' has a different number of partitions"};
    if (placed->data_path == data->path()) data->release();  // otherwise the output of an earlier attempt stays
    runs_.clear();
    written_.counts = counts();
    written_.bytes = placed->offsets.back();
    for (std::int32_t i = 0; i < output_.partitions; ++i) written_.partition_bytes.push_back(placed->length(i));
    return written_;
  }

private:
  // A unique name, so that a file with readers is never overwritten.
  Result<RunFile> new_data_file() const {
    auto path = name_ + ".data";
    for (int turn = 1; ::access(path.c_str(), F_OK) == 0; ++turn) path = name_ + '.' + std::to_string(turn) + ".data";
    return RunFile::create(path);
  }

  SegmentWriter segments(RunFile& run) const {
    return SegmentWriter{run.file(), settings_.compression, static_cast<std::size_t>(settings_.block_bytes),
                         settings_.compression_level};
  }

  Result<Done> spill() {
    auto run = RunFile::create(name_ + ".spill-" + std::to_string(spills_++));
    if (!run) return run.error();
    auto done = write_arena(*run);
    if (done) done = run->close();
    if (!done) return done;
    written_.bytes_spilled += run->offsets().back();
    runs_.push_back(std::move(run).value());
    return Done{};
  }

  Result<Done> write_arena(RunFile& run) {
    const auto starts = sort_records(arena_, output_.partitions, comparator_, is_sorted_);
    auto writer = segments(run);
    std::vector<SegmentSize> sizes;
    const auto* entries = arena_.entries().data();
    for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
      auto done = combine_ ? combine_arena(entries + starts[i], entries + starts[i + 1], writer)
                           : copy_arena(entries + starts[i], entries + starts[i + 1], writer);
      if (done) done = writer.end_segment();
      if (!done) return done;
      run.end_segment(writer.bytes());
      if (hadoop_) sizes.push_back(writer.content());
    }
    arena_.clear();
    counters_.spilled_records.add(writer.content().records);
    if (hadoop_) spill_sizes_.push_back(std::move(sizes));
    return Done{};
  }
  Result<Done> copy_arena(const RecordEntry* begin, const RecordEntry* end, SegmentWriter& writer) const {
    for (const auto* entry = begin; entry != end; ++entry) {
      if (static_cast<std::size_t>(end - entry) > prefetch_ahead) {
        const auto* ahead = arena_.base() + entry[prefetch_ahead].offset();
        __builtin_prefetch(ahead);
        __builtin_prefetch(ahead + 64);
      }
      const auto bytes = arena_.encoded(*entry);
      if (auto done = writer.add_encoded(bytes.data(), bytes.size()); !done) return done;
    }
    return Done{};
  }
  Result<Done> combine_arena(const RecordEntry* begin, const RecordEntry* end, SegmentWriter& writer) {
    ArenaStream stream{arena_, begin, end};
    return begin == end ? Result<Done>{Done{}} : combined(stream, writer);
  }
  Result<Done> combined(RecordStream& stream, SegmentWriter& writer) {
    CountingStream counted{stream, counters_.combine_records_in};
    return combine_(counted, [&](std::string_view key, std::string_view value) {
      counters_.combine_records_out.add(1);
      return writer.add(key, value);
    });
  }

  Result<Done> merge_all(RunFile& data) {
    if (!arena_.entries().empty())
      if (auto done = spill(); !done) return done;
    const auto factor = static_cast<std::size_t>(std::max(2, settings_.merge_factor));
    const bool combines = combine_ && spills_ >= combine_spills_min();
    count_early_merges();
    // Merges neighbours in rounds over all runs, so that no record is written more often than there are rounds.
    for (std::size_t at = 0; is_sorted_ && runs_.size() > factor; ++at) {
      const auto count = std::min({factor, runs_.size() - factor + 1, runs_.size() - at});
      if (count > 1)
        if (auto done = merge_neighbours(at, count); !done) return done;
      if (at + 1 >= runs_.size()) at = SIZE_MAX;
    }
    return merge_runs(0, runs_.size(), combines, data);
  }
  [[nodiscard]] std::size_t combine_spills_min() const {
    // as in Hadoop, which merges nothing if there is one spill
    constexpr std::int32_t standard = 3;
    return static_cast<std::size_t>(
        std::max(2, settings_.map_reduce ? settings_.map_reduce->combine_spills_min : standard));
  }
  /// Counts records of the merges that Hadoop does before the last one. Precondition: all spills are written.
  void count_early_merges() {
    if (!hadoop_) return;
    for (std::size_t partition = 0; partition < spill_sizes_.front().size(); ++partition) {
      std::vector<SegmentSize> segments;
      for (const auto& spill : spill_sizes_) {
        auto size = spill[partition];
        if (partition > 0) {
          size.records -= spill[partition - 1].records;
          size.bytes -= spill[partition - 1].bytes;
        }
        segments.push_back(size);
      }
      counters_.spilled_records.add(records_of_early_merges(std::move(segments), settings_.map_reduce->sort_factor));
    }
  }
  Result<Done> merge_neighbours(std::size_t first, std::size_t count) {
    auto run = RunFile::create(name_ + ".spill-" + std::to_string(spills_++));
    if (!run) return run.error();
    auto done = merge_runs(first, count, false, *run);
    if (done) done = run->close();
    if (!done) return done;
    written_.bytes_spilled += run->offsets().back();
    const auto begin = runs_.begin() + static_cast<std::ptrdiff_t>(first);
    *begin = std::move(run).value();
    runs_.erase(begin + 1, begin + static_cast<std::ptrdiff_t>(count));
    return Done{};
  }
  Result<Done> merge_runs(std::size_t first, std::size_t count, bool combines, RunFile& to) {
    auto writer = segments(to);
    for (std::int32_t partition = 0; partition < output_.partitions; ++partition) {
      auto done = is_sorted_ ? merge_partition(partition, first, count, combines, writer)
                             : join_partition(partition, count, writer);
      if (done) done = writer.end_segment();
      if (!done) return done;
      to.end_segment(writer.bytes());
    }
    merged_records_ = writer.content().records;
    return Done{};
  }
  Result<Done> merge_partition(std::int32_t partition, std::size_t first, std::size_t count, bool combines,
                               SegmentWriter& writer) {
    std::vector<SegmentLocation> locations;
    for (std::size_t i = first; i < first + count; ++i)
      if (auto location = runs_[i].location(static_cast<std::size_t>(partition)); location.length > 0)
        locations.push_back(std::move(location));
    if (locations.empty()) return Done{};
    RunMerge merge{std::move(locations), comparator_, true};
    if (combines) return combined(merge, writer);
    RecordBatch batch;
    for (;;) {
      auto more = merge.next(batch);
      if (!more) return more.error();
      if (!*more) return Done{};
      for (const auto& record : batch)
        if (auto done = writer.add(record.key, record.value); !done) return done;
    }
  }
  // Concatenates the blocks of all runs unchanged.
  Result<Done> join_partition(std::int32_t partition, std::size_t count, SegmentWriter& writer) {
    std::vector<char> room(1 << 20);
    for (std::size_t i = 0; i < count; ++i) {
      auto location = runs_[i].location(static_cast<std::size_t>(partition));
      auto file = FileHandle::open_to_read(location.path);
      if (!file) return file.error();
      while (location.length > 0) {
        const auto size = std::min(room.size(), static_cast<std::size_t>(location.length));
        auto read = file->read_at(room.data(), size, location.offset);
        if (!read) return read.error();
        if (*read < size) return Error{Errc::io, "'" + location.path + "' is shorter than the data that was written"};
        if (auto done = writer.add_sealed({room.data(), size}); !done) return done;
        location.offset += static_cast<std::int64_t>(size);
        location.length -= static_cast<std::int64_t>(size);
      }
    }
    return Done{};
  }

  struct Counters {
    SingleWriterCounter records_in;
    SingleWriterCounter combine_records_in;
    SingleWriterCounter combine_records_out;
    SingleWriterCounter spilled_records;
  };

  ShuffleOutput output_;
  std::int32_t map_;
  ShuffleWriterSettings settings_;
  Combine combine_;
  Partitioner partitioner_;
  KeyComparator comparator_;
  RecordArena arena_;
  bool is_sorted_;
  std::string folder_;
  std::string name_;
  std::vector<RunFile> runs_;
  std::size_t spills_ = 0;
  std::optional<HadoopSpills> hadoop_;
  std::optional<RecordSizes> sizes_;
  /// By spill: content of its segments up to the end of each partition.
  std::vector<std::vector<SegmentSize>> spill_sizes_;
  std::int64_t merged_records_ = 0;  // that the last merge wrote
  Counters counters_;
  ShuffleWritten written_;
};

}  // namespace

Result<std::unique_ptr<ShuffleWriter>> ShuffleWriter::open(const ShuffleOutput& output, std::int32_t map,
                                                           std::string attempt, const ShuffleWriterSettings& settings,
                                                           Combine combine) {
  if (output.partitions > (1 << 24)) return Error{Errc::usage, "a shuffle has at most 16,777,216 partitions"};
  auto partitioner = Partitioner::make(output.description, output.partitions);
  if (!partitioner) return partitioner.error();
  auto comparator = KeyComparator::make(output.description);
  if (!comparator) return comparator.error();
  ShuffleOutput named = output;
  named.shuffle.value += settings.first_shuffle;
  const auto folder = shuffle_folder(settings.directory, named.shuffle);
  std::error_code fault;
  std::filesystem::create_directories(folder, fault);
  if (fault) return file_error(fault.value(), "make folder", folder);
  return std::unique_ptr<ShuffleWriter>{
      std::make_unique<SortingWriter>(named, map, std::move(attempt), settings, std::move(combine),
                                      std::move(partitioner).value(), std::move(comparator).value())};
}

}  // namespace heddle::work
