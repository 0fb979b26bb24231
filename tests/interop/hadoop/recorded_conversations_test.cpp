// Goal: the client sends what a real Hadoop 3.4.2 accepted, and understands what it answered. tests/real/relay recorded
// the conversations.
#include <boost/test/unit_test.hpp>
#include <map>
#include <string>
#include <vector>

#include "interop/hadoop/message_guard.hpp"
#include "interop/hadoop/proto/hdfs.pb.h"
#include "interop/hadoop/proto/yarn_protocols.pb.h"
#include "interop/hadoop/rpc_conversation.hpp"
#include "tests/support/recorded_calls.hpp"

namespace heddle::interop {
namespace {

using tests::client_side;
using tests::read_conversation;
using tests::recorded_token;

/// Plays the server's pieces to a conversation and compares what it sends. Returns the responses.
std::vector<CallResponse> replay(const std::string& name, const CredentialToken* token, std::string* fault_text) {
  const auto pieces = read_conversation(HEDDLE_CONVERSATIONS, name);
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
  for (const auto& call : client_side(read_conversation(HEDDLE_CONVERSATIONS, name), token).calls) {
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
    const auto token = recorded_token(HEDDLE_CONVERSATIONS, name);
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
  const auto token = recorded_token(HEDDLE_CONVERSATIONS, "granted_master");
  const auto answers = answers_by_method("granted_master", &token);
  const auto granted = response_of<proto::AllocateResponse>(answers.at("allocate").back());
  BOOST_REQUIRE(granted.allocated_size() == 1);
  BOOST_TEST(granted.allocated(0).resource().memory() >= 128);
  BOOST_REQUIRE(granted.node_tokens_size() == 1);
  BOOST_TEST(granted.node_tokens(0).token().identifier() ==
             recorded_token(HEDDLE_CONVERSATIONS, "node_refusal").identifier);
}

BOOST_AUTO_TEST_CASE(a_node_manager_starts_a_container_and_reports_its_end) {
  const auto token = recorded_token(HEDDLE_CONVERSATIONS, "container_start");
  const auto answers = answers_by_method("container_start", &token);
  const auto started = response_of<proto::StartContainersResponse>(answers.at("startContainers")[0]);
  BOOST_TEST_REQUIRE(started.succeeded_size() == 1);
  BOOST_TEST(started.failed_size() == 0);
  const auto status = response_of<proto::GetContainerStatusesResponse>(answers.at("getContainerStatuses").back());
  BOOST_TEST_REQUIRE(status.statuses_size() == 1);
  BOOST_TEST(status.statuses(0).state() == proto::C_COMPLETE);
  BOOST_TEST(status.statuses(0).exit_status() == 3);
}

BOOST_AUTO_TEST_CASE(a_node_manager_refuses_the_token_of_another_one) {
  const auto token = recorded_token(HEDDLE_CONVERSATIONS, "node_refusal");
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
