#include "interop/hdfs/checksum.hpp"

#include <isa-l/crc.h>

#include <algorithm>
#include <array>

namespace heddle::interop::hdfs {
namespace {

std::array<char, 4> big_endian(std::uint32_t number) {
  return {static_cast<char>(number >> 24U), static_cast<char>(number >> 16U), static_cast<char>(number >> 8U),
          static_cast<char>(number)};
}

}  // namespace

std::uint32_t checksum_of(ChecksumType type, std::string_view chunk) {
  // ISA-L declares the data of crc32_iscsi without const but only reads it. It leaves both inversions of CRC-32C to the
  // caller, and does those of CRC-32 itself.
  if (type == ChecksumType::crc32)
    return crc32_gzip_refl(0, reinterpret_cast<const unsigned char*>(chunk.data()), chunk.size());
  auto* bytes = reinterpret_cast<unsigned char*>(const_cast<char*>(chunk.data()));
  return ~crc32_iscsi(bytes, static_cast<int>(chunk.size()), 0xffffffffU);
}

void write_checksums(const ChecksumKind& kind, std::string_view data, char* to) {
  if (kind.type == ChecksumType::none) return;
  for (; !data.empty(); data.remove_prefix(std::min<std::size_t>(kind.chunk_bytes, data.size()))) {
    const auto bytes = big_endian(checksum_of(kind.type, data.substr(0, kind.chunk_bytes)));
    to = std::copy(bytes.begin(), bytes.end(), to);
  }
}

std::optional<std::size_t> find_wrong_chunk(const ChecksumKind& kind, std::string_view data,
                                            std::string_view checksums) {
  if (kind.type == ChecksumType::none) return std::nullopt;
  const std::size_t chunks = kind.chunks_of(data.size());
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    const auto bytes = big_endian(checksum_of(kind.type, data.substr(chunk * kind.chunk_bytes, kind.chunk_bytes)));
    if (checksums.substr(chunk * 4, 4) != std::string_view{bytes.data(), bytes.size()}) return chunk;
  }
  return std::nullopt;
}

}  // namespace heddle::interop::hdfs
