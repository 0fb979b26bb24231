#include "interop/hdfs/block_writer.hpp"

#include <algorithm>

#include "interop/hdfs/packet.hpp"

namespace heddle::interop::hdfs {
namespace {

/// Data of a full packet: whole chunks.
std::size_t data_bytes_of(const ChecksumKind& checksum) {
  const std::size_t room = BlockWriter::packet_bytes - packet_lengths_bytes - packet_header_bytes_max;
  const std::size_t chunk = checksum.chunk_bytes + checksum.bytes_for(1);
  return std::max<std::size_t>(room / chunk, 1) * checksum.chunk_bytes;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

BlockWriter::BlockWriter(DataNodeConnection connection, const WriteRequest& request, const TransferLimits& limits)
    : connection_{std::move(connection)},
      limits_{limits},
      checksum_{request.checksum},
      nodes_{request.targets.size() + 1},
      silence_ms_{limits.silence_ms + limits.silence_per_node_ms * static_cast<std::int64_t>(nodes_)},
      packet_data_bytes_{data_bytes_of(request.checksum)},
      sent_at_{std::chrono::steady_clock::now()} {}

std::unique_ptr<BlockWriter> BlockWriter::open(const std::string& address, const WriteRequest& request,
                                               const TransferLimits& limits, PipelineFault& fault) {
  fault.bad_node = address;
  auto connection = DataNodeConnection::connect(address, limits.connect_timeout_ms);
  if (!connection) {
    fault.error = connection.error();
    return nullptr;
  }
  std::unique_ptr<BlockWriter> writer{new BlockWriter{std::move(connection).value(), request, limits}};
  const auto response = [&]() -> Result<OperationResponse> {
    if (auto sent = writer->connection_.send(write_write_request(request), {}, limits.silence_ms); !sent)
      return sent.error();
    const auto bytes = writer->connection_.receive_delimited(writer->silence_ms_);
    if (!bytes) return bytes.error();
    return read_operation_response(*bytes);
  }();
  if (!response) {
    fault.error = {response.error().code, "the DataNode at " + address + ": " + response.error().text};
    return nullptr;
  }
  if (response->status == status_success && response->first_bad_link.empty()) return writer;
  if (!response->first_bad_link.empty()) fault.bad_node = response->first_bad_link;
  fault.error =
      Error{Errc::io, "the DataNode at " + fault.bad_node + " does not take block " + std::to_string(request.block.id) +
                          ": " + status_name(response->status) + " " + first_line(response->message)};
  return nullptr;
}

Error BlockWriter::broken(const Error& cause) const {
  return {Errc::interrupted,
          "the write pipeline of a block broke after " + std::to_string(bytes_) + " bytes: " + cause.text};
}

Result<Done> BlockWriter::write(std::string_view bytes) {
  while (!bytes.empty()) {
    if (waiting_.empty() && bytes.size() >= packet_data_bytes_) {
      if (auto sent = send_packet(bytes.substr(0, packet_data_bytes_), false, false); !sent) return sent;
      bytes.remove_prefix(packet_data_bytes_);
      continue;
    }
    const auto piece = bytes.substr(0, packet_data_bytes_ - waiting_.size());
    waiting_ += piece;
    bytes.remove_prefix(piece.size());
    if (waiting_.size() < packet_data_bytes_) break;
    if (auto sent = send_packet(waiting_, false, false); !sent) return sent;
    waiting_.clear();
  }
  return Done{};
}

Result<Done> BlockWriter::send_packet(std::string_view data, bool is_last, bool must_sync) {
  if (auto room = wait_for_acks(window_packets - 1); !room) return room;
  PacketHeader header;
  header.offset = static_cast<std::int64_t>(bytes_);
  header.number = next_number_;
  header.data_bytes = static_cast<std::int32_t>(data.size());
  header.is_last = is_last;
  header.must_sync = must_sync;
  const std::size_t checksum_bytes = checksum_.bytes_for(data.size());
  head_.clear();
  append_packet_header(head_, header, checksum_bytes);
  const std::size_t begin = head_.size();
  head_.resize(begin + checksum_bytes);
  write_checksums(checksum_, data, head_.data() + begin);
  if (auto sent = send(head_, data); !sent) return broken(sent.error());
  ++next_number_;
  bytes_ += data.size();
  return Done{};
}

Result<Done> BlockWriter::send(std::string_view head, std::string_view data) {
  sent_at_ = std::chrono::steady_clock::now();
  while (true) {
    const auto sent = connection_.send_some(head, data);
    if (!sent) return sent.error();
    const std::size_t of_head = std::min(*sent, head.size());
    head.remove_prefix(of_head);
    data.remove_prefix(*sent - of_head);
    if (head.empty() && data.empty()) return Done{};
    // The pipeline may wait for this side to read its acks before it takes more data.
    if (auto drained = drain_acks(); !drained) return drained;
    if (*sent > 0) continue;
    if (auto ready = connection_.wait(true, silence_ms_); !ready) return ready;
  }
}

Result<Done> BlockWriter::drain_acks() {
  while (true) {
    const auto is_there = connection_.has_delimited();
    if (!is_there) return is_there.error();
    if (!*is_there) return Done{};
    if (auto received = receive_ack(); !received) return received;
  }
}

Result<Done> BlockWriter::receive_ack() {
  const auto bytes = connection_.receive_delimited(silence_ms_);
  if (!bytes) return bytes.error();
  const auto ack = read_pipeline_ack(*bytes);
  if (!ack) return ack.error();
  for (std::size_t node = 0; node < ack->replies.size(); ++node)
    if (ack->replies[node] != status_success)
      return Error{Errc::io, "DataNode " + std::to_string(node + 1) + " of " + std::to_string(nodes_) + " behind " +
                                 connection_.address() + " reported " + status_name(ack->replies[node])};
  if (ack->number == heartbeat_number) return Done{};
  if (ack->number != next_ack_ || ack->number >= next_number_ || ack->replies.size() != nodes_)
    return Error{Errc::corrupt, "the DataNode at " + connection_.address() + " acknowledged packet " +
                                    std::to_string(ack->number) + " of " + std::to_string(ack->replies.size()) +
                                    " DataNodes; expected: packet " + std::to_string(next_ack_) + " of " +
                                    std::to_string(nodes_)};
  ++next_ack_;
  return Done{};
}

Result<Done> BlockWriter::wait_for_acks(std::size_t unacknowledged_max) {
  while (static_cast<std::size_t>(next_number_ - next_ack_) > unacknowledged_max)
    if (auto received = receive_ack(); !received) return broken(received.error());
  return Done{};
}

Result<Done> BlockWriter::close(bool must_sync) {
  if (!waiting_.empty()) {
    if (auto sent = send_packet(waiting_, false, false); !sent) return sent;
    waiting_.clear();
  }
  if (auto sent = send_packet({}, true, must_sync); !sent) return sent;
  return wait_for_acks(0);
}

void BlockWriter::send_heartbeat() {
  if (std::chrono::steady_clock::now() - sent_at_ < std::chrono::milliseconds{limits_.heartbeat_ms}) return;
  // With packets on their way the connection may take a part of the heartbeat only. A fault shows at the next packet.
  if (!drain_acks() || next_number_ != next_ack_) return;
  PacketHeader header;
  header.number = heartbeat_number;
  std::string bytes;
  append_packet_header(bytes, header, 0);
  sent_at_ = std::chrono::steady_clock::now();
  static_cast<void>(connection_.send(bytes, {}, 0).has_value());
}

}  // namespace heddle::interop::hdfs
