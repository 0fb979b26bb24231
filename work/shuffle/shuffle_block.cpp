#include "work/shuffle/shuffle_block.hpp"

#include <lz4.h>
#include <xxhash.h>
#include <zstd.h>

#include <algorithm>

namespace heddle::work {
namespace {

Error corrupt(const char* what) { return Error{Errc::corrupt, std::string{"a shuffle block is broken: "} + what}; }

std::uint64_t checksum_of(const char* header, std::string_view stored) {
  return XXH3_64bits_withSeed(stored.data(), stored.size(), XXH3_64bits(header, 16));
}

}  // namespace

Error large_record_error() { return {Errc::usage, "a record of more than 2 GiB cannot be shuffled"}; }

BlockBuilder::BlockBuilder(ShuffleCompression compression, std::size_t block_bytes, int level)
    : compression_{compression},
      level_{level},
      block_bytes_{block_bytes},
      raw_(block_header_bytes + block_bytes + (4 << 10)) {}

void BlockBuilder::grow(std::size_t size) { raw_.resize(std::max(used_ + size, raw_.size() + raw_.size() / 2)); }

void BlockBuilder::add(std::string_view key, std::string_view value) {
  const auto most = 10 + key.size() + value.size();
  if (raw_.size() - used_ < most) grow(most);
  auto* to = put_length(raw_.data() + used_, static_cast<std::uint32_t>(key.size()));
  to = put_length(to, static_cast<std::uint32_t>(value.size()));
  std::copy(key.begin(), key.end(), to);
  std::copy(value.begin(), value.end(), to + key.size());
  used_ = static_cast<std::size_t>(to - raw_.data()) + key.size() + value.size();
  ++records_;
}

// Returns the compressed size; 0 if compression does not shrink the block.
std::size_t BlockBuilder::packed_size(std::string_view raw) {
  if (compression_ == ShuffleCompression::none || raw.size() > LZ4_MAX_INPUT_SIZE) return 0;
  if (skip_ > 0) {
    --skip_;
    return 0;
  }
  const bool is_lz4 = compression_ == ShuffleCompression::lz4;
  const auto room = is_lz4 ? static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(raw.size())))
                           : ZSTD_compressBound(raw.size());
  if (packed_.size() < room + block_header_bytes) packed_.resize(room + block_header_bytes);
  auto* to = packed_.data() + block_header_bytes;
  const auto size = is_lz4 ? static_cast<std::size_t>(LZ4_compress_default(raw.data(), to, static_cast<int>(raw.size()),
                                                                           static_cast<int>(room)))
                           : ZSTD_compress(to, room, raw.data(), raw.size(), level_);
  const bool failed = is_lz4 ? size == 0 : ZSTD_isError(size) != 0;
  if (failed || size > raw.size() - raw.size() / 8) {
    skip_ = skip_next_;
    skip_next_ = std::min<std::uint32_t>(64, skip_next_ * 2);
    return 0;
  }
  skip_next_ = 1;
  return size;
}

std::string_view BlockBuilder::seal() {
  const std::string_view raw{raw_.data() + block_header_bytes, used_ - block_header_bytes};
  const auto packed = packed_size(raw);
  auto& block = packed != 0 ? packed_ : raw_;
  const auto stored = packed != 0 ? packed : raw.size();
  const std::uint32_t words[4] = {static_cast<std::uint32_t>(stored), static_cast<std::uint32_t>(raw.size()), records_,
                                  packed != 0 ? static_cast<std::uint32_t>(compression_) : 0};
  std::memcpy(block.data(), words, sizeof words);
  const auto checksum = checksum_of(block.data(), {block.data() + block_header_bytes, stored});
  std::memcpy(block.data() + sizeof words, &checksum, sizeof checksum);
  used_ = block_header_bytes;
  records_ = 0;
  return {block.data(), block_header_bytes + stored};
}

BlockHeader read_block_header(const char* from) {
  std::uint32_t words[4];
  BlockHeader header;
  std::memcpy(words, from, sizeof words);
  std::memcpy(&header.checksum, from + sizeof words, sizeof header.checksum);
  header.stored_bytes = words[0];
  header.raw_bytes = words[1];
  header.records = words[2];
  header.codec = words[3];
  return header;
}

Result<Done> verify_block(const BlockHeader& header, const char* header_bytes, std::string_view stored) {
  if (stored.size() != header.stored_bytes) return corrupt("it is truncated");
  if (checksum_of(header_bytes, stored) != header.checksum) return corrupt("its checksum is wrong");
  return Done{};
}

Result<std::string_view> unpack_block(const BlockHeader& header, std::string_view stored, std::vector<char>& room) {
  const auto codec = static_cast<ShuffleCompression>(header.codec);
  if (codec == ShuffleCompression::none) {
    if (stored.size() != header.raw_bytes) return corrupt("its sizes differ");
    return stored;
  }
  // Checks the size before allocating: lz4 expands a byte to at most 255, zstd four bytes to at most 128 KiB.
  const bool is_lz4 = codec == ShuffleCompression::lz4;
  const std::size_t most = is_lz4 ? stored.size() * 255 : (stored.size() / 4 + 1) * (std::size_t{128} << 10);
  if (header.raw_bytes > most) return corrupt("its size is impossible");
  if (room.size() < header.raw_bytes) room.resize(header.raw_bytes);
  std::size_t size = 0;
  if (is_lz4) {
    const int count = LZ4_decompress_safe(stored.data(), room.data(), static_cast<int>(stored.size()),
                                          static_cast<int>(header.raw_bytes));
    size = count < 0 ? SIZE_MAX : static_cast<std::size_t>(count);
  } else if (codec == ShuffleCompression::zstd) {
    size = ZSTD_decompress(room.data(), header.raw_bytes, stored.data(), stored.size());
  } else {
    return corrupt("its compression codec is unknown");
  }
  if (size != header.raw_bytes) return corrupt("it cannot be decompressed");
  return std::string_view{room.data(), size};
}

Result<Done> verify_segment(std::string_view segment) {
  while (!segment.empty()) {
    if (segment.size() < block_header_bytes) return corrupt("its header is truncated");
    const auto header = read_block_header(segment.data());
    const auto stored = segment.substr(block_header_bytes, header.stored_bytes);
    if (auto done = verify_block(header, segment.data(), stored); !done) return done;
    segment.remove_prefix(block_header_bytes + stored.size());
  }
  return Done{};
}

}  // namespace heddle::work
