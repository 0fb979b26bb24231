#include "work/shuffle/shuffle_reader.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "work/files/single_writer_counter.hpp"
#include "work/records/key_comparator.hpp"
#include "work/shuffle/run_file.hpp"
#include "work/shuffle/run_merge.hpp"
#include "work/shuffle/segment_writer.hpp"
#include "work/shuffle/shuffle_block.hpp"

namespace heddle::work {
namespace {

/// One sorted sequence of records: a segment in memory, a segment in a file, or a merged run.
struct Part {
  std::int32_t map = 0;  // map of the records, or the first of several: orders equal keys
  ports::SegmentBytes bytes;
  std::unique_ptr<RunFile> run;
  SegmentLocation location;

  [[nodiscard]] bool is_in_file() const { return !location.path.empty(); }
};

class MergingReader : public ShuffleReader {
public:
  MergingReader(KeyComparator comparator, bool is_sorted, ShuffleReaderSettings settings,
                std::unique_ptr<ports::MergeRules> rules)
      : comparator_{std::move(comparator)},
        is_sorted_{is_sorted},
        settings_{std::move(settings)},
        rules_{std::move(rules)} {}

  Result<Done> add(ports::FetchedSegment segment) override {
    failed_map_ = -1;  // the segment may be another copy of the one that failed
    const bool is_in_file = !segment.path.empty();
    const auto size = is_in_file ? segment.length : static_cast<std::int64_t>(segment.bytes.size());
    Part part;
    if (segment.is_owned) part.run = std::make_unique<RunFile>(RunFile::adopt(segment.path));
    if (size == 0) return Done{};
    part.map = part.location.map = segment.map;
    part.location.size = &sizes_[segment.map];
    if (is_in_file) {
      part.location.path = std::move(segment.path);
      part.location.offset = segment.offset;
      part.location.length = segment.length;
      if (settings_.verifies_files)
        if (auto done = SegmentCursor{part.location}.verify_blocks(); !done) {
          record_loss(done.error(), segment.map);
          return done;
        }
      bytes_in_ += size;
      parts_.push_back(std::move(part));
      return Done{};
    }
    part.bytes = std::move(segment.bytes);
    part.location.bytes = {reinterpret_cast<const char*>(part.bytes.data()), part.bytes.size()};
    part.location.is_verified = true;
    if (auto done = verify_segment(part.location.bytes); !done) {
      failed_map_ = segment.map;
      return done;
    }
    bytes_in_ += size;
    parts_.push_back(std::move(part));
    if (rules_ && !rules_->keeps_in_memory(size)) return spill(parts_.back());
    memory_used_ += size;
    const bool is_full = rules_ ? rules_->starts_merge(size) : memory_used_ > settings_.memory_bytes;
    return is_full ? spill_memory() : Result<Done>{Done{}};
  }

  Result<bool> next(RecordBatch& batch) override {
    if (!merge_)
      if (auto done = begin(); !done) return done.error();
    auto more = merge_->next(batch);
    if (!more) record_loss(more.error(), merge_->failed_map());
    if (more && *more) records_.add(static_cast<std::int64_t>(batch.size()));
    return more;
  }

  std::int32_t failed_map() const override { return failed_map_; }
  std::int64_t bytes_in() const override { return bytes_in_; }
  std::int64_t bytes_spilled() const override { return bytes_spilled_; }
  std::int64_t records_read() const override { return records_.value(); }
  std::vector<SegmentSize> segment_sizes(std::int32_t maps) const override {
    std::vector<SegmentSize> sizes(static_cast<std::size_t>(maps));
    for (const auto& [map, size] : sizes_)
      if (map < maps) sizes[static_cast<std::size_t>(map)] = size;
    return sizes;
  }

private:
  // A segment counts as lost if its bytes are wrong or missing, not if this process lacks descriptors or memory.
  void record_loss(const Error& error, std::int32_t map) {
    if (failed_map_ < 0 && (error.code == Errc::corrupt || error.code == Errc::not_found)) failed_map_ = map;
  }

  // Limited by open files and by blocks in memory.
  std::size_t files_at_once() const {
    return static_cast<std::size_t>(
        std::clamp<std::int64_t>(settings_.memory_bytes / (4 * settings_.block_bytes), 16, 256));
  }

  Result<std::unique_ptr<RunFile>> new_run() {
    std::error_code fault;
    std::filesystem::create_directories(settings_.spill_directory, fault);
    if (fault) return file_error(fault.value(), "make folder", settings_.spill_directory);
    // Readers of several tasks and processes can share the folder.
    static std::atomic<std::uint64_t> next{0};
    auto run = RunFile::create(settings_.spill_directory + "/run-" + std::to_string(::getpid()) + "-" +
                               std::to_string(next.fetch_add(1)));
    if (!run) return run.error();
    return std::make_unique<RunFile>(std::move(run).value());
  }

