// Goal: a hello reads back unchanged, damaged ones are refused, and processes that cannot work together are told why.
// Method: bytes in memory.
#include "work/transport/peer_hello.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/support/decoder_memory.hpp"

namespace heddle::work {
namespace peer_hello_test {

const ports::PeerHello hello{3, "cluster_1", "node-manager", 0x0123456789ABCDEF, 42};

BOOST_AUTO_TEST_SUITE(peer_hello)

BOOST_AUTO_TEST_CASE(a_hello_reads_back_unchanged) {
  const auto bytes = write_hello(hello);
  BOOST_TEST(*hello_rest_bytes(bytes) == bytes.size() - hello_head_bytes);
  const auto read = read_hello(bytes);
  BOOST_REQUIRE(read);
  BOOST_TEST((*read == hello));
}

BOOST_AUTO_TEST_CASE(a_hostile_hello_needs_little_memory) {
  const auto head = write_hello(hello).substr(0, hello_head_bytes - 4);
  for (const auto& bytes : {tests::repeated("\xff"), tests::repeated("HDH1"), head + tests::repeated("\xff"),
                            head + tests::repeated("\x01")}) {
    tests::check_decoder_memory("a hello", [&] { (void)read_hello(bytes).has_value(); });
    const auto rest = hello_rest_bytes(bytes);
    BOOST_TEST((!rest || *rest <= 2 * hello_text_bytes_max));
  }
}

BOOST_AUTO_TEST_CASE(cut_lengthened_and_foreign_bytes_are_no_hello) {
  const auto bytes = write_hello(hello);
  for (std::size_t size = 0; size < bytes.size(); ++size) BOOST_TEST(!read_hello(bytes.substr(0, size)));
  BOOST_TEST(!read_hello(bytes + "x"));
  BOOST_TEST(!hello_rest_bytes("GET / HTTP/1.1\r\nHost: somewhere\r\n"));
  auto huge = bytes;
  huge[24] = huge[25] = '\xFF';  // length of the cluster
  BOOST_TEST(!hello_rest_bytes(huge));
}

BOOST_AUTO_TEST_CASE(texts_are_cut_to_their_maximum) {
  auto longer = hello;
  longer.role = std::string(1000, 'r');
  const auto read = read_hello(write_hello(longer));
  BOOST_REQUIRE(read);
  BOOST_TEST(read->role.size() == hello_text_bytes_max);
}

BOOST_AUTO_TEST_CASE(another_protocol_or_cluster_is_refused_with_both_values) {
  BOOST_TEST(check_hello(hello, hello).has_value());
  auto other = hello;
  other.protocol = 4;
  BOOST_TEST(check_hello(hello, other).error().text ==
             "it speaks protocol 4 and this process protocol 3; use the same version of heddle in both");
  other = hello;
  other.cluster = "cluster_2";
  BOOST_TEST(check_hello(hello, other).error().text ==
             "it belongs to cluster 'cluster_2' and this process to cluster 'cluster_1'");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace peer_hello_test
}  // namespace heddle::work
