// Reads a range of one block from one replica:
//
//   request -> response -> packets ... -> empty last packet -> CHECKSUM_OK
//
// Returns verified bytes only. A fault ends the reader; its caller continues at position() with another replica.
#pragma once

#include <cstdint>
#include <string_view>

#include "interop/hdfs/data_node_connection.hpp"
#include "interop/hdfs/operations.hpp"
#include "interop/hdfs/packet.hpp"
#include "model/result.hpp"

namespace heddle::interop::hdfs {

class BlockReader {
public:
  /// Sends the request and waits for the response. Errc::refused: the block token is not valid (any more).
  [[nodiscard]] static Result<BlockReader> open(DataNodeConnection connection, const ReadRequest& request,
                                                const TransferLimits& limits);

  /// Reads up to `size` bytes; 0 at the end of the range. Errc::corrupt: a checksum is wrong, or the peer does not
  /// follow the protocol.
  [[nodiscard]] Result<std::size_t> read(char* to, std::size_t size);
  /// Offset in the block of the next byte that read() returns.
  [[nodiscard]] std::uint64_t position() const { return position_; }
  /// True after a complete range whose connection can be used again.
  [[nodiscard]] bool is_reusable() const { return is_finished_; }
  [[nodiscard]] DataNodeConnection take_connection() { return std::move(connection_); }

private:
  BlockReader(DataNodeConnection connection, const TransferLimits& limits)
      : connection_{std::move(connection)}, limits_{limits} {}
  [[nodiscard]] Result<Done> next_packet();
  [[nodiscard]] Result<PacketHeader> receive_header(std::size_t& body_bytes);
  void finish();
  [[nodiscard]] Error wrong(const std::string& what) const;

  DataNodeConnection connection_;
  TransferLimits limits_;
  ChecksumKind checksum_;
  std::string_view data_;           // verified bytes in the buffer of the connection, from position_ on
  std::uint64_t position_ = 0;      // in the block
  std::uint64_t end_ = 0;           // of the range
  std::uint64_t packet_begin_ = 0;  // offset of the next packet
  std::int64_t packet_number_ = 0;
  bool is_finished_ = false;
};

}  // namespace heddle::interop::hdfs
