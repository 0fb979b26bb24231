// Goal: the client sends what a real Hadoop 3.4.2 accepted, and understands what it answered. tests/real/relay recorded
// the conversations. Values that differ in each run (client id, nonce, requests, token) are read from the record.
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "interop/hadoop/message_guard.hpp"
#include "interop/hadoop/proto/hdfs.pb.h"
#include "interop/hadoop/proto/rpc_header.pb.h"
#include "interop/hadoop/proto/yarn_protocols.pb.h"
#include "interop/hadoop/rpc_conversation.hpp"
#include "interop/hadoop/token_file.hpp"

namespace heddle::interop {
namespace {

const std::filesystem::path folder{HEDDLE_CONVERSATIONS};

struct Piece {
  bool is_client = false;
  std::string bytes;
};

std::string from_hexadecimal(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string{text.substr(i, 2)}, nullptr, 16));
  return bytes;
}

std::vector<Piece> read_conversation(const std::string& name) {
  std::ifstream file{folder / (name + ".conversation")};
  std::vector<Piece> pieces;
  std::string side;
  std::string hex;
  while (file >> side >> hex) pieces.push_back({side == "C", from_hexadecimal(hex)});
  BOOST_REQUIRE_MESSAGE(!pieces.empty(), name + " is missing");
  return pieces;
}

CredentialToken recorded_token(const std::string& name) {
  std::ifstream file{folder / (name + ".tokens"), std::ios::binary};
  const auto tokens = parse_token_file(name, std::string{std::istreambuf_iterator<char>{file}, {}});
  BOOST_REQUIRE(tokens.has_value());
  return tokens->tokens.front().second;
}

struct RecordedCall {
  std::int32_t id = 0;
  std::int32_t retry_count = 0;
  std::string method;
  std::string request;
};

/// What the client said, in plain form.
struct ClientSide {
  std::string client_id, client_nonce, user, protocol;
  std::vector<RecordedCall> calls;
};

template <class Message>
Message message_in(std::string_view& bytes) {
  Message message;
  const auto taken = take_delimited(bytes);
  BOOST_REQUIRE((taken && parse_message(*taken, message)));
  return message;
}

void take_client_frame(std::string_view frame, ClientSide& client, std::optional<IntegrityLayer>& layer,
                       const CredentialToken* token) {
  const auto header = message_in<proto::RpcRequestHeader>(frame);
  if (header.call_id() >= 0) {
    const auto request = message_in<proto::RequestHeader>(frame);
    client.calls.push_back(
        {header.call_id(), header.retry_count(), request.method(), std::string{*take_delimited(frame)}});
  } else if (header.call_id() == -3) {
    const auto context = message_in<proto::ConnectionContext>(frame);
    client.client_id = header.client_id();
    client.user = context.user().effective_user();
    client.protocol = context.protocol();
  } else if (header.call_id() == -33) {
    const auto message = message_in<proto::SaslMessage>(frame);
    if (message.state() == proto::SaslMessage::INITIATE) {
      const auto directives = parse_digest_directives(message.token());
      BOOST_REQUIRE(directives.has_value());
      std::map<std::string, std::string> sent{directives->begin(), directives->end()};
      client.client_nonce = sent["cnonce"];
      BOOST_REQUIRE(token != nullptr);
      const DigestExchange exchange{base64_of(token->identifier),
                                    base64_of(token->password),
                                    sent["realm"],
                                    sent["nonce"],
                                    sent["cnonce"],
                                    sent["digest-uri"],
                                    sent["qop"]};
      if (sent["qop"] == "auth-int") layer.emplace(*IntegrityLayer::of(exchange, DigestSide::server));
    } else if (message.state() == proto::SaslMessage::WRAP) {
      const auto inner = layer->unwrap(message.token());
      BOOST_REQUIRE(inner.has_value());
      FrameReader frames{frame_length_max};
      frames.add(*inner);
      while (const auto next = frames.next()) take_client_frame(*next, client, layer, token);
    }
  }
}

ClientSide client_side(const std::vector<Piece>& pieces, const CredentialToken* token) {
  constexpr std::size_t preamble_bytes = 7;
  ClientSide client;
  std::optional<IntegrityLayer> layer;
  FrameReader frames{frame_length_max};
  bool is_first = true;
  for (const auto& piece : pieces) {
    if (!piece.is_client) continue;
    frames.add(std::string_view{piece.bytes}.substr(std::exchange(is_first, false) ? preamble_bytes : 0));
    while (const auto frame = frames.next()) take_client_frame(*frame, client, layer, token);
  }
  return client;
}

/// Plays the server's pieces to a conversation and compares what it sends. Returns the responses.
std::vector<CallResponse> replay(const std::string& name, const CredentialToken* token, std::string* fault_text) {
  const auto pieces = read_conversation(name);
  const auto client = client_side(pieces, token);
  ConversationSettings settings;
  settings.protocol = client.protocol;
  settings.user = client.user;
  settings.client_id = client.client_id;
  settings.client_nonce = client.client_nonce;
  if (token != nullptr) settings.token = *token;
  RpcConversation conversation{settings};
  std::vector<CallResponse> responses;
  std::string sent = conversation.take_output();
  std::string recorded;
  auto call = client.calls.begin();
  for (const auto& piece : pieces) {
    if (piece.is_client) {
      recorded += piece.bytes;
      while (sent.size() < recorded.size() && conversation.is_ready() && call != client.calls.end()) {
        conversation.send_call(call->id, call->retry_count, call->method, call->request);
        sent += conversation.take_output();
        ++call;
      }
      BOOST_TEST((sent == recorded), name << ": " << sent.size() << " bytes sent, " << recorded.size() << " recorded");
    } else {
      const auto fault = conversation.receive(piece.bytes, responses);
      if (fault) *fault_text = std::string{to_string(fault->kind)} + " " + fault->java_class;
      sent += conversation.take_output();
    }
  }
  return responses;
}

