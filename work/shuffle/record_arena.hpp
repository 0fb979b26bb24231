// Memory buffer of a map task: encoded records, and an array of entries that is sorted instead of the records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/result.hpp"
#include "work/records/record.hpp"
#include "work/shuffle/shuffle_block.hpp"

namespace heddle::work {

/// Entry of one record. `where` is the partition (24 bits) and the offset in the arena (40 bits), so that equal keys
/// keep their input order.
struct RecordEntry {
  std::uint64_t prefix = 0;
  std::uint64_t where = 0;

  [[nodiscard]] std::uint32_t partition() const { return static_cast<std::uint32_t>(where >> 40); }
  [[nodiscard]] std::uint64_t offset() const { return where & 0xffffffffffu; }
};

class RecordArena {
public:
  /// `bytes` of address space are reserved at the first record; pages are allocated when they are written.
  explicit RecordArena(std::size_t bytes) : bytes_{bytes} {}
  ~RecordArena();
  RecordArena(const RecordArena&) = delete;
  RecordArena& operator=(const RecordArena&) = delete;

  /// Bytes that the record needs, including its entry and the memory to sort it.
  [[nodiscard]] static std::size_t cost(std::string_view key, std::string_view value) {
    return key.size() + value.size() + 10 + 2 * sizeof(RecordEntry);
  }
  [[nodiscard]] bool has_room(std::size_t cost) const {
    return used_ + entries_.size() * 2 * sizeof(RecordEntry) + cost <= size_;
  }
  /// Reserves memory for the first record, or for one that is larger than the arena. Precondition: the arena is empty.
  /// Errc::io if the system refuses.
  [[nodiscard]] Result<Done> make_room(std::size_t cost);
  /// Precondition: has_room.
  void add(std::uint32_t partition, std::string_view key, std::string_view value);
  void clear();

  [[nodiscard]] std::vector<RecordEntry>& entries() { return entries_; }
  [[nodiscard]] const char* base() const { return base_; }
  [[nodiscard]] Record record(const RecordEntry& entry) const {
    Record record;
    get_record(base_ + entry.offset(), base_ + used_, record);
    return record;
  }
  /// The record in the encoding of shuffle_block.hpp.
  [[nodiscard]] std::string_view encoded(const RecordEntry& entry) const {
    const auto* begin = base_ + entry.offset();
    Record record;
    const auto* end = get_record(begin, base_ + used_, record);
    return {begin, static_cast<std::size_t>(end - begin)};
  }

private:
  std::size_t bytes_;
  char* base_ = nullptr;
  std::size_t size_ = 0;
  std::size_t used_ = 0;
  std::vector<RecordEntry> entries_;
};

}  // namespace heddle::work
