// Where a map of Hadoop spills (rule ST-13): the positions of its ring buffer, without the bytes. A spill is taken to
// end before the next record comes. Cost: constant per record.
//
//   equator                    data ->            | free |           <- 16 bytes of index per record        equator
//   '---------------------------------- the ring, `size_` bytes ------------------------------------------------'
#pragma once

#include <cstdint>

#include "work/files/single_writer_counter.hpp"

namespace heddle::work {

/// Length of a number as Hadoop's vint: 1 byte up to 127, otherwise 1 and the bytes that it needs.
[[nodiscard]] constexpr std::int64_t vint_bytes(std::int64_t number) {
  std::int64_t bytes = 1;
  if (number > 127)
    for (bytes = 2; number > 255; number >>= 8) ++bytes;
  return bytes;
}

/// Lengths of a serialised record. A Text is its length as vint, then its bytes.
struct SerialisedSize {
  std::int64_t key_head = 0;
  std::int64_t key = 0;
  std::int64_t value_head = 0;
  std::int64_t value = 0;

  [[nodiscard]] constexpr std::int64_t key_bytes() const { return key_head + key; }
  [[nodiscard]] constexpr std::int64_t value_bytes() const { return value_head + value; }
  [[nodiscard]] constexpr std::int64_t bytes() const { return key_bytes() + value_bytes(); }
};

class HadoopSpills {
public:
  struct Step {
    bool spills_before = false;  // the records before this one
    bool is_alone = false;       // the record does not fit into the empty buffer: it is a spill of its own
  };

  HadoopSpills(std::int32_t size_mib, float spill_part);

  [[nodiscard]] Step add(const SerialisedSize& record) {
    const auto bytes = record.bytes();
    const auto left = room_ - index_bytes - bytes;
    if (left <= 0 || data_ + bytes > void_) return add_slowly(record);
    room_ = left;
    mark_ = data_ += bytes;
    step_back();
    count(bytes);
    return {};
  }
  /// MAP_OUTPUT_BYTES of the records so far. Can be called from any thread.
  [[nodiscard]] std::int64_t bytes() const { return bytes_.value(); }
  [[nodiscard]] std::int64_t size() const { return size_; }

private:
  static constexpr std::int64_t index_bytes = 16;

  [[nodiscard]] Step add_slowly(const SerialisedSize& record);
  /// True if the records before this one are spilled.
  [[nodiscard]] bool begin_record();
  [[nodiscard]] bool write(std::int64_t bytes, Step& step);
  [[nodiscard]] bool write_text(std::int64_t head, std::int64_t bytes, Step& step);
  [[nodiscard]] bool write_record(const SerialisedSize& record, Step& step);
  /// Frees memory for `bytes`, or returns false if the empty buffer is too small.
  [[nodiscard]] bool free_room(std::int64_t bytes, Step& step);
  [[nodiscard]] bool has_spill_to_reclaim() const;
  [[nodiscard]] bool move_key(std::int64_t key_bytes, Step& step);
  void spill();
  void reclaim_spill();
  void set_equator(std::int64_t position);
  [[nodiscard]] std::int64_t before(std::int64_t position) const;
  [[nodiscard]] std::int64_t distance(std::int64_t from, std::int64_t to) const {
    return from <= to ? to - from : size_ - from + to;
  }
  void step_back() { index_ = index_ >= index_bytes ? index_ - index_bytes : index_ - index_bytes + size_; }
  void count(std::int64_t bytes) {
    bytes_.add(bytes);
    ++records_;
  }

  std::int64_t size_;
  std::int64_t soft_;  // bytes of records and index that start a spill
  std::int64_t equator_ = 0;
  std::int64_t index_ = 0;        // of the next record
  std::int64_t index_end_ = 0;    // of the last spill
  std::int64_t data_ = 0;         // next byte
  std::int64_t mark_ = 0;         // end of the last record
  std::int64_t spill_start_ = 0;  // data of the last spill
  std::int64_t spill_end_ = 0;
  std::int64_t void_;  // end of the data before the ring wraps
  std::int64_t room_;  // bytes until the next look
  SingleWriterCounter bytes_;
  std::int64_t records_ = 0;
};

}  // namespace heddle::work
