// Goal: requests, packets and confirmations are those that the DataNodes of a real Hadoop 3.4.2 accepted, and theirs
// are understood. Method: replay of what tests/real/relay recorded. Values that differ in each run (block, client,
// DataNodes) are read from the record.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interop/hadoop/message_guard.hpp"
#include "interop/hadoop/rpc_frames.hpp"
#include "interop/hdfs/block_messages.hpp"
#include "interop/hdfs/block_reader.hpp"
#include "interop/hdfs/block_writer.hpp"
#include "tests/support/recorded_content.hpp"
#include "tests/support/recorded_peer.hpp"

namespace heddle::interop::hdfs::recorded_transfers_test {
namespace {

using tests::client_bytes;
using tests::Piece;
using tests::read_conversation;
using tests::recorded_content;
using tests::RecordedPeer;

constexpr TransferLimits limits{.connect_timeout_ms = 5'000, .silence_ms = 5'000, .silence_per_node_ms = 0};

template <class Message>
Message taken(std::string_view& bytes) {
  Message message;
  const auto one = take_delimited(bytes);
  BOOST_REQUIRE((one && parse_message(*one, message)));
  return message;
}

/// The message of the operation in front.
template <class Message>
Message taken_operation(std::string_view& bytes, char operation) {
  BOOST_TEST_REQUIRE(bytes.substr(0, 3) == std::string("\x00\x1c", 2) + operation);
  bytes.remove_prefix(3);
  return taken<Message>(bytes);
}

BlockToken token_of(const proto::Token& token) {
  return {token.identifier(), token.password(), token.kind(), token.service()};
}

ReadRequest taken_read_request(std::string_view& bytes) {
  const auto message = taken_operation<proto::ReadBlockOperation>(bytes, 81);
  const auto& header = message.header();
  return {read_block(header.base().block()), token_of(header.base().token()), header.client_name(), message.offset(),
          message.length()};
}

/// All requests of a connection for reads.
std::vector<ReadRequest> read_requests(const std::vector<Piece>& pieces) {
  const auto sent = client_bytes(pieces);
  std::string_view rest{sent};
  std::vector<ReadRequest> requests;
  while (!rest.empty()) {
    requests.push_back(taken_read_request(rest));
    if (!rest.empty()) BOOST_TEST(taken<proto::ClientReadStatus>(rest).status() == proto::TRANSFER_CHECKSUM_OK);
  }
  return requests;
}

WriteRequest write_request(const std::vector<Piece>& pieces) {
  const auto sent = client_bytes(pieces);
  std::string_view rest{sent};
  const auto message = taken_operation<proto::WriteBlockOperation>(rest, 80);
  const auto& header = message.header();
  WriteRequest request;
  request.block = read_block(header.base().block());
  request.token = token_of(header.base().token());
  request.client_name = header.client_name();
  proto::LocatedBlock located;
  *located.mutable_locations() = message.targets();
  request.targets = read_located_block(located).locations;
  const auto& checksum = message.requested_checksum();
  request.checksum = {static_cast<ChecksumType>(checksum.type()), checksum.bytes_per_checksum()};
  request.storage_types = {static_cast<std::uint32_t>(message.storage_type())};
  for (const auto type : message.target_storage_types())
    request.storage_types.push_back(static_cast<std::uint32_t>(type));
  request.storage_ids = {message.storage_id()};
  request.storage_ids.insert(request.storage_ids.end(), message.target_storage_ids().begin(),
                             message.target_storage_ids().end());
  return request;
}

DataNodeConnection connection_to(const RecordedPeer& peer) {
  auto connection = DataNodeConnection::connect(peer.address(), limits.connect_timeout_ms);
  BOOST_TEST_REQUIRE(connection.has_value());
  return std::move(connection).value();
}

Result<std::string> read_range(BlockReader& reader) {
  std::string content;
  while (true) {
    std::string bytes(1000, '\0');
    const auto got = reader.read(bytes.data(), bytes.size());
    if (!got) return got.error();
    if (*got == 0) return content;
    content.append(bytes, 0, *got);
  }
}

/// The first range of a conversation.
Result<std::string> read_first_range(const std::vector<Piece>& pieces) {
  RecordedPeer peer{pieces};
  auto reader = BlockReader::open(connection_to(peer), read_requests(pieces).front(), limits);
  if (!reader) return reader.error();
  return read_range(*reader);
}

/// Pieces of a connection until the client has read the first range.
std::vector<Piece> first_range(const std::string& name) {
  auto pieces = read_conversation(HEDDLE_CONVERSATIONS, name);
  BOOST_TEST_REQUIRE(pieces.size() > 2U);
  pieces.resize(2);
  return pieces;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_data_node_accepts_requests_and_confirmations_of_ranges) {
  const auto pieces = read_conversation(HEDDLE_CONVERSATIONS, "block_reads");
  const auto content = recorded_content();
  const auto requests = read_requests(pieces);
  BOOST_TEST(requests.size() == 3U);
  RecordedPeer peer{pieces};
  {
    auto connection = connection_to(peer);
    for (const auto& request : requests) {
      auto reader = BlockReader::open(std::move(connection), request, limits);
      BOOST_REQUIRE_MESSAGE(reader.has_value(), (reader ? "" : reader.error().text));
      const auto read = read_range(*reader);
      BOOST_REQUIRE_MESSAGE(read.has_value(), (read ? "" : read.error().text));
      BOOST_TEST(*read == content.substr(request.offset, request.length));
      BOOST_TEST_REQUIRE(reader->is_reusable());
      connection = reader->take_connection();
    }
  }
  BOOST_TEST((peer.received() == client_bytes(pieces)));
}

BOOST_AUTO_TEST_CASE(a_pipeline_of_two_data_nodes_accepts_a_block) {
  const auto pieces = read_conversation(HEDDLE_CONVERSATIONS, "block_write");
  const auto request = write_request(pieces);
  BOOST_TEST(request.targets.size() == 1U);
  RecordedPeer peer{pieces};
  PipelineFault fault;
  auto writer = BlockWriter::open(peer.address(), request, limits, fault);
  BOOST_REQUIRE_MESSAGE(writer != nullptr, fault.error.text);
  BOOST_TEST(writer->write(recorded_content()).has_value());
  const auto closed = writer->close(false);
  BOOST_TEST(closed.has_value(), (closed ? "" : closed.error().text));
  writer.reset();
  BOOST_TEST((peer.received() == client_bytes(pieces)));
}

BOOST_AUTO_TEST_CASE(a_block_is_not_written_before_its_last_acknowledgement) {
  auto pieces = read_conversation(HEDDLE_CONVERSATIONS, "block_write");
  BOOST_TEST_REQUIRE(!pieces.back().is_client);
  const auto request = write_request(pieces);
  pieces.back().bytes.pop_back();
  RecordedPeer peer{pieces};
  PipelineFault fault;
  const auto writer = BlockWriter::open(peer.address(), request, limits, fault);
  BOOST_TEST_REQUIRE(writer != nullptr);
  BOOST_TEST(writer->write(recorded_content()).has_value());
  const auto closed = writer->close(false);
  BOOST_TEST_REQUIRE(!closed.has_value());
  BOOST_TEST((closed.error().code == Errc::interrupted));
}

BOOST_AUTO_TEST_CASE(a_changed_byte_of_recorded_packets_never_gives_other_bytes) {
  const auto pieces = first_range("block_reads");
  const auto content = recorded_content();
  BOOST_TEST_REQUIRE(read_first_range(pieces).value() == content);
  std::size_t noticed = 0;
  std::size_t tried = 0;
  for (std::size_t at = 0; at < pieces.back().bytes.size(); at += 37, ++tried) {
    auto changed = pieces;
    changed.back().bytes[at] ^= 1;
    const auto read = read_first_range(changed);
    noticed += !read;
    if (read) BOOST_TEST(*read == content, "byte " << at);
  }
  BOOST_TEST(noticed + 5 > tried, noticed << " of " << tried);  // all but those of texts and of the last packet
}

BOOST_AUTO_TEST_CASE(a_data_node_that_has_lost_its_replica_is_named) {
  const auto pieces = read_conversation(HEDDLE_CONVERSATIONS, "block_refused");
  const auto request = read_requests(pieces).front();
  RecordedPeer peer{pieces};
  const auto reader = BlockReader::open(connection_to(peer), request, limits);
  BOOST_TEST_REQUIRE(!reader.has_value());
  BOOST_TEST((reader.error().code == Errc::io));
  BOOST_TEST_INFO(reader.error().text);
  BOOST_TEST(reader.error().text.find("does not send block " + std::to_string(request.block.id) + ": ERROR") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_data_node_names_the_one_behind_it_that_does_not_answer) {
  const auto pieces = read_conversation(HEDDLE_CONVERSATIONS, "pipeline_refused");
  const auto request = write_request(pieces);
  BOOST_TEST_REQUIRE(request.targets.size() == 2U);
  RecordedPeer peer{pieces};
  PipelineFault fault;
  BOOST_TEST((BlockWriter::open(peer.address(), request, limits, fault) == nullptr));
  const auto is_bad = [&](const DataNode& node) {
    return node.ip_address + ':' + std::to_string(node.transfer_port) == fault.bad_node;
  };
  BOOST_TEST(std::count_if(request.targets.begin(), request.targets.end(), is_bad) == 1, fault.bad_node);
  BOOST_TEST((peer.received() == client_bytes(pieces)));
}

}  // namespace heddle::interop::hdfs::recorded_transfers_test
