// Merges sorted segments into one sorted stream with a loser tree. Equal keys: the earlier segment first. Cost:
// log2(segments) comparisons per record; most compare only key prefixes.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "model/result.hpp"
#include "work/records/key_comparator.hpp"
#include "work/records/record.hpp"
#include "work/shuffle/segment_cursor.hpp"

namespace heddle::work {

/// Returns the first eight bytes of a key as a number with the same order as the bytes; missing bytes are 0.
[[nodiscard]] inline std::uint64_t key_prefix(const char* key, std::size_t size) {
  std::uint64_t word = 0;
  if (size != 0) std::memcpy(&word, key, size < 8 ? size : 8);
  return __builtin_bswap64(word);
}

class RunMerge : public RecordStream {
public:
  /// `is_sorted` false: concatenates the segments without comparisons.
  RunMerge(std::vector<SegmentLocation> locations, KeyComparator comparator, bool is_sorted);

  /// A batch ends when the next block of a segment must be read.
  [[nodiscard]] Result<bool> next(RecordBatch& batch) override;
  /// After an error: the map whose segment failed.
  [[nodiscard]] std::int32_t failed_map() const { return failed_map_; }

private:
  struct Head {
    std::uint64_t prefix = 0;
    Record record;
    bool is_over = true;
  };

  [[nodiscard]] Result<bool> next_merged(RecordBatch& batch);
  [[nodiscard]] Result<bool> next_sequential(RecordBatch& batch);
  [[nodiscard]] Result<Done> load(std::size_t run);
  [[nodiscard]] bool is_before(std::size_t left, std::size_t right) const;
  void set_head(std::size_t run, const Record& record);
  void build();
  void replay(std::size_t run);

  std::vector<SegmentCursor> cursors_;
  KeyComparator comparator_;
  bool is_sorted_;
  bool is_built_ = false;
  std::vector<Head> heads_;
  std::vector<std::size_t> losers_;  // [0] is the winner
  std::size_t leaves_ = 1;
  std::size_t waiting_;  // run whose next block must be read; cursors_.size() if none
  std::int32_t failed_map_ = -1;
};

}  // namespace heddle::work
