// Packets and messages of block transfer: lengths stay within their bounds, and a header reads back as it was written.
#include "interop/hdfs/operations.hpp"
#include "interop/hdfs/packet.hpp"
#include "tests/fuzz/fuzz_target.hpp"

HEDDLE_FUZZ_TARGET(block_packet) {
  using namespace heddle::interop::hdfs;
  if (const auto lengths = read_packet_lengths(input)) {
    HEDDLE_ASSERT(lengths->body_bytes <= packet_bytes_max && lengths->header_bytes <= packet_header_bytes_max, "");
    const auto head = input.substr(packet_lengths_bytes).substr(0, lengths->header_bytes);
    if (const auto header = read_packet_header(head, lengths->body_bytes)) {
      HEDDLE_ASSERT(static_cast<std::size_t>(header->data_bytes) <= lengths->body_bytes, "");
      std::string bytes;
      append_packet_header(bytes, *header, lengths->body_bytes - static_cast<std::size_t>(header->data_bytes));
      const auto again = read_packet_header(std::string_view{bytes}.substr(packet_lengths_bytes), lengths->body_bytes);
      HEDDLE_ASSERT(again && *again == *header, "a header reads back differently");
    }
  }
  const auto delimited = read_delimited_length(input);
  if (!delimited || !*delimited) return;
  HEDDLE_ASSERT((*delimited)->message_bytes <= delimited_bytes_max, "");
  const auto message = input.substr((*delimited)->prefix_bytes).substr(0, (*delimited)->message_bytes);
  if (const auto response = read_operation_response(message); response && response->checksum)
    HEDDLE_ASSERT(response->checksum->chunk_bytes > 0 && response->checksum->chunk_bytes <= chunk_bytes_max, "");
  if (const auto ack = read_pipeline_ack(message)) HEDDLE_ASSERT(ack->replies.size() <= 512, "");
}
