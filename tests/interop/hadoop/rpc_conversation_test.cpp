#include "interop/hadoop/rpc_conversation.hpp"

#include <boost/test/unit_test.hpp>

#include "interop/hadoop/message_guard.hpp"
#include "interop/hadoop/proto/rpc_header.pb.h"
#include "interop/hadoop/proto/yarn_protocols.pb.h"

namespace heddle::interop {
namespace {

std::string golden_client_id() {
  std::string id;
  for (char byte = 0; byte < 16; ++byte) id += byte;
  return id;
}

ConversationSettings simple_settings() {
  ConversationSettings settings;
  settings.protocol = "org.example.Protocol";
  settings.user = "ann";
  settings.client_id = golden_client_id();
  settings.client_nonce = "nonce";
  return settings;
}

ConversationSettings token_settings() {
  auto settings = simple_settings();
  settings.token = CredentialToken{"identifier", "password", "kind", ""};
  return settings;
}

std::string response_frame(std::int32_t call_id, proto::RpcResponseHeader::Status status, std::string_view body,
                           std::string_view java_class = {}, std::string_view text = {}) {
  proto::RpcResponseHeader header;
  header.set_call_id(static_cast<std::uint32_t>(call_id));
  header.set_status(status);
  if (!java_class.empty()) header.set_exception_class(std::string{java_class});
  if (!text.empty()) header.set_error_text(std::string{text});
  std::string frame;
  if (status == proto::RpcResponseHeader::SUCCESS) append_frame(frame, {header.SerializeAsString(), body});
  else append_frame(frame, {header.SerializeAsString()});
  return frame;
}

std::string sasl_frame(proto::SaslMessage::State state, std::string_view token = {}) {
  proto::SaslMessage message;
  message.set_state(state);
  if (!token.empty()) message.set_token(std::string{token});
  return response_frame(-33, proto::RpcResponseHeader::SUCCESS, message.SerializeAsString());
}

constexpr auto success = proto::RpcResponseHeader::SUCCESS;
constexpr auto error = proto::RpcResponseHeader::ERROR;
constexpr auto fatal = proto::RpcResponseHeader::FATAL;

std::string text_of(const std::optional<RpcFault>& fault) {
  return fault ? std::string{to_string(fault->kind)} + ": " + fault->text : std::string{"none"};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(rpc_conversation)

BOOST_AUTO_TEST_CASE(a_ping_has_the_bytes_of_the_specification) {
  RpcConversation conversation{simple_settings()};
  (void)conversation.take_output();
  conversation.send_ping();
  BOOST_TEST((conversation.take_output() == std::string{"\x00\x00\x00\x1b\x1a\x08\x02\x10\x00\x18\x07\x22\x10", 13} +
                                                golden_client_id() + std::string{"\x28\x01", 2}));
}

BOOST_AUTO_TEST_CASE(a_conversation_with_a_token_starts_with_negotiate) {
  RpcConversation conversation{token_settings()};
  BOOST_TEST(!conversation.is_ready());
  BOOST_TEST((conversation.take_output() ==
              std::string{"hrpc\x09\x00\xdf"
                          "\x00\x00\x00\x0e\x0a\x08\x02\x10\x00\x18\x41\x22\x00\x28\x01\x02\x10\x01",
                          25}));
}

BOOST_AUTO_TEST_CASE(a_conversation_without_token_starts_with_its_context) {
  RpcConversation conversation{simple_settings()};
  BOOST_TEST(conversation.is_ready());
  // Context: field 2 {field 1 "ann"}, field 3 the protocol.
  const std::string context =
      std::string{
          "\x12\x05\x0a\x03"
          "ann\x1a\x14",
          9} +
      "org.example.Protocol";
  BOOST_TEST((conversation.take_output() ==
              std::string{"hrpc\x09\x00\x00\x00\x00\x00\x39\x1a\x08\x02\x10\x00\x18\x05\x22\x10", 20} +
                  golden_client_id() + std::string{"\x28\x01\x1d", 3} + context));
}

BOOST_AUTO_TEST_CASE(a_call_has_two_headers_and_the_request) {
  RpcConversation conversation{simple_settings()};
  (void)conversation.take_output();
  conversation.send_call(0, 0, "ask", "");
  const std::string header =
      std::string{"\x1a\x08\x02\x10\x00\x18\x00\x22\x10", 9} + golden_client_id() + std::string{"\x28\x00", 2};
  const std::string request =
      std::string{
          "\x1d\x0a\x03"
          "ask\x12\x14",
          8} +
      "org.example.Protocol" + std::string{"\x18\x01", 2};
  const std::string frame = header + request + std::string(1, '\0');
  BOOST_TEST((conversation.take_output() == std::string{"\x00\x00\x00", 3} + static_cast<char>(frame.size()) + frame));
}

BOOST_AUTO_TEST_CASE(responses_may_arrive_in_pieces_and_in_any_order) {
  const auto bytes = response_frame(1, success, "one") + response_frame(0, error, {}, "a.B", "a.B: why\n\tat x") +
                     response_frame(2, success, "");
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    RpcConversation conversation{simple_settings()};
    std::vector<CallResponse> responses;
    for (std::size_t at = 0; at < bytes.size(); at += piece)
      BOOST_TEST(text_of(conversation.receive(std::string_view{bytes}.substr(at, piece), responses)) == "none");
    BOOST_REQUIRE(responses.size() == 3u);
    BOOST_TEST(responses[0].call_id == 1);
    BOOST_TEST(*responses[0].result == "one");
    BOOST_TEST(responses[1].result.fault().java_class == "a.B");
    BOOST_TEST(responses[1].result.fault().text == "why");
    BOOST_TEST(*responses[2].result == "");
  }
}

BOOST_AUTO_TEST_CASE(peers_of_other_protocols_are_named) {
  const struct {
    std::string bytes, text;
  } rows[] = {
      {"HTTP/1.1 400 Bad Request\r\n", "HTTP"},
      {std::string{"\x15\x03\x03\x00\x02\x02\x46", 7}, "another protocol"},
      {std::string{"\xff\xff\xff\xff", 4}, "version 9"},
      {std::string{"\x80\x00\x00\x00", 4}, "another protocol"},
      {std::string{"\x00\x00\x00\x02\x05\x01", 6}, "header"},
      {std::string{"\x00\x00\x00\x00", 4}, "header"},
  };
  for (const auto& row : rows) {
    RpcConversation conversation{simple_settings()};
    std::vector<CallResponse> responses;
    const auto fault = conversation.receive(row.bytes, responses);
    BOOST_REQUIRE(fault.has_value());
    BOOST_TEST((fault->kind == RpcFault::Kind::protocol));
    BOOST_TEST(fault->text.find(row.text) != std::string::npos, fault->text);
  }
}

BOOST_AUTO_TEST_CASE(frames_before_the_authentication_are_short) {
  RpcConversation conversation{token_settings()};
  std::vector<CallResponse> responses;
  BOOST_TEST(conversation.receive(std::string{"\x00\x02\x00\x00", 4}, responses).has_value());
  RpcConversation later{simple_settings()};
  BOOST_TEST(!later.receive(std::string{"\x00\x02\x00\x00", 4}, responses).has_value());
}

BOOST_AUTO_TEST_CASE(a_fatal_response_ends_the_connection) {
  const struct {
    std::int32_t call_id;
    std::string java_class, kind;
  } rows[] = {
      {-1, "org.apache.hadoop.security.AccessControlException", "refused"},
      {-33, "javax.security.sasl.SaslException", "refused"},
      {-33, "some.Exception", "refused"},
      {4, "org.apache.hadoop.security.token.SecretManager$InvalidToken", "refused"},
      {4, "org.apache.hadoop.ipc.RpcServerException", "protocol"},
      {4, "org.apache.hadoop.ipc.StandbyException", "remote_exception"},
  };
  for (const auto& row : rows) {
    RpcConversation conversation{simple_settings()};
    std::vector<CallResponse> responses;
    const auto fault = conversation.receive(response_frame(row.call_id, fatal, {}, row.java_class, "no"), responses);
    BOOST_REQUIRE(fault.has_value());
    BOOST_TEST(to_string(fault->kind) == row.kind, row.java_class);
  }
}

BOOST_AUTO_TEST_CASE(a_server_that_breaks_the_order_of_the_authentication_is_refused) {
  const std::string offers[] = {
      sasl_frame(proto::SaslMessage::SUCCESS),        // accepts everybody
      sasl_frame(proto::SaslMessage::CHALLENGE),      // not asked
      sasl_frame(proto::SaslMessage::WRAP, "x"),      // no protection agreed
      sasl_frame(proto::SaslMessage::NEGOTIATE),      // offers nothing
      response_frame(0, success, "early"),            // a response before the end
      response_frame(-33, success, "\xff"),           // malformed
      response_frame(-33, error, {}, "x.Y", "text"),  // an error
  };
  for (const auto& bytes : offers) {
    RpcConversation conversation{token_settings()};
    std::vector<CallResponse> responses;
    BOOST_TEST(conversation.receive(bytes, responses).has_value());
    BOOST_TEST(!conversation.is_ready());
    BOOST_TEST(responses.empty());
  }
}

BOOST_AUTO_TEST_CASE(messages_of_exceptions_lose_class_and_stack_trace) {
  BOOST_TEST(exception_message("a.B", "a.B: two\nlines\n\tat c.D(E.java:1)\n\tat f") == "two\nlines");
  BOOST_TEST(exception_message("a.B", "plain") == "plain");
  BOOST_TEST(exception_message("", "") == "");
  BOOST_TEST(exception_message("a.B", std::string(9000, 'x')).size() == 4096u);
}

BOOST_AUTO_TEST_CASE(delimited_messages_are_taken_only_whole) {
  std::string bytes;
  append_delimited(bytes, std::string(300, 'x'));
  append_delimited(bytes, "");
  for (std::size_t size = 0; size < 302; ++size) {
    auto cut = std::string_view{bytes}.substr(0, size);
    BOOST_TEST(!take_delimited(cut).has_value());
    BOOST_TEST(cut.size() == size);
  }
  std::string_view rest{bytes};
  BOOST_TEST(take_delimited(rest)->size() == 300u);
  BOOST_TEST(take_delimited(rest)->empty());
  BOOST_TEST(!take_delimited(rest).has_value());
  std::string_view endless{"\xff\xff\xff\xff\xff\xff\xff"};
  BOOST_TEST(!take_delimited(endless).has_value());
}

BOOST_AUTO_TEST_CASE(floods_of_empty_messages_are_not_parsed) {
  std::string flood;
  for (int i = 0; i < 100'000; ++i) flood += std::string{"\x0a\x00", 2};
  BOOST_TEST(!is_worth_parsing(flood));
  std::string nested;
  append_delimited(nested, flood);
  BOOST_TEST(!is_worth_parsing("\x0a" + nested));

  proto::GetClusterNodesResponse nodes;
  for (int i = 0; i < 10'000; ++i) {
    auto& node = *nodes.add_nodes();
    node.mutable_node_id()->set_host("node" + std::to_string(i) + ".local");
    node.mutable_node_id()->set_port(1);
    node.set_rack("/default-rack");
    node.mutable_capability()->set_memory(1);
    node.mutable_used()->set_memory(1);
    node.set_health_report("");
    node.set_state(proto::NS_RUNNING);
  }
  BOOST_TEST(is_worth_parsing(nodes.SerializeAsString()));
  BOOST_TEST(is_worth_parsing(""));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace heddle::interop
