#include "work/shuffle_reader.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "work/key_comparator.hpp"
#include "work/run_file.hpp"
#include "work/run_merge.hpp"
#include "work/segment_writer.hpp"
#include "work/shuffle_block.hpp"

namespace heddle::work {
namespace {

class MergingReader : public ShuffleReader {
public:
  MergingReader(KeyComparator comparator, bool is_sorted, ShuffleReaderSettings settings)
      : comparator_{std::move(comparator)}, is_sorted_{is_sorted}, settings_{std::move(settings)} {}

  Result<Done> add(ports::FetchedSegment segment) override {
    const auto size = segment.path.empty() ? static_cast<std::int64_t>(segment.bytes.size()) : segment.length;
    if (size == 0) return Done{};
    bytes_in_ += size;
    if (!segment.path.empty()) {
      files_.push_back(std::move(segment));
      return Done{};
    }
    if (auto done = verify_segment(view_of(segment)); !done) {
      failed_map_ = segment.map;
      return done;
    }
    memory_used_ += size;
    in_memory_.push_back(std::move(segment));
    return memory_used_ > settings_.memory_bytes ? spill_memory() : Result<Done>{Done{}};
  }

  Result<bool> next(RecordBatch& batch) override {
    if (!merge_)
      if (auto done = begin(); !done) return done.error();
    auto more = merge_->next(batch);
    if (!more && failed_map_ < 0) failed_map_ = merge_->failed_map();
    if (more && *more) records_ += static_cast<std::int64_t>(batch.size());
    return more;
  }

  std::int32_t failed_map() const override { return failed_map_; }
  std::int64_t bytes_in() const override { return bytes_in_; }
  std::int64_t bytes_spilled() const override { return bytes_spilled_; }
  std::int64_t records_read() const override { return records_; }

private:
  static std::string_view view_of(const ports::FetchedSegment& segment) {
    return {reinterpret_cast<const char*>(segment.bytes.data()), segment.bytes.size()};
  }
  static SegmentPlace place_of(const ports::FetchedSegment& segment) {
    SegmentPlace place;
    place.map = segment.map;
    place.is_verified = segment.path.empty();
    if (segment.path.empty()) {
      place.bytes = view_of(segment);
    } else {
      place.path = segment.path;
      place.offset = segment.offset;
      place.length = segment.length;
    }
    return place;
  }
  // Open files and blocks in memory both set a bound.
  std::size_t segments_at_once() const {
    return static_cast<std::size_t>(std::clamp<std::int64_t>(settings_.memory_bytes / (4 * settings_.block_bytes), 16, 256));
  }

  Result<Done> spill_memory() {
    std::sort(in_memory_.begin(), in_memory_.end(), [](const auto& a, const auto& b) { return a.map < b.map; });
    std::vector<SegmentPlace> places;
    for (const auto& segment : in_memory_) places.push_back(place_of(segment));
    auto done = write_run(std::move(places));
    in_memory_.clear();
    memory_used_ = 0;
    return done;
  }

  // One run out of some segments, behind the runs that there are.
  Result<Done> write_run(std::vector<SegmentPlace> places) {
    std::error_code fault;
    std::filesystem::create_directories(settings_.spill_directory, fault);
    if (fault) return file_error(fault.value(), "make folder", settings_.spill_directory);
    auto run = RunFile::create(settings_.spill_directory + "/run-" + std::to_string(runs_made_++));
    if (!run) return run.error();
    SegmentWriter writer{run->file(), ShuffleCompression::lz4, static_cast<std::size_t>(settings_.block_bytes)};
    RunMerge merge{std::move(places), comparator_, is_sorted_};
    RecordBatch batch;
    for (;;) {
      auto more = merge.next(batch);
      if (!more) {
        failed_map_ = merge.failed_map();
        return more.error();
      }
      if (!*more) break;
      for (const auto& record : batch)
        if (auto done = writer.add(record.key, record.value); !done) return done;
    }
    if (auto done = writer.end_segment(); !done) return done;
    run->end_segment(writer.bytes());
    bytes_spilled_ += writer.bytes();
    if (auto done = run->close(); !done) return done;
    runs_.push_back(std::move(run).value());
    return Done{};
  }

  // Merges until few enough segments are left to merge at once.
  Result<Done> begin() {
    const auto by_map = [](const auto& a, const auto& b) { return a.map < b.map; };
    std::stable_sort(in_memory_.begin(), in_memory_.end(), by_map);
    std::stable_sort(files_.begin(), files_.end(), by_map);
    const auto most = segments_at_once();
    while (is_sorted_ && files_.size() > most) {
      std::vector<SegmentPlace> places;
      for (std::size_t i = 0; i < most; ++i) places.push_back(place_of(files_[i]));
      if (auto done = write_run(std::move(places)); !done) return done;
      files_.erase(files_.begin(), files_.begin() + static_cast<std::ptrdiff_t>(most));
    }
    while (is_sorted_ && runs_.size() > most) {
      std::vector<SegmentPlace> places;
      for (std::size_t i = 0; i < most; ++i) places.push_back(runs_[i].place(0));
      if (auto done = write_run(std::move(places)); !done) return done;
      runs_.erase(runs_.begin(), runs_.begin() + static_cast<std::ptrdiff_t>(most));
    }
    std::vector<SegmentPlace> places;
    for (const auto& segment : files_) places.push_back(place_of(segment));
    for (const auto& segment : in_memory_) places.push_back(place_of(segment));
    std::stable_sort(places.begin(), places.end(), by_map);
    for (std::size_t i = 0; i < runs_.size(); ++i) places.insert(places.begin() + static_cast<std::ptrdiff_t>(i), runs_[i].place(0));
    merge_.emplace(std::move(places), comparator_, is_sorted_);
    return Done{};
  }

  KeyComparator comparator_;
  bool is_sorted_;
  ShuffleReaderSettings settings_;
  std::vector<ports::FetchedSegment> in_memory_;
  std::vector<ports::FetchedSegment> files_;
  std::vector<RunFile> runs_;
  int runs_made_ = 0;
  std::optional<RunMerge> merge_;
  std::int64_t memory_used_ = 0;
  std::int64_t bytes_in_ = 0;
  std::int64_t bytes_spilled_ = 0;
  std::int64_t records_ = 0;
  std::int32_t failed_map_ = -1;
};

}  // namespace

Result<std::unique_ptr<ShuffleReader>> ShuffleReader::open(const ShuffleDescription& description, const ShuffleReaderSettings& settings) {
  auto comparator = KeyComparator::make(description);
  if (!comparator) return comparator.error();
  const bool is_sorted = description.order == ShuffleDescription::Order::sorted;
  return std::unique_ptr<ShuffleReader>{std::make_unique<MergingReader>(std::move(comparator).value(), is_sorted, settings)};
}

}  // namespace heddle::work
