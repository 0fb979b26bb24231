// Goal: the request with which a master starts a container is one that the NodeManager of a real Hadoop 3.4.2 accepted,
// and the answer of that NodeManager is understood. Method: tests/real/relay recorded both. Tokens, ids and the file
// are read from the record; the launch spec is heddle's own and is not compared.
#include <utility>

#include "interop/hadoop/rpc_conversation.hpp"
#include "interop/yarn/launch_context.hpp"
#include "interop/yarn/node_manager_link.hpp"
#include "interop/yarn/yarn_ids.hpp"
#include "interop/yarn/yarn_records.hpp"
#include "tests/interop/yarn/link_world.hpp"
#include "tests/support/recorded_calls.hpp"

namespace heddle::interop {
namespace recorded_start_test {
namespace {

/// The first call of a method, and its answer.
struct RecordedExchange {
  std::string request;
  std::string answer;
};

RecordedExchange recorded_exchange(const std::string& method, const CredentialToken& token) {
  const auto pieces = tests::read_conversation(HEDDLE_CONVERSATIONS, "container_start");
  const auto client = tests::client_side(pieces, &token);
  for (const auto& call : client.calls) {
    if (call.method != method) continue;
    ConversationSettings settings;
    settings.token = token;
    settings.protocol = client.protocol;
    settings.client_id = client.client_id;
    settings.client_nonce = client.client_nonce;
    RpcConversation conversation{settings};
    std::vector<CallResponse> responses;
    for (const auto& piece : pieces)
      if (!piece.is_client) BOOST_REQUIRE(!conversation.receive(piece.bytes, responses));
    for (const auto& response : responses)
      if (response.call_id == call.id && response.result.has_value()) return {call.request, *response.result};
  }
  BOOST_FAIL("no call of " << method);
  return {};
}

template <class Message>
Message parsed(const std::string& bytes) {
  Message message;
  BOOST_REQUIRE(message.ParseFromString(bytes));
  return message;
}

/// Takes the credentials out of a launch context and blanks the launch spec in them.
CredentialFile taken_credentials(proto::ContainerLaunchContext& context) {
  auto credentials = parse_token_file("tokens", context.tokens()).value();
  context.clear_tokens();
  for (auto& [alias, secret] : credentials.secrets)
    if (alias == launch_secret) secret.clear();
  return credentials;
}

LaunchFile file_of(const proto::ContainerLaunchContext& context) {
  BOOST_TEST_REQUIRE(context.local_resources_size() == 1);
  const auto& linked = context.local_resources(0);
  const auto& resource = linked.value();
  return {linked.key(), resource.resource().scheme() + "://" + resource.resource().file(), resource.size(),
          resource.timestamp()};
}

BOOST_AUTO_TEST_CASE(a_node_manager_accepts_the_request_that_starts_a_container) {
  const auto node_token = tests::recorded_token(HEDDLE_CONVERSATIONS, "container_start");
  const auto recorded = recorded_exchange("startContainers", node_token);
  auto expected = parsed<proto::StartContainersRequest>(recorded.request);
  BOOST_TEST_REQUIRE(expected.requests_size() == 1);
  const auto answer = parsed<proto::StartContainersResponse>(recorded.answer);
  BOOST_TEST_REQUIRE(answer.succeeded_size() == 1);
  const auto container = container_of(answer.succeeded(0));

  tests::FakeServerSettings server;
  server.tokens = {node_token};
  LinkWorld world{server};
  world.answers.add("startContainers", tests::answer_of(answer));
  NodeManagerLinkSettings settings;
  settings.program = program_context({file_of(expected.requests(0).launch_context())}, "ann")->SerializeAsString();
  settings.retries = no_retries;
  const auto link = world.keep(spawn_node_manager_link(*world.system, settings, world.tools(), &world.thread));
  const auto address = world.server.address();
  const auto container_token = token_of(expected.requests(0).container_token());
  (*world.self)
      ->send(link, AllocationNews{{{address, node_token}}, {{container, NodeId{0}, {address, container_token}}}, {}});
  StartContainer message{container, attempt_of(answer.succeeded(0).attempt_id()), {1408, 1}, "secret", {}};
  ExecutorLaunch executor;
  executor.executor = ExecutorId{1};
  message.launch.role = executor;
  (*world.self)->send(link, message);
  BOOST_TEST((world.next<ContainerStarted>().container == container));

  auto request = world.request<proto::StartContainersRequest>("startContainers");
  BOOST_TEST_REQUIRE(request.requests_size() == 1);
  BOOST_TEST((taken_credentials(*request.mutable_requests(0)->mutable_launch_context()) ==
              taken_credentials(*expected.mutable_requests(0)->mutable_launch_context())));
  BOOST_TEST((request.SerializeAsString() == expected.SerializeAsString()));
}

}  // namespace
}  // namespace recorded_start_test
}  // namespace heddle::interop
