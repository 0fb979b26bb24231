#include "work/shuffle/hadoop_merges.hpp"

#include <algorithm>

#include "model/java_number.hpp"

namespace heddle::work {
namespace {

using Segments = std::vector<SegmentSize>;

bool is_smaller(const SegmentSize& left, const SegmentSize& right) {
  return left.hadoop_bytes() < right.hadoop_bytes();
}

std::int64_t part_of(std::int64_t whole, float part) { return java::to_long(static_cast<float>(whole) * part); }

/// Merges the `count` first segments that are not empty into one, at its place by size. Returns its records.
std::int64_t merge_first(Segments& segments, std::size_t count) {
  SegmentSize merged;
  auto end = segments.begin();
  for (; end != segments.end() && count > 0; ++end) {
    if (end->records == 0) continue;
    merged.records += end->records;
    merged.bytes += end->bytes;
    --count;
  }
  segments.erase(segments.begin(), end);
  segments.insert(std::lower_bound(segments.begin(), segments.end(), merged, is_smaller), merged);
  return merged.records;
}

std::size_t filled(const Segments& segments) {
  return static_cast<std::size_t>(
      std::count_if(segments.begin(), segments.end(), [](const auto& one) { return one.records > 0; }));
}

/// As records_of_early_merges, for segments in their order. The first `in_memory` of them are merged by the first merge
/// beside its other segments.
std::int64_t early_merges(Segments segments, std::size_t in_memory, std::int32_t factor) {
  const auto most = static_cast<std::size_t>(std::max(2, factor));
  const auto files = segments.size() - in_memory;
  const auto rest = files > most ? (files - 1) % (most - 1) : 0;
  std::size_t width = (rest == 0 ? most : rest + 1) + in_memory;
  std::int64_t records = 0;
  while (filled(segments) > width) {
    records += merge_first(segments, width);
    width = most;
  }
  return records;
}

/// What a reduce of Hadoop does with copied outputs.
class ReduceMerges {
public:
  explicit ReduceMerges(const MapReduceRules& rules)
      : factor_{static_cast<std::size_t>(std::max(2, rules.sort_factor))},
        memory_{part_of(rules.reduce_memory, rules.copy_part)},
        single_max_{part_of(memory_, rules.single_part)},
        merge_at_{part_of(memory_, rules.merge_part)},
        kept_{part_of(rules.reduce_memory, rules.kept_part)} {}

  void copy(const SegmentSize& output) {
    if (output.hadoop_bytes() >= single_max_) return add_file(output);
    in_memory_.push_back(output);
    used_ += output.hadoop_bytes();
    if (used_ < merge_at_) return;
    add_file(sum_of(in_memory_.begin(), in_memory_.end()));
    in_memory_.clear();
    used_ = 0;
  }

  /// Merges what is left for the reducer. Returns the records that all merges have read from files.
  std::int64_t finish() {
    // The largest outputs that fit stay in memory.
    std::stable_sort(in_memory_.begin(), in_memory_.end(), is_smaller);
    auto kept = in_memory_.begin();
    for (; kept != in_memory_.end() && used_ > kept_; ++kept) used_ -= kept->hadoop_bytes();
    const Segments leaving{in_memory_.begin(), kept};
    std::stable_sort(files_.begin(), files_.end(), is_smaller);
    auto segments = leaving;
    std::size_t from_memory = leaving.size();
    if (!leaving.empty() && files_.size() < factor_) {
      files_.push_back(sum_of(leaving.begin(), leaving.end()));
      std::stable_sort(files_.begin(), files_.end(), is_smaller);
      segments.clear();
      from_memory = 0;
    }
    segments.insert(segments.end(), files_.begin(), files_.end());
    read_ += early_merges(std::move(segments), from_memory, static_cast<std::int32_t>(factor_));
    for (const auto& file : files_) read_ += file.records;
    return read_;
  }

private:
  static SegmentSize sum_of(Segments::const_iterator begin, Segments::const_iterator end) {
    SegmentSize sum;
    for (; begin != end; ++begin) {
      sum.records += begin->records;
      sum.bytes += begin->bytes;
    }
    return sum;
  }

  void add_file(const SegmentSize& file) {
    files_.insert(std::upper_bound(files_.begin(), files_.end(), file, is_smaller), file);
    while (files_.size() >= 2 * factor_ - 1) {
      const auto end = files_.begin() + static_cast<std::ptrdiff_t>(factor_);
      const auto merged = sum_of(files_.begin(), end);
      read_ += merged.records;
      files_.erase(files_.begin(), end);
      files_.insert(std::upper_bound(files_.begin(), files_.end(), merged, is_smaller), merged);
    }
  }

  std::size_t factor_;
  std::int64_t memory_;
  std::int64_t single_max_;
  std::int64_t merge_at_;
  std::int64_t kept_;
  std::int64_t used_ = 0;
  Segments in_memory_;
  Segments files_;  // smallest first
  std::int64_t read_ = 0;
};

}  // namespace

std::int64_t records_of_early_merges(std::vector<SegmentSize> segments, std::int32_t factor) {
  if (segments.size() > static_cast<std::size_t>(std::max(2, factor)))
    std::stable_sort(segments.begin(), segments.end(), is_smaller);
  return early_merges(std::move(segments), 0, factor);
}

std::int64_t reduce_spilled_records(const std::vector<SegmentSize>& outputs, const MapReduceRules& rules) {
  ReduceMerges merges{rules};
  for (const auto& output : outputs) merges.copy(output);
  return merges.finish();
}

}  // namespace heddle::work
