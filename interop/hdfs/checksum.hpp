// Checksums of block data: one 4-byte big-endian checksum per chunk; the last chunk of a block may be short.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::interop::hdfs {

/// Numbers are Hadoop's.
enum class ChecksumType : std::uint8_t { none = 0, crc32 = 1, crc32c = 2 };

struct ChecksumKind {
  ChecksumType type = ChecksumType::crc32c;
  std::uint32_t chunk_bytes = 512;
  bool operator==(const ChecksumKind&) const = default;

  [[nodiscard]] std::size_t chunks_of(std::size_t bytes) const { return (bytes + chunk_bytes - 1) / chunk_bytes; }
  /// Bytes of all checksums of so many bytes of data.
  [[nodiscard]] std::size_t bytes_for(std::size_t bytes) const {
    return type == ChecksumType::none ? 0 : 4 * chunks_of(bytes);
  }
};

inline constexpr std::uint32_t chunk_bytes_max = 1 << 20;

/// Checksum of one chunk. `type` is not none.
[[nodiscard]] std::uint32_t checksum_of(ChecksumType type, std::string_view chunk);
/// Writes the checksums of `data`, kind.bytes_for(data.size()) bytes, to `to`.
void write_checksums(const ChecksumKind& kind, std::string_view data, char* to);
/// Index of the first chunk with a wrong checksum. `checksums` has kind.bytes_for(data.size()) bytes.
[[nodiscard]] std::optional<std::size_t> find_wrong_chunk(const ChecksumKind& kind, std::string_view data,
                                                          std::string_view checksums);

}  // namespace heddle::interop::hdfs
