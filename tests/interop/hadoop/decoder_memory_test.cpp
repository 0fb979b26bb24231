// Goal: 1 MB of hostile bytes makes no decoder use more than 64 MB.
#include "tests/support/decoder_memory.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "interop/hadoop/message_guard.hpp"
#include "interop/hadoop/proto/hdfs.pb.h"
#include "interop/hadoop/proto/yarn_protocols.pb.h"
#include "interop/hadoop/rpc_conversation.hpp"
#include "interop/hadoop/token_file.hpp"

namespace heddle::interop {
namespace {

using tests::check_decoder_memory;
using tests::hostile_bytes;
using tests::repeated;

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

/// The first bytes of a field of bytes, such as a message. `field`: its number, below 256.
std::string tag(int field) {
  const int key = field << 3 | 2;
  if (key < 0x80) return {static_cast<char>(key)};
  return {static_cast<char>(key | 0x80), static_cast<char>(key >> 7)};
}

/// A field with this content. `field`: its number, below 256.
std::string field_with(int field, std::string_view content) {
  std::string bytes = tag(field);
  for (auto length = content.size();; length >>= 7) {
    bytes += static_cast<char>((length & 0x7f) | (length > 0x7f ? 0x80 : 0));
    if (length <= 0x7f) return bytes += content;
  }
}

/// `field`: number of a repeated message.
template <class Message>
void check_repeated_field(int field = 1) {
  const std::string_view contents[] = {"",                               // empty
                                       {"\x08\x01", 2},                  // tiny
                                       {"\x10\x01\x10\x01", 4},          // not tiny
                                       {"\x78\x01\x78\x01", 4},          // unknown fields
                                       {"\x0a\x04\x0a\x02\x08\x01", 6},  // nested
                                       {"\x0a\x02\x08\x01\x12\x02\x08\x01", 8}};
  for (const auto content : contents) {
    const auto piece = tag(field) + static_cast<char>(content.size()) + std::string{content};
    const auto bytes = repeated(piece);
    check_decoder_memory(Message{}.GetTypeName() + ", pieces of " + std::to_string(piece.size()), [&] {
      Message message;
      (void)parse_message(bytes, message);
    });
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(decoder_memory)

BOOST_AUTO_TEST_CASE(frames_of_a_server_stay_below_the_limit) {
  const std::string header{"\x04\x08\x00\x10\x00", 5};  // call 0, SUCCESS
  const std::string inputs[] = {
      repeated(framed(header + std::string(1, '\0'))),
      repeated(framed(std::string{"\x04\x08\x00\x10\x01", 5})),
      std::string{"\x07\xff\xff\xff", 4} + std::string(hostile_bytes, 'x'),
      framed(header + repeated("\x0a")),
      framed(std::string{"\x0a\x08\xdf\xff\xff\xff\x0f\x10\x00\x00\x00", 11} +
             repeated(std::string_view{"\x22\x00", 2})),
  };
  for (const auto& bytes : inputs)
    for (const bool has_token : {false, true}) check_decoder_memory("frames", [&] { converse(bytes, has_token); });
}

BOOST_AUTO_TEST_CASE(token_files_stay_below_the_limit) {
  const std::string inputs[] = {
      std::string{"HDTS\x00\x8d\x10\x00\x00", 9} + std::string(hostile_bytes, '\0'),
      std::string{"HDTS\x00\x8e\x27\x10", 8} + std::string(hostile_bytes, '\0'),
      std::string{"HDTS\x01", 5} + "\x80\x80\x40" + repeated(std::string_view{"\x0a\x00", 2}),
      std::string{"HDTS\x01", 5} + "\x80\x80\x40" + repeated(std::string_view{"\x0a\x06\x0a\x00\x12\x00\x1a\x00", 8}),
  };
  for (const auto& bytes : inputs)
    check_decoder_memory("a token file", [&] { (void)parse_token_file("tokens", bytes); });
}

BOOST_AUTO_TEST_CASE(responses_stay_below_the_limit) {
  check_repeated_field<proto::GetClusterNodesResponse>();
  check_repeated_field<proto::GetApplicationsResponse>();
  check_repeated_field<proto::DirectoryListing>();
  for (const int field : {1, 2, 3}) check_repeated_field<proto::StartContainersResponse>(field);
  check_repeated_field<proto::StopContainersResponse>();
  check_repeated_field<proto::GetApplicationReportResponse>();
  check_repeated_field<proto::GetApplicationAttemptsResponse>();
  check_repeated_field<proto::GetContainersResponse>();
  check_repeated_field<proto::LocatedBlocks>(2);
  for (const int field : {3, 4, 5, 6, 8, 9, 12}) check_repeated_field<proto::AllocateResponse>(field);
  check_repeated_field<proto::ApplicationReport>(20);  // tags
}

BOOST_AUTO_TEST_CASE(bytes_that_are_no_field_of_hadoop_hide_no_tiny_fields) {
  const std::string entries = repeated(std::string_view{"\x0a\x00", 2});
  const std::string_view groups[] = {"\xfb\x01\xfc\x01", "\xfb\x01\x08\x01\xfc\x01", "\x7b\x7b\x7c\x7c"};
  for (const auto group : groups) {
    check_decoder_memory("entries behind a group", [&] {
      proto::DirectoryListing listing;
      (void)parse_message(std::string{group} + entries, listing);
    });
    check_decoder_memory("a message with entries behind a group", [&] {
      proto::GetListingResponse response;
      (void)parse_message(field_with(1, std::string{group} + entries), response);
    });
  }
  for (const std::string_view end :
       {std::string_view{"\x06"}, std::string_view{"\x07"}, std::string_view{"\x0a\x05", 2}, std::string_view{"\0", 1},
        std::string_view{"\x0f"}})
    check_decoder_memory("a message with entries before bytes that are none", [&] {
      proto::GetListingResponse response;
      (void)parse_message(field_with(1, entries + std::string{end}), response);
    });
}

BOOST_AUTO_TEST_CASE(texts_of_any_characters_are_worth_parsing) {
  for (int character = 0x09; character < 0x100; ++character) {
    std::string text(100'000, static_cast<char>(character));
    BOOST_TEST(is_worth_parsing(field_with(1, text)), "character " << character);
    for (std::size_t at = 0; at < text.size(); at += 7) text[at] = '\n';
    BOOST_TEST(is_worth_parsing(field_with(1, text)), "character " << character << " in lines");
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace heddle::interop