  // Spills segments unmerged, so that the result does not depend on the order of arrival.
  Result<Done> spill_memory() {
    for (auto& part : parts_) {
      if (part.is_in_file()) continue;
      if (auto done = spill(part); !done) return done;
    }
    memory_used_ = 0;
    return Done{};
  }

  Result<Done> spill(Part& part) {
    if (!spilled_) {
      auto run = new_run();
      if (!run) return run.error();
      spilled_ = std::move(*run);
    }
    const auto size = static_cast<std::int64_t>(part.location.bytes.size());
    if (auto done = spilled_->file().write(part.location.bytes.data(), part.location.bytes.size()); !done) return done;
    SegmentLocation location;
    location.path = spilled_->path();
    location.offset = bytes_spilled_;
    location.length = size;
    location.size = part.location.size;
    bytes_spilled_ += size;
    part.location = std::move(location);
    part.bytes = {};
    return Done{};
  }

  // Replaces the parts [begin, end) by one merged run.
  Result<Done> merge_parts(std::size_t begin, std::size_t end) {
    auto run = new_run();
    if (!run) return run.error();
    SegmentWriter writer{(*run)->file(), ShuffleCompression::lz4, static_cast<std::size_t>(settings_.block_bytes)};
    std::vector<SegmentLocation> locations;
    for (auto i = begin; i < end; ++i) locations.push_back(parts_[i].location);
    RunMerge merge{std::move(locations), comparator_, is_sorted_};
    RecordBatch batch;
    for (;;) {
      auto more = merge.next(batch);
      if (!more) {
        record_loss(more.error(), merge.failed_map());
        return more.error();
      }
      if (!*more) break;
      for (const auto& record : batch)
        if (auto done = writer.add(record.key, record.value); !done) return done;
    }
    if (auto done = writer.end_segment(); !done) return done;
    (*run)->end_segment(writer.bytes());
    bytes_spilled_ += writer.bytes();
    if (auto done = (*run)->close(); !done) return done;
    Part merged;
    merged.map = parts_[begin].map;
    merged.location = (*run)->location(0);
    merged.run = std::move(*run);
    parts_[begin] = std::move(merged);
    parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(begin) + 1,
                 parts_.begin() + static_cast<std::ptrdiff_t>(end));
    return Done{};
  }

  // Merges neighbours in map order into runs, in rounds over all parts, until the rest can be merged at once.
  Result<Done> begin() {
    if (spilled_)
      if (auto done = spilled_->close(); !done) return done;
    std::stable_sort(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) { return a.map < b.map; });
    const auto most = files_at_once();
    auto files = static_cast<std::size_t>(
        std::count_if(parts_.begin(), parts_.end(), [](const Part& part) { return part.is_in_file(); }));
    for (std::size_t at = 0; is_sorted_ && files > most; ++at) {
      const auto wanted = std::min(most, files - most + 1);
      std::size_t taken = 0;
      auto end = at;
      for (; end < parts_.size() && taken < wanted; ++end) taken += parts_[end].is_in_file() ? 1 : 0;
      if (taken > 1) {
        if (auto done = merge_parts(at, end); !done) return done;
        files -= taken - 1;
      }
      if (at + 1 >= parts_.size()) at = SIZE_MAX;
    }
    std::vector<SegmentLocation> locations;
    for (const auto& part : parts_) locations.push_back(part.location);
    merge_.emplace(std::move(locations), comparator_, is_sorted_);
    return Done{};
  }

  KeyComparator comparator_;
  bool is_sorted_;
  ShuffleReaderSettings settings_;
  std::unique_ptr<ports::MergeRules> rules_;  // null: settings_.memory_bytes
  std::vector<Part> parts_;
  std::map<std::int32_t, SegmentSize> sizes_;  // by map; cursors point to the sizes
  std::unique_ptr<RunFile> spilled_;           // consecutive segments in order of arrival
  std::optional<RunMerge> merge_;
  std::int64_t memory_used_ = 0;
  std::int64_t bytes_in_ = 0;
  std::int64_t bytes_spilled_ = 0;
  SingleWriterCounter records_;
  std::int32_t failed_map_ = -1;
};

}  // namespace

Result<std::unique_ptr<ShuffleReader>> ShuffleReader::open(const ShuffleDescription& description,
                                                           const ShuffleReaderSettings& settings,
                                                           std::unique_ptr<ports::MergeRules> rules) {
  auto comparator = KeyComparator::make(description);
  if (!comparator) return comparator.error();
  const bool is_sorted = description.order == ShuffleDescription::Order::sorted;
  return std::unique_ptr<ShuffleReader>{
      std::make_unique<MergingReader>(std::move(comparator).value(), is_sorted, settings, std::move(rules))};
}

}  // namespace heddle::work
