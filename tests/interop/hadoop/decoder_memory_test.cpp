// Goal: 1 MB of hostile bytes makes no decoder use more than 64 MB.
#include <malloc.h>

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <fstream>
#include <functional>
#include <string>

#include "interop/hadoop/message_guard.hpp"
#include "interop/hadoop/proto/hdfs.pb.h"
#include "interop/hadoop/proto/yarn_protocols.pb.h"
#include "interop/hadoop/rpc_conversation.hpp"
#include "interop/hadoop/token_file.hpp"
#include "tests/support/sanitizer.hpp"

namespace heddle::interop {
namespace {

constexpr std::size_t input_bytes = 1 << 20;
constexpr std::int64_t limit_kib = 64 << 10;

/// A value of /proc/self/status in KiB: VmRSS, or VmHWM, its maximum.
std::int64_t memory_kib(const std::string& name) {
  std::ifstream status{"/proc/self/status"};
  std::string word;
  std::int64_t value = -1;
  while (status >> word)
    if (word == name + ":") status >> value;
  return value;
}

/// Peak of resident memory during the call, above the memory before.
std::int64_t peak_kib(const std::function<void()>& decode) {
  ::malloc_trim(0);
  std::ofstream{"/proc/self/clear_refs"} << "5";
  const auto before = memory_kib("VmRSS");
  decode();
  return memory_kib("VmHWM") - before;
}

std::string repeated(std::string_view piece) {
  std::string bytes;
  while (bytes.size() + piece.size() <= input_bytes) bytes += piece;
  return bytes;
}

std::string framed(std::string_view body) {
  std::string frame;
  for (int shift = 24; shift >= 0; shift -= 8) frame += static_cast<char>((body.size() >> shift) & 0xff);
  return frame += body;
}

void converse(const std::string& bytes, bool has_token) {
  ConversationSettings settings;
  settings.client_id = std::string(16, 'c');
  if (has_token) settings.token = CredentialToken{"i", "p", "k", ""};
  RpcConversation conversation{settings};
  std::vector<CallResponse> responses;
  (void)conversation.receive(bytes, responses);
}

template <class Message>
void check_repeated_field() {
  const std::string_view pieces[] = {{"\x0a\x00", 2},                          // empty
                                     {"\x0a\x02\x08\x01", 4},                  // tiny
                                     {"\x0a\x04\x10\x01\x10\x01", 6},          // not tiny
                                     {"\x0a\x04\x78\x01\x78\x01", 6},          // unknown fields
                                     {"\x0a\x06\x0a\x04\x0a\x02\x08\x01", 8},  // nested
                                     {"\x0a\x08\x0a\x02\x08\x01\x12\x02\x08\x01", 10}};
  for (const auto piece : pieces) {
    const auto bytes = repeated(piece);
    const auto peak = peak_kib([&] {
      Message message;
      (void)parse_message(bytes, message);
    });
    BOOST_TEST(peak < limit_kib, Message{}.GetTypeName() << ", pieces of " << piece.size() << ": " << peak << " KiB");
  }
}

boost::test_tools::assertion_result has_plain_memory(boost::unit_test::test_unit_id) {
  return boost::test_tools::assertion_result{HEDDLE_HAS_ASAN == 0};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(decoder_memory, *boost::unit_test::precondition(has_plain_memory))

BOOST_AUTO_TEST_CASE(frames_of_a_server_stay_below_the_limit) {
  const std::string header{"\x04\x08\x00\x10\x00", 5};  // call 0, SUCCESS
  const std::string inputs[] = {
      repeated(framed(header + std::string(1, '\0'))),
      repeated(framed(std::string{"\x04\x08\x00\x10\x01", 5})),
      std::string{"\x07\xff\xff\xff", 4} + std::string(input_bytes, 'x'),
      framed(header + repeated("\x0a")),
      framed(std::string{"\x0a\x08\xdf\xff\xff\xff\x0f\x10\x00\x00\x00", 11} +
             repeated(std::string_view{"\x22\x00", 2})),
  };
  for (const auto& bytes : inputs)
    for (const bool has_token : {false, true}) {
      const auto peak = peak_kib([&] { converse(bytes, has_token); });
      BOOST_TEST(peak < limit_kib, peak << " KiB");
    }
}

BOOST_AUTO_TEST_CASE(token_files_stay_below_the_limit) {
  const std::string inputs[] = {
      std::string{"HDTS\x00\x8d\x10\x00\x00", 9} + std::string(input_bytes, '\0'),
      std::string{"HDTS\x00\x8e\x27\x10", 8} + std::string(input_bytes, '\0'),
      std::string{"HDTS\x01", 5} + "\x80\x80\x40" + repeated(std::string_view{"\x0a\x00", 2}),
      std::string{"HDTS\x01", 5} + "\x80\x80\x40" + repeated(std::string_view{"\x0a\x06\x0a\x00\x12\x00\x1a\x00", 8}),
  };
  for (const auto& bytes : inputs) {
    const auto peak = peak_kib([&] { (void)parse_token_file("tokens", bytes); });
    BOOST_TEST(peak < limit_kib, peak << " KiB");
  }
}

BOOST_AUTO_TEST_CASE(responses_stay_below_the_limit) {
  check_repeated_field<proto::GetClusterNodesResponse>();
  check_repeated_field<proto::GetApplicationsResponse>();
  check_repeated_field<proto::DirectoryListing>();
  check_repeated_field<proto::StopContainersResponse>();
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace heddle::interop