template <class Message>
Message response_of(const CallResponse& response) {
  Message message;
  BOOST_REQUIRE(response.result.has_value());
  BOOST_REQUIRE(parse_message(*response.result, message));
  return message;
}

/// The answers of a replayed conversation, by method, in order. Every call must have an answer.
std::map<std::string, std::vector<CallResponse>> answers_by_method(const std::string& name,
                                                                   const CredentialToken* token) {
  std::string fault;
  std::map<std::int32_t, CallResponse> answers;
  for (const auto& response : replay(name, token, &fault)) answers.emplace(response.call_id, response);
  BOOST_TEST(fault == "");
  std::map<std::string, std::vector<CallResponse>> found;
  for (const auto& call : client_side(read_conversation(name), token).calls) {
    BOOST_REQUIRE_MESSAGE(answers.contains(call.id), name << ": " << call.method << " has no answer");
    found[call.method].push_back(answers.at(call.id));
  }
  return found;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(recorded_conversations)

BOOST_AUTO_TEST_CASE(the_resource_manager_lists_its_nodes) {
  std::string fault;
  const auto responses = replay("resource_manager", nullptr, &fault);
  BOOST_REQUIRE(responses.size() == 3u);
  const auto first = response_of<proto::GetNewApplicationResponse>(responses[0]);
  const auto second = response_of<proto::GetNewApplicationResponse>(responses[1]);
  BOOST_TEST(second.application_id().id() == first.application_id().id() + 1);
  BOOST_TEST(first.capability_max().memory() == 4096);
  const auto nodes = response_of<proto::GetClusterNodesResponse>(responses[2]);
  BOOST_TEST(nodes.nodes_size() >= 1);
  BOOST_TEST(nodes.nodes(0).rack().starts_with("/rack"));
  BOOST_TEST((nodes.nodes(0).state() == proto::NS_RUNNING));
  BOOST_TEST(fault == "");
}

BOOST_AUTO_TEST_CASE(the_name_node_describes_files) {
  std::string fault;
  const auto responses = replay("name_node", nullptr, &fault);
  BOOST_REQUIRE(responses.size() == 2u);
  BOOST_TEST(
      (response_of<proto::GetFileInfoResponse>(responses[0]).status().file_type() == proto::HdfsFileStatus::IS_DIR));
  BOOST_TEST(!response_of<proto::GetFileInfoResponse>(responses[1]).has_status());
}

BOOST_AUTO_TEST_CASE(a_master_registers_with_each_protection) {
  for (const std::string name : {"master_auth", "master_auth_int"}) {
    const auto token = recorded_token(name);
    std::string fault;
    const auto responses = replay(name, &token, &fault);
    BOOST_REQUIRE(responses.size() >= 2u);
    BOOST_TEST(response_of<proto::RegisterApplicationMasterResponse>(responses[0]).capability_max().memory() == 4096);
    BOOST_TEST(response_of<proto::FinishApplicationMasterResponse>(responses.back()).is_unregistered());
    BOOST_TEST(fault == "");
  }
}

BOOST_AUTO_TEST_CASE(a_client_submits_an_application_and_follows_it) {
  const auto answers = answers_by_method("submission", nullptr);
  const auto application = response_of<proto::GetNewApplicationResponse>(answers.at("getNewApplication")[0]);
  response_of<proto::Empty>(answers.at("submitApplication")[0]);
  const auto report = response_of<proto::GetApplicationReportResponse>(answers.at("getApplicationReport")[0]).report();
  BOOST_TEST(report.application_id().id() == application.application_id().id());
  BOOST_TEST(report.application_type() == "HEDDLE");
}

BOOST_AUTO_TEST_CASE(a_master_is_granted_a_container) {
  const auto token = recorded_token("granted_master");
  const auto answers = answers_by_method("granted_master", &token);
  const auto granted = response_of<proto::AllocateResponse>(answers.at("allocate").back());
  BOOST_REQUIRE(granted.allocated_size() == 1);
  BOOST_TEST(granted.allocated(0).resource().memory() >= 128);
  BOOST_REQUIRE(granted.node_tokens_size() == 1);
  BOOST_TEST(granted.node_tokens(0).token().identifier() == recorded_token("node_refusal").identifier);
}

BOOST_AUTO_TEST_CASE(a_node_manager_refuses_the_token_of_another_one) {
  const auto token = recorded_token("node_refusal");
  std::string fault;
  BOOST_TEST(replay("node_refusal", &token, &fault).empty());
  BOOST_TEST(fault == "refused org.apache.hadoop.security.token.SecretManager$InvalidToken");
}

BOOST_AUTO_TEST_CASE(an_output_is_written_and_committed) {
  const auto answers = answers_by_method("output", nullptr);
  const auto block = response_of<proto::AddBlockResponse>(answers.at("addBlock")[0]).block();
  BOOST_TEST(block.locations_size() == 1);
  BOOST_TEST(response_of<proto::CompleteResponse>(answers.at("complete").back()).result());
  response_of<proto::Rename2Response>(answers.at("rename2")[0]);
}

BOOST_AUTO_TEST_CASE(the_scheduler_refuses_users_without_token) {
  std::string fault;
  const auto responses = replay("scheduler_without_token", nullptr, &fault);
  BOOST_TEST(responses.empty());
  BOOST_TEST(fault == "refused org.apache.hadoop.security.AccessControlException");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace heddle::interop
