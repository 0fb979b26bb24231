// Goal: packets have Hadoop's bytes, and hostile ones are refused. Method: golden bytes, and each bound.
#include "interop/hdfs/packet.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle::interop::hdfs {
namespace {

template <class Value>
bool is_corrupt(const Result<Value>& result) {
  return !result && result.error().code == Errc::corrupt;
}

std::string bytes_of(std::initializer_list<int> numbers) {
  std::string bytes;
  for (const int number : numbers) bytes += static_cast<char>(number);
  return bytes;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_packet_header_has_the_bytes_of_hadoop) {
  std::string bytes;
  append_packet_header(bytes, {.offset = 0x1000, .number = 3, .data_bytes = 600}, 8);
  // PLEN = 4 + 8 + 600, HLEN = 25, fixed64 offset, fixed64 number, bool, fixed32 bytes of data.
  const auto expected = bytes_of({0,    0, 2,    100,  0, 25,           //
                                  0x09, 0, 0x10, 0,    0, 0,  0, 0, 0,  //
                                  0x11, 3, 0,    0,    0, 0,  0, 0, 0,  //
                                  0x18, 0, 0x25, 0x58, 2, 0,  0});
  BOOST_TEST(bytes == expected);
  const auto lengths = read_packet_lengths(bytes);
  BOOST_REQUIRE(lengths);
  BOOST_TEST(lengths->header_bytes == 25U);
  BOOST_TEST(lengths->body_bytes == 608U);
  const auto header = read_packet_header(std::string_view{bytes}.substr(6), 608);
  BOOST_REQUIRE(header);
  BOOST_TEST((*header == PacketHeader{.offset = 0x1000, .number = 3, .data_bytes = 600}));
}

BOOST_AUTO_TEST_CASE(a_heartbeat_and_a_synced_last_packet_have_the_bytes_of_hadoop) {
  std::string heartbeat;
  append_packet_header(heartbeat, {.number = heartbeat_number}, 0);
  BOOST_TEST(heartbeat == bytes_of({0,   0,   0,   4,   0,   25,  0x09, 0,   0,    0, 0,    0, 0, 0, 0, 0x11,
                                    255, 255, 255, 255, 255, 255, 255,  255, 0x18, 0, 0x25, 0, 0, 0, 0}));
  std::string last;
  append_packet_header(last, {.number = 1, .is_last = true, .must_sync = true}, 0);
  BOOST_TEST(last.substr(4, 2) == bytes_of({0, 27}));
  BOOST_TEST(last.substr(last.size() - 9) == bytes_of({0x18, 1, 0x25, 0, 0, 0, 0, 0x28, 1}));
  const auto header = read_packet_header(std::string_view{last}.substr(6), 0);
  BOOST_REQUIRE(header);
  BOOST_TEST(header->is_last);
  BOOST_TEST(header->must_sync);
}

BOOST_AUTO_TEST_CASE(lengths_out_of_bounds_are_refused) {
  BOOST_TEST(is_corrupt(read_packet_lengths(bytes_of({0, 0, 0, 4, 0}))));
  BOOST_TEST(is_corrupt(read_packet_lengths(bytes_of({0, 0, 0, 3, 0, 25}))));
  BOOST_TEST(is_corrupt(read_packet_lengths(bytes_of({1, 0, 0, 1, 0, 25}))));
  BOOST_TEST(is_corrupt(read_packet_lengths(bytes_of({255, 255, 255, 255, 0, 25}))));
  BOOST_TEST(is_corrupt(read_packet_lengths(bytes_of({0, 0, 0, 4, 0, 65}))));
  BOOST_TEST(read_packet_lengths(bytes_of({1, 0, 0, 0, 0, 64})).has_value());
}

BOOST_AUTO_TEST_CASE(headers_that_do_not_fit_their_packet_are_refused) {
  std::string bytes;
  append_packet_header(bytes, {.data_bytes = 600}, 0);
  const auto head = std::string_view{bytes}.substr(6);
  BOOST_TEST(read_packet_header(head, 600).has_value());
  BOOST_TEST(is_corrupt(read_packet_header(head, 599)));
  BOOST_TEST(is_corrupt(read_packet_header(head.substr(0, 20), 600)));
  BOOST_TEST(is_corrupt(read_packet_header("", 600)));
  std::string negative;
  append_packet_header(negative, {.data_bytes = -1}, 0);
  BOOST_TEST(is_corrupt(read_packet_header(std::string_view{negative}.substr(6), 600)));
  std::string before;
  append_packet_header(before, {.offset = -1}, 0);
  BOOST_TEST(is_corrupt(read_packet_header(std::string_view{before}.substr(6), 600)));
}

BOOST_AUTO_TEST_CASE(delimited_lengths_are_read_as_they_arrive) {
  BOOST_TEST(!*read_delimited_length(""));
  BOOST_TEST(!*read_delimited_length("\x80"));
  for (const std::size_t size : {0U, 1U, 127U, 128U, 300U, 16384U, 1U << 20}) {
    std::string bytes;
    append_delimited(bytes, std::string(size, 'x'));
    const auto length = read_delimited_length(bytes);
    BOOST_REQUIRE(length);
    BOOST_REQUIRE(*length);
    BOOST_TEST((*length)->message_bytes == size);
    BOOST_TEST((*length)->prefix_bytes + size == bytes.size());
  }
  BOOST_TEST(is_corrupt(read_delimited_length("\xff\xff\xff\xff\x0f")));
  BOOST_TEST(is_corrupt(read_delimited_length("\x81\x80\x40")));
  BOOST_TEST(is_corrupt(read_delimited_length("\x80\x80\x80\x80\x80")));
}

}  // namespace heddle::interop::hdfs
