// Writes one block through a pipeline of DataNodes:
//
//   request -> response -> packets, at most window_packets of them not acknowledged -> empty last packet -> last ack
//
// Keeps no sent data: after a fault in the middle of a block the caller's attempt to write the file has failed.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "interop/hdfs/data_node_connection.hpp"
#include "interop/hdfs/operations.hpp"
#include "model/result.hpp"

namespace heddle::interop::hdfs {

/// Why a pipeline could not be set up.
struct PipelineFault {
  std::string bad_node;  // address that the next pipeline should avoid
  Error error;
};

/// One thread writes; another one may call send_heartbeat() under a mutex of the caller.
class BlockWriter {
public:
  static constexpr std::size_t window_packets = 80;
  static constexpr std::size_t packet_bytes = 64 << 10;  // with header and checksums

  /// Connects to `address`, the first DataNode of the pipeline, and sets the pipeline up.
  [[nodiscard]] static std::unique_ptr<BlockWriter> open(const std::string& address, const WriteRequest& request,
                                                         const TransferLimits& limits, PipelineFault& fault);

  /// Appends to the block.
  [[nodiscard]] Result<Done> write(std::string_view bytes);
  /// Ends the block and waits until each DataNode has acknowledged all of it. `must_sync`: they have written it to
  /// their disks.
  [[nodiscard]] Result<Done> close(bool must_sync);
  /// Keeps the pipeline open while the caller has no data. Does nothing if the last packet is recent, or if packets are
  /// not acknowledged yet.
  void send_heartbeat();
  [[nodiscard]] std::uint64_t bytes() const { return bytes_ + waiting_.size(); }

private:
  BlockWriter(DataNodeConnection connection, const WriteRequest& request, const TransferLimits& limits);
  [[nodiscard]] Result<Done> send_packet(std::string_view data, bool is_last, bool must_sync);
  [[nodiscard]] Result<Done> send(std::string_view head, std::string_view data);
  /// Handles all acks that have arrived.
  [[nodiscard]] Result<Done> drain_acks();
  [[nodiscard]] Result<Done> receive_ack();
  [[nodiscard]] Result<Done> wait_for_acks(std::size_t unacknowledged_max);
  [[nodiscard]] Error broken(const Error& cause) const;

  DataNodeConnection connection_;
  TransferLimits limits_;
  ChecksumKind checksum_;
  std::size_t nodes_;
  std::int64_t silence_ms_;
  std::size_t packet_data_bytes_;
  std::string head_;         // of the packet that is sent now: lengths, header, checksums
  std::string waiting_;      // less than one packet
  std::uint64_t bytes_ = 0;  // sent
  std::int64_t next_number_ = 0;
  std::int64_t next_ack_ = 0;
  std::chrono::steady_clock::time_point sent_at_;
};

}  // namespace heddle::interop::hdfs
