#include "interop/hdfs/block_reader.hpp"

#include <algorithm>
#include <cstring>
#include <string>

namespace heddle::interop::hdfs {

Result<BlockReader> BlockReader::open(DataNodeConnection connection, const ReadRequest& request,
                                      const TransferLimits& limits) {
  BlockReader reader{std::move(connection), limits};
  if (auto sent = reader.connection_.send(write_read_request(request), {}, limits.silence_ms); !sent)
    return sent.error();
  const auto bytes = reader.connection_.receive_delimited(limits.silence_ms);
  if (!bytes) return bytes.error();
  const auto response = read_operation_response(*bytes);
  if (!response) return reader.wrong("a response that is none: " + response.error().text);
  const std::string who = "the DataNode at " + reader.connection_.address();
  if (response->status != status_success)
    return Error{response->status == status_error_token ? Errc::refused : Errc::io,
                 who + " does not send block " + std::to_string(request.block.id) + ": " +
                     status_name(response->status) + " " + response->message};
  if (!response->checksum) return reader.wrong("a response that does not name the checksums of its packets");
  if (response->chunk_offset > request.offset) return Error{Errc::corrupt, who + " starts behind the requested offset"};
  reader.checksum_ = *response->checksum;
  reader.position_ = request.offset;
  reader.end_ = request.offset + request.length;
  reader.packet_begin_ = response->chunk_offset;
  return reader;
}

Error BlockReader::wrong(const std::string& what) const {
  return {Errc::corrupt, "the DataNode at " + connection_.address() + " sent " + what};
}

Result<PacketHeader> BlockReader::receive_header(std::size_t& body_bytes) {
  const auto first = connection_.receive(packet_lengths_bytes, limits_.silence_ms);
  if (!first) return first.error();
  const auto lengths = read_packet_lengths(*first);
  if (!lengths) return wrong("a packet that is none: " + lengths.error().text);
  const auto bytes = connection_.receive(lengths->header_bytes, limits_.silence_ms);
  if (!bytes) return bytes.error();
  const auto header = read_packet_header(*bytes, lengths->body_bytes);
  if (!header) return wrong("a packet that is none: " + header.error().text);
  body_bytes = lengths->body_bytes;
  if (body_bytes !=
      static_cast<std::size_t>(header->data_bytes) + checksum_.bytes_for(static_cast<std::size_t>(header->data_bytes)))
    return wrong("a packet with another number of checksums than its data has chunks");
  return header;
}

Result<Done> BlockReader::next_packet() {
  std::size_t body_bytes = 0;
  const auto header = receive_header(body_bytes);
  if (!header) return header.error();
  if (header->is_last || header->data_bytes == 0)
    return Error{Errc::io, "the replica at " + connection_.address() + " ends at byte " +
                               std::to_string(packet_begin_) + " of its block, before the end of the range"};
  if (header->number != packet_number_ || static_cast<std::uint64_t>(header->offset) != packet_begin_)
    return wrong("packet " + std::to_string(header->number) + " instead of packet " + std::to_string(packet_number_));
  const auto body = connection_.receive(body_bytes, limits_.silence_ms);
  if (!body) return body.error();
  const std::size_t data_bytes = static_cast<std::size_t>(header->data_bytes);
  auto data = body->substr(body_bytes - data_bytes);
  if (const auto chunk = find_wrong_chunk(checksum_, data, body->substr(0, body_bytes - data_bytes)))
    return Error{Errc::corrupt, "the replica at " + connection_.address() + " has a wrong checksum at byte " +
                                    std::to_string(packet_begin_ + *chunk * checksum_.chunk_bytes) + " of its block"};
  ++packet_number_;
  const std::uint64_t begin = packet_begin_;
  packet_begin_ += data_bytes;
  // The first packet begins with its chunk, before the range, and the last one ends with its chunk, behind the range.
  if (packet_begin_ > end_) data.remove_suffix(std::min<std::size_t>(packet_begin_ - end_, data.size()));
  if (begin < position_) data.remove_prefix(std::min<std::size_t>(position_ - begin, data.size()));
  data_ = data;
  return Done{};
}

Result<std::size_t> BlockReader::read(char* to, std::size_t size) {
  if (position_ == end_) return std::size_t{0};
  while (data_.empty())
    if (auto received = next_packet(); !received) return received.error();
  const std::size_t count = std::min(size, data_.size());
  std::memcpy(to, data_.data(), count);
  data_.remove_prefix(count);
  position_ += count;
  if (position_ == end_) finish();
  return count;
}

void BlockReader::finish() {
  // The range is complete. A fault from here on only costs the connection.
  std::size_t body_bytes = 0;
  const auto header = receive_header(body_bytes);
  if (!header || !header->is_last || header->data_bytes != 0) return;
  const auto status = checksum_.type == ChecksumType::none ? status_success : status_checksum_ok;
  is_finished_ = connection_.send(write_read_status(status), {}, limits_.silence_ms).has_value();
}

}  // namespace heddle::interop::hdfs
