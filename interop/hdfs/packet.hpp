// Packets of block data between a client and a DataNode:
//
//   int32 PLEN = 4 + checksums + data | int16 HLEN | header of HLEN bytes | checksums | data
//
// and messages that are preceded by their length as varint. All functions accept any bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/result.hpp"

namespace heddle::interop::hdfs {

inline constexpr std::size_t packet_lengths_bytes = 6;      // PLEN and HLEN
inline constexpr std::size_t packet_bytes_max = 16 << 20;   // PLEN
inline constexpr std::size_t packet_header_bytes_max = 64;  // with all fields of Hadoop 3 it has 27
inline constexpr std::size_t delimited_bytes_max = 1 << 20;
inline constexpr std::int64_t heartbeat_number = -1;

struct PacketHeader {
  std::int64_t offset = 0;  // in the block
  std::int64_t number = 0;  // heartbeat_number, or consecutive from 0
  std::int32_t data_bytes = 0;
  bool is_last = false;    // the packet without data that ends a block, or a range of it
  bool must_sync = false;  // the DataNode writes the block to its disk before it acknowledges
  bool operator==(const PacketHeader&) const = default;
};

struct PacketLengths {
  std::size_t header_bytes = 0;
  std::size_t body_bytes = 0;  // checksums and data
};

/// Reads the first packet_lengths_bytes bytes. Errc::corrupt if a length is out of its bounds.
[[nodiscard]] Result<PacketLengths> read_packet_lengths(std::string_view bytes);
/// Reads a header. Errc::corrupt if it is not one, or if its data does not fit into `body_bytes`.
[[nodiscard]] Result<PacketHeader> read_packet_header(std::string_view bytes, std::size_t body_bytes);
/// Appends lengths and header of a packet with so many bytes of checksums.
void append_packet_header(std::string& out, const PacketHeader& header, std::size_t checksum_bytes);

/// Length of a delimited message.
struct DelimitedLength {
  std::size_t prefix_bytes = 0;
  std::size_t message_bytes = 0;
};
/// Reads the varint; nothing if it is not complete yet. Errc::corrupt if it exceeds delimited_bytes_max.
[[nodiscard]] Result<std::optional<DelimitedLength>> read_delimited_length(std::string_view bytes);
void append_delimited(std::string& out, std::string_view message);

}  // namespace heddle::interop::hdfs
