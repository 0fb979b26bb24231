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

/// Returns a number with the same order as the first seven bytes of the key (missing bytes are 0), then as its size, up
/// to eight. Keys with equal numbers are equal if they have at most seven bytes (`is_whole_key`).
[[nodiscard]] inline std::uint64_t key_prefix(const char* key, std::size_t size) {
  std::uint64_t word = 0;
  if (size >= 8) {
    std::memcpy(&word, key, 8);
    return (__builtin_bswap64(word) & ~std::uint64_t{255}) | 8;
  }
  if (size >= 4) {  // two reads that overlap: cheaper than a copy of unknown size
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::memcpy(&first, key, 4);
    std::memcpy(&last, key + size - 4, 4);
    word = first | std::uint64_t{last} << (8 * (size - 4));
  } else if (size > 0) {
    const auto byte = [key](std::size_t at) { return std::uint64_t{static_cast<unsigned char>(key[at])} << (8 * at); };
    word = byte(0) | byte(size / 2) | byte(size - 1);
  }
  return __builtin_bswap64(word) | size;
}
[[nodiscard]] inline bool is_whole_key(std::uint64_t prefix) { return (prefix & 255) < 8; }

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
