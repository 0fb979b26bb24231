// Encoding of shuffled records. A segment is a sequence of blocks; a block is a sequence of complete records.
//   block   header of 24 bytes, then `stored_bytes` bytes, compressed with `codec`
//   header  u32 stored_bytes, u32 raw_bytes, u32 records, u32 codec,
//           u64 xxh3 of the 16 bytes before it and of the stored bytes
//   record  varint key length, varint value length, key, value
// Numbers are little-endian. Concatenated segments are a valid segment.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"
#include "work/records/record.hpp"

namespace heddle::work {

enum class ShuffleCompression : std::uint8_t { none, lz4, zstd };

struct BlockHeader {
  std::uint32_t stored_bytes = 0;
  std::uint32_t raw_bytes = 0;
  std::uint32_t records = 0;
  std::uint32_t codec = 0;  // ShuffleCompression
  std::uint64_t checksum = 0;
};
inline constexpr std::size_t block_header_bytes = 24;
inline constexpr std::size_t record_bytes_max = std::size_t{1} << 31;  // limit for key and value together

[[nodiscard]] inline bool is_too_large(std::string_view key, std::string_view value) {
  return key.size() + value.size() > record_bytes_max;
}
/// The error of a record that is too large.
[[nodiscard]] Error large_record_error();

/// Writes a varint at `to`, at most 5 bytes; returns the position after it.
inline char* put_length(char* to, std::uint32_t length) {
  while (length >= 0x80) {
    *to++ = static_cast<char>(length | 0x80);
    length >>= 7;
  }
  *to++ = static_cast<char>(length);
  return to;
}

/// Reads a varint at `from`; returns the position after it, or nullptr if it does not end before `end`.
inline const char* get_length(const char* from, const char* end, std::uint32_t& length) {
  std::uint32_t value = 0;
  for (unsigned shift = 0; shift < 35 && from < end; shift += 7) {
    const auto byte = static_cast<unsigned char>(*from++);
    value |= static_cast<std::uint32_t>(byte & 0x7f) << shift;
    if (byte < 0x80) {
      length = value;
      return from;
    }
  }
  return nullptr;
}

/// Reads a record; returns the position after it, or nullptr if it does not end by `end`.
inline const char* get_record(const char* from, const char* end, Record& record) {
  std::uint32_t key = 0;
  std::uint32_t value = 0;
  if ((from = get_length(from, end, key)) == nullptr || (from = get_length(from, end, value)) == nullptr)
    return nullptr;
  if (static_cast<std::size_t>(end - from) < std::size_t{key} + value) return nullptr;
  record.key = {from, key};
  record.value = {from + key, value};
  return from + key + value;
}

/// Collects records into blocks. If compression does not shrink a block, the block is stored uncompressed and
/// compression is skipped for the next blocks.
class BlockBuilder {
public:
  /// `level`: compression level of zstd.
  BlockBuilder(ShuffleCompression compression, std::size_t block_bytes, int level = 1);

  [[nodiscard]] bool is_empty() const { return records_ == 0; }
  [[nodiscard]] std::uint32_t records() const { return records_; }
  [[nodiscard]] std::size_t raw_bytes() const { return used_ - block_header_bytes; }
  [[nodiscard]] bool is_full() const { return raw_bytes() >= block_bytes_; }
  void add(std::string_view key, std::string_view value);
  /// Adds an encoded record.
  void add_encoded(const char* from, std::size_t size) {
    if (raw_.size() - used_ < size) grow(size);
    std::memcpy(raw_.data() + used_, from, size);
    used_ += size;
    ++records_;
  }
  /// Returns header and stored bytes of the block and clears the builder. Valid until the next call.
  [[nodiscard]] std::string_view seal();

private:
  void grow(std::size_t size);
  [[nodiscard]] std::size_t packed_size(std::string_view raw);

  ShuffleCompression compression_;
  int level_;
  std::size_t block_bytes_;
  std::vector<char> raw_;     // starts with space for the header
  std::vector<char> packed_;  // starts with space for the header
  std::size_t used_ = block_header_bytes;
  std::uint32_t records_ = 0;
  std::uint32_t skip_ = 0;  // number of next blocks to store uncompressed
  std::uint32_t skip_next_ = 1;
};

[[nodiscard]] BlockHeader read_block_header(const char* from);
/// Errc::corrupt if the checksum is wrong or the sizes are impossible.
[[nodiscard]] Result<Done> verify_block(const BlockHeader& header, const char* header_bytes, std::string_view stored);
/// Returns the bytes of the records: `stored` itself, or its decompressed form in `room`.
[[nodiscard]] Result<std::string_view> unpack_block(const BlockHeader& header, std::string_view stored,
                                                    std::vector<char>& room);
/// Verifies all blocks of a segment in memory.
[[nodiscard]] Result<Done> verify_segment(std::string_view segment);

}  // namespace heddle::work
