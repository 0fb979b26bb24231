// Goal: requests to DataNodes have Hadoop's bytes; responses are read with all their faults. Method: golden bytes.
#include "interop/hdfs/operations.hpp"

#include <boost/test/unit_test.hpp>

#include "interop/hadoop/proto/hdfs.pb.h"
#include "interop/hdfs/packet.hpp"
#include "tests/support/decoder_memory.hpp"

namespace heddle::interop::hdfs {
namespace {

using namespace std::string_literals;

const Block block{"pool", 5, 7, 300};
const BlockToken token{"i", "p", "k", "s"};

DataNode node(const std::string& uuid) { return {"10.0.0.1", "host", uuid, 9866, 9864, 9867, "/rack"}; }

}  // namespace

BOOST_AUTO_TEST_CASE(a_read_request_has_the_bytes_of_hadoop) {
  // Block: pool, id, generation, length. Token: four texts. Then the name of the client, offset, length, checksums.
  const auto base =
      "\x0a\x0d\x0a\x04"s + "pool\x10\x05\x18\x07\x20\xac\x02"s + "\x12\x0c\x0a\x01i\x12\x01p\x1a\x01k\x22\x01s"s;
  const auto header = "\x0a"s + static_cast<char>(base.size()) + base + "\x12\x02me"s;
  const auto message = "\x0a"s + static_cast<char>(header.size()) + header + "\x10\x80\x04\x18\x64\x20\x01"s;
  const auto expected = "\x00\x1c\x51"s + static_cast<char>(message.size()) + message;
  BOOST_TEST(write_read_request({block, token, "me", 512, 100}) == expected);
  BOOST_TEST(write_read_status(status_checksum_ok) == "\x02\x08\x06"s);
}

BOOST_AUTO_TEST_CASE(a_write_request_names_the_rest_of_the_pipeline) {
  WriteRequest request{block,     token,          "me", {node("b"), node("c")}, {ChecksumType::crc32c, 512},
                       {1, 2, 1}, {"x", "y", "z"}};
  const auto bytes = write_write_request(request);
  BOOST_TEST(bytes.substr(0, 3) == "\x00\x1c\x50"s);
  const auto length = read_delimited_length(std::string_view{bytes}.substr(3));
  BOOST_REQUIRE((length && *length));
  BOOST_TEST(3 + (*length)->prefix_bytes + (*length)->message_bytes == bytes.size());
  proto::WriteBlockOperation message;
  BOOST_REQUIRE(message.ParseFromString(bytes.substr(3 + (*length)->prefix_bytes)));
  BOOST_TEST(message.pipeline_size() == 3U);
  BOOST_REQUIRE(message.targets_size() == 2);
  BOOST_TEST(message.targets(1).id().uuid() == "c");
  BOOST_TEST(message.targets(1).location() == "/rack");
  BOOST_TEST(message.latest_generation_stamp() == 7U);
  BOOST_TEST(message.storage_type() == proto::STORAGE_DISK);
  BOOST_TEST(message.target_storage_types_size() == 2);
  BOOST_TEST(message.target_storage_types(0) == proto::STORAGE_SSD);
  BOOST_TEST(message.target_storage_ids(1) == "z");
}

BOOST_AUTO_TEST_CASE(responses_are_read_with_their_checksum_kind) {
  const auto read =
      read_operation_response("\x08\x00\x22\x08\x0a\x05\x08\x02\x10\x80\x04\x10\x00"s.replace(3, 1, "\x0a"s));
  BOOST_TEST(!read);  // a length that does not fit
  const auto good = read_operation_response("\x08\x00\x22\x0a\x0a\x05\x08\x02\x10\x80\x04\x10\x80\x08"s);
  BOOST_REQUIRE(good);
  BOOST_TEST((good->checksum == std::optional{ChecksumKind{ChecksumType::crc32c, 512}}));
  BOOST_TEST(good->chunk_offset == 1024U);
  const auto bad = read_operation_response("\x08\x01\x12\x04host\x2a\x03why"s);
  BOOST_REQUIRE(bad);
  BOOST_TEST(bad->status == 1U);
  BOOST_TEST(bad->first_bad_link == "host");
  BOOST_TEST(bad->message == "why");
  BOOST_TEST(!bad->checksum.has_value());
  BOOST_TEST(!read_operation_response("\x08\x00\x22\x08\x0a\x04\x08\x02\x10\x00\x10\x00"s));  // 0 bytes per checksum
  BOOST_TEST(!read_operation_response("\x08\x00\x22\x0b\x0a\x07\x08\x02\x10\x80\x80\x80\x08\x10\x00"s));  // 16 MiB
  BOOST_TEST(!read_operation_response(""));
}

BOOST_AUTO_TEST_CASE(acknowledgements_are_read) {
  const auto ack = read_pipeline_ack("\x08\x0e\x10\x00\x10\x01\x10\x00"s);
  BOOST_REQUIRE(ack);
  BOOST_TEST(ack->number == 7);
  BOOST_TEST((ack->replies == std::vector<std::uint32_t>{0, 1, 0}));
  const auto heartbeat = read_pipeline_ack("\x08\x01\x10\x00"s);
  BOOST_REQUIRE(heartbeat);
  BOOST_TEST(heartbeat->number == heartbeat_number);
  BOOST_TEST(!read_pipeline_ack("\x10\x00"s));
}

BOOST_AUTO_TEST_CASE(hostile_messages_and_packets_of_a_data_node_need_little_memory) {
  using tests::repeated;
  const std::string inputs[] = {repeated("\x10\x00"s),                          // replies, or empty checksums
                                "\x08\x02"s + repeated("\x10\x01"s),            // a number and replies
                                "\x08\x02\x12\xf0\xff\x3f"s + repeated("\0"s),  // the same in one field
                                repeated("\x0a\x00"s),
                                repeated("\x22\x02\x0a\x00"s),
                                repeated("\xff"s),
                                repeated("\x00\xff\xff\xff\x00\x19"s)};  // lengths of packets
  for (const auto& bytes : inputs) {
    const std::string_view all = bytes;
    tests::check_decoder_memory("a response", [&] { (void)read_operation_response(all).has_value(); });
    tests::check_decoder_memory("an acknowledgement", [&] { (void)read_pipeline_ack(all).has_value(); });
    tests::check_decoder_memory("packets", [&] {
      for (std::size_t at = 0; at < all.size(); at += packet_lengths_bytes) {
        const auto rest = all.substr(at);
        const auto lengths = read_packet_lengths(rest.substr(0, packet_lengths_bytes));
        (void)read_packet_header(rest.substr(0, packet_header_bytes_max), lengths ? lengths->body_bytes : 0)
            .has_value();
        (void)read_delimited_length(rest).has_value();
      }
    });
  }
}

}  // namespace heddle::interop::hdfs
