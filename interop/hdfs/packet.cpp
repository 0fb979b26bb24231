#include "interop/hdfs/packet.hpp"

#include "interop/hadoop/message_guard.hpp"
#include "interop/hadoop/proto/hdfs.pb.h"

namespace heddle::interop::hdfs {
namespace {

std::uint32_t byte_at(std::string_view bytes, std::size_t index) { return static_cast<unsigned char>(bytes[index]); }

}  // namespace

Result<PacketLengths> read_packet_lengths(std::string_view bytes) {
  if (bytes.size() < packet_lengths_bytes) return Error{Errc::corrupt, "a packet is cut off"};
  const std::uint32_t whole =
      byte_at(bytes, 0) << 24U | byte_at(bytes, 1) << 16U | byte_at(bytes, 2) << 8U | byte_at(bytes, 3);
  const std::uint32_t header = byte_at(bytes, 4) << 8U | byte_at(bytes, 5);
  if (whole < 4 || whole > packet_bytes_max || header > packet_header_bytes_max)
    return Error{Errc::corrupt, "a packet of " + std::to_string(whole) + " bytes with a header of " +
                                    std::to_string(header) + " bytes is outside of the bounds"};
  return PacketLengths{header, whole - 4};
}

Result<PacketHeader> read_packet_header(std::string_view bytes, std::size_t body_bytes) {
  proto::PacketHeader message;
  if (!parse_message(bytes, message)) return Error{Errc::corrupt, "the header of a packet cannot be read"};
  if (message.data_length() < 0 || static_cast<std::size_t>(message.data_length()) > body_bytes ||
      message.offset_in_block() < 0)
    return Error{Errc::corrupt, "a packet of " + std::to_string(body_bytes) + " bytes claims " +
                                    std::to_string(message.data_length()) + " bytes of data"};
  return PacketHeader{message.offset_in_block(), message.sequence(), message.data_length(), message.is_last(),
                      message.sync_block()};
}

void append_packet_header(std::string& out, const PacketHeader& header, std::size_t checksum_bytes) {
  proto::PacketHeader message;
  message.set_offset_in_block(header.offset);
  message.set_sequence(header.number);
  message.set_is_last(header.is_last);
  message.set_data_length(header.data_bytes);
  if (header.must_sync) message.set_sync_block(true);
  const auto whole = static_cast<std::uint32_t>(4 + checksum_bytes + static_cast<std::size_t>(header.data_bytes));
  const std::size_t length = message.ByteSizeLong();
  for (const unsigned shift : {24U, 16U, 8U, 0U}) out += static_cast<char>(whole >> shift);
  out += static_cast<char>(length >> 8U);
  out += static_cast<char>(length);
  message.AppendToString(&out);
}

Result<std::optional<DelimitedLength>> read_delimited_length(std::string_view bytes) {
  std::size_t length = 0;
  for (std::size_t index = 0; index < bytes.size(); ++index) {
    length |= static_cast<std::size_t>(byte_at(bytes, index) & 0x7fU) << (7 * index);
    if (length > delimited_bytes_max || index == 4) break;
    if ((byte_at(bytes, index) & 0x80U) == 0) return std::optional{DelimitedLength{index + 1, length}};
  }
  if (length > delimited_bytes_max || bytes.size() > 4)
    return Error{Errc::corrupt, "a message is longer than " + std::to_string(delimited_bytes_max) + " bytes"};
  return std::optional<DelimitedLength>{};
}

void append_delimited(std::string& out, std::string_view message) {
  std::size_t length = message.size();
  for (; length > 0x7f; length >>= 7U) out += static_cast<char>(length | 0x80U);
  out += static_cast<char>(length);
  out += message;
}

}  // namespace heddle::interop::hdfs
