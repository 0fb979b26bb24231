#include "interop/hadoop/rpc_client.hpp"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <future>

#include "interop/hadoop/proto/yarn_protocols.pb.h"
#include "tests/support/no_threads.hpp"
#include "tests/support/rpc_calls.hpp"

namespace heddle::interop {
namespace {

using tests::answer_of;
using tests::ask;
using tests::closed_address;
using tests::echo;
using tests::exception_of;
using tests::FakeAnswer;
using tests::FakeCall;
using tests::FakeRpcServer;
using tests::FakeServerSettings;
using tests::Future;
using tests::quick;
using tests::start;
using tests::target_of;
using tests::text_of;
using Delivery = FakeAnswer::Delivery;

const CredentialToken token{"attempt 1", "password", "YARN_AM_RM_TOKEN", ""};
const CredentialToken rolled_token{"attempt 1, key 2", "other password", "YARN_AM_RM_TOKEN", ""};

RpcTarget with_token(const FakeRpcServer& server, const CredentialToken& credential = token) {
  auto target = target_of({server.address()});
  target.token = credential;
  return target;
}

/// Echoes the requests; the first answer is delivered in this way.
FakeRpcServer::Handler first_answer(Delivery delivery) {
  return [delivery, is_first = true](const FakeCall& call) mutable {
    auto answer = echo(call);
    if (std::exchange(is_first, false)) answer.delivery = delivery;
    return answer;
  };
}

}  // namespace

BOOST_AUTO_TEST_SUITE(rpc_client)

BOOST_AUTO_TEST_CASE(calls_share_one_connection_and_are_numbered) {
  FakeRpcServer server{echo};
  RpcThread thread;
  RpcClient client{thread, target_of({server.address()})};
  BOOST_TEST(client.local_host() == "");
  for (int i = 0; i < 3; ++i) BOOST_TEST(ask(client, "request " + std::to_string(i)) == "request " + std::to_string(i));
  BOOST_TEST(server.connections() == 1);
  const auto calls = server.calls();
  BOOST_REQUIRE(calls.size() == 3u);
  for (int i = 0; i < 3; ++i) {
    const auto& call = calls[static_cast<std::size_t>(i)];
    BOOST_TEST(call.call_id == i);
    BOOST_TEST(call.retry_count == 0);
    BOOST_TEST(call.method == "echo");
    BOOST_TEST(call.protocol == "org.example.Protocol");
    BOOST_TEST(call.user == "ann");
    BOOST_TEST((call.client_id == calls[0].client_id));
  }
  BOOST_TEST(client.local_host() == "127.0.0.1");
  BOOST_TEST(server.violation() == "");
}

BOOST_AUTO_TEST_CASE(messages_of_protobuf_are_encoded_and_decoded) {
  FakeRpcServer server{[](const FakeCall& call) {
    proto::GetQueueInfoRequest request;
    proto::GetQueueInfoResponse response;
    if (request.ParseFromString(call.request)) response.mutable_queue()->set_name(request.queue());
    auto answer = answer_of(response);
    if (request.queue() == "bad") answer.delivery = Delivery::malformed;
    return answer;
  }};
  RpcThread thread;
  RpcClient client{thread, target_of({server.address()})};
  proto::GetQueueInfoRequest request;
  request.set_queue("root.a");
  std::promise<std::string> name;
  client.call<proto::GetQueueInfoResponse>("getQueueInfo", request, {},
                                           [&](const RpcResult<proto::GetQueueInfoResponse>& info) {
                                             name.set_value(info ? info->queue().name() : info.fault().text);
                                           });
  BOOST_TEST(name.get_future().get() == "root.a");
  request.set_queue("bad");
  const auto bad = client.call_and_wait<proto::GetQueueInfoResponse>("getQueueInfo", request);
  BOOST_REQUIRE(!bad.has_value());
  BOOST_TEST((bad.fault().kind == RpcFault::Kind::protocol));
  BOOST_TEST(bad.fault().text.find("getQueueInfo") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(responses_find_their_calls_in_any_order) {
  FakeRpcServer server{[](const FakeCall& call) {
    auto answer = echo(call);
    answer.delivery = Delivery::held;
    return answer;
  }};
  RpcThread thread;
  RpcClient client{thread, target_of({server.address()})};
  std::vector<Future> answers;
  for (int i = 0; i < 20; ++i) answers.push_back(start(client, std::to_string(i)));
  BOOST_REQUIRE(server.wait_for_calls(20));
  server.release_held();
  for (std::size_t i = 0; i < answers.size(); ++i) BOOST_TEST(text_of(answers[i].get()) == std::to_string(i));
  BOOST_TEST(server.connections() == 1);
}

BOOST_AUTO_TEST_CASE(repeated_and_foreign_responses_are_ignored) {
  for (const auto delivery : {Delivery::twice, Delivery::wrong_id}) {
    FakeRpcServer server{first_answer(delivery)};
    RpcThread thread;
    RpcClient client{thread, target_of({server.address()})};
    BOOST_TEST(ask(client, "one") == "one");
    BOOST_TEST(ask(client, "two") == "two");
    BOOST_TEST(server.connections() == 1);
  }
}

BOOST_AUTO_TEST_CASE(a_call_whose_answer_was_lost_keeps_its_ids_and_is_executed_once) {
  for (const auto delivery : {Delivery::lost, Delivery::cut}) {
    FakeServerSettings settings;
    settings.has_retry_cache = true;
    FakeRpcServer server{first_answer(delivery), settings};
    RpcThread thread;
    RpcClient client{thread, target_of({server.address()}), quick};
    BOOST_TEST(ask(client, "rename") == "rename");
    BOOST_TEST(server.calls().size() == 1u);
    BOOST_TEST(server.connections() == 2);
    BOOST_TEST(server.violation() == "");
  }
}

BOOST_AUTO_TEST_CASE(a_call_that_must_not_be_repeated_fails_with_its_connection) {
  FakeRpcServer server{first_answer(Delivery::lost)};
  RpcThread thread;
  RpcClient client{thread, target_of({server.address()}), quick};
  BOOST_TEST(ask(client, "once", {.is_repeatable = false}) == "connection_lost");
  BOOST_TEST(ask(client, "next", {.is_repeatable = false}) == "next");
  BOOST_TEST(server.calls().size() == 2u);
}

BOOST_AUTO_TEST_CASE(exceptions_end_their_call_only) {
  FakeRpcServer server{[](const FakeCall& call) {
    return call.request == "bad" ? exception_of("org.example.BadException", "org.example.BadException: no\n\tat x(Y)")
                                 : echo(call);
  }};
  RpcThread thread;
  RpcClient client{thread, target_of({server.address()})};
  const auto bad = client.call_bytes_and_wait("echo", "bad");
  BOOST_REQUIRE(!bad.has_value());
  BOOST_TEST(
      (bad.fault() == RpcFault{RpcFault::Kind::remote_exception, "org.example.BadException", "no", server.address()}));
  BOOST_TEST(ask(client, "good") == "good");
  BOOST_TEST(server.connections() == 1);
}

BOOST_AUTO_TEST_CASE(a_retriable_exception_repeats_the_call_with_a_higher_retry_count) {
  FakeRpcServer server{[](const FakeCall& call) {
    return call.retry_count < 3 ? exception_of("org.apache.hadoop.ipc.RetriableException", "safe mode") : echo(call);
  }};
  RpcThread thread;
  std::atomic<int> retries = 0;
  RpcClient client{thread, target_of({server.address()}), quick, [&](const RpcFault&) { ++retries; }};
  BOOST_TEST(ask(client, "x", {.is_repeatable = false}) == "x");
  BOOST_TEST(server.calls().size() == 4u);
  BOOST_TEST(retries == 3);
  const auto calls = server.calls();
  BOOST_TEST(calls.front().call_id == calls.back().call_id);
}

BOOST_AUTO_TEST_CASE(a_retriable_exception_that_the_caller_waits_for_ends_the_call) {
  FakeRpcServer server{[](const FakeCall& call) {
    return call.retry_count < 2 ? exception_of("org.apache.hadoop.ipc.RetriableException", call.request) : echo(call);
  }};
  RpcThread thread;
  std::atomic<int> retries = 0;
  RpcClient client{thread, target_of({server.address()}), quick, [&](const RpcFault&) { ++retries; }};
  CallOptions options;
  options.unretried_text = "SafeModeException";
  const auto refused = client.call_bytes_and_wait("echo", "x.SafeModeException: no", options);
  BOOST_REQUIRE(!refused.has_value());
  BOOST_TEST((refused.fault().kind == RpcFault::Kind::remote_exception));
  BOOST_TEST(refused.fault().is("RetriableException"));
  BOOST_TEST(retries == 0);
  BOOST_TEST(ask(client, "starting", options) == "starting");
  BOOST_TEST(retries == 2);
}

BOOST_AUTO_TEST_CASE(an_address_in_numbers_needs_no_look_up_of_names) {
  const std::string closed = closed_address();
  RpcThread thread;
  RpcClient client{thread, target_of({closed}), quick};
  const tests::NoThreads none;  // a look-up needs one
  const auto answer = client.call_bytes_and_wait("echo", "x", {.timeout_ms = 200});
  BOOST_REQUIRE(!answer.has_value());
  BOOST_TEST(answer.fault().text.find("refused") != std::string::npos, answer.fault().text);
}

BOOST_AUTO_TEST_CASE(a_server_that_starts_later_gets_the_call) {
  std::uint16_t port = 0;
  std::string address;
  {
    FakeRpcServer earlier{echo};
    port = earlier.port();
    address = earlier.address();
  }
  std::unique_ptr<FakeRpcServer> server;
  RpcThread thread;
  std::promise<void> has_failed;
  std::atomic<int> failures = 0;
  RpcClient client{thread, target_of({address}), quick, [&](const RpcFault&) {
                     if (++failures == 3) has_failed.set_value();
                   }};
  auto answer = start(client, "x");
  has_failed.get_future().wait();
  FakeServerSettings settings;
  settings.port = port;
  server = std::make_unique<FakeRpcServer>(echo, settings);
  BOOST_TEST(text_of(answer.get()) == "x");
}

BOOST_AUTO_TEST_CASE(with_no_patience_the_first_fault_ends_the_call) {
  RpcThread thread;
  RetryRules rules = quick;
  rules.give_up_after_ms = 0;
  RpcClient client{thread, target_of({closed_address()}), rules};
  BOOST_TEST(ask(client, "x") == "unreachable");
  auto target = target_of({"no-port", std::string(70, 'x') + ":1"});
  RpcClient unnamed{thread, target, rules};
  const auto no_port = unnamed.call_bytes_and_wait("echo", "x");
  BOOST_TEST(no_port.fault().text.find("host:port") != std::string::npos);
  const auto no_name = unnamed.call_bytes_and_wait("echo", "x");
  BOOST_TEST(no_name.fault().text.find("does not resolve") != std::string::npos, no_name.fault().text);
}

BOOST_AUTO_TEST_CASE(a_silent_server_ends_calls_at_their_limit) {
  FakeServerSettings settings;
  settings.is_silent = true;
  FakeRpcServer server{echo, settings};
  RpcThread thread;
  RpcClient client{thread, target_of({server.address()}), quick};
  const auto answer = client.call_bytes_and_wait("echo", "x", {.timeout_ms = 30});
  BOOST_REQUIRE(!answer.has_value());
  BOOST_TEST((answer.fault().kind == RpcFault::Kind::timed_out));
  auto target = with_token(server);
  RetryRules rules = quick;
  rules.connect_timeout_ms = 20;
  rules.give_up_after_ms = 0;
  RpcClient authenticating{thread, target, rules};
  BOOST_TEST(ask(authenticating, "x") == "unreachable");
}

BOOST_AUTO_TEST_CASE(a_frozen_server_is_left_after_the_answer_timeout) {
  FakeRpcServer frozen{first_answer(Delivery::held)};
  FakeRpcServer active{echo};
  RpcThread thread;
  RetryRules rules = quick;
  rules.answer_timeout_ms = 300;  // the second server answers earlier, also on a busy machine
  RpcClient client{thread, target_of({frozen.address()}), rules};
  BOOST_TEST(ask(client, "x") == "x");
  BOOST_TEST(frozen.connections() == 2);
  BOOST_TEST(frozen.calls().back().retry_count == 1);
}

BOOST_AUTO_TEST_CASE(a_waiting_client_sends_pings) {
  FakeRpcServer server{first_answer(Delivery::held)};
  RpcThread thread;
  RetryRules rules = quick;
  rules.ping_ms = 5;
  RpcClient client{thread, target_of({server.address()}), rules};
  auto answer = start(client, "x");
  BOOST_TEST(server.wait_for_pings(3));
  server.release_held();
  BOOST_TEST(text_of(answer.get()) == "x");
  BOOST_TEST(server.violation() == "");
}

BOOST_AUTO_TEST_CASE(an_idle_connection_closes_and_opens_with_the_next_call) {
  FakeRpcServer server{echo};
  RpcThread thread;
  RetryRules rules = quick;
  rules.idle_close_ms = 10;
  RpcClient client{thread, target_of({server.address()}), rules};
  BOOST_TEST(ask(client, "x") == "x");
  BOOST_TEST(server.wait_until_disconnected());
  BOOST_TEST(ask(client, "y") == "y");
  BOOST_TEST(server.connections() == 2);
}

BOOST_AUTO_TEST_CASE(a_destroyed_client_cancels_its_calls) {
  FakeRpcServer server{first_answer(Delivery::held)};
  RpcThread thread;
  auto client = std::make_unique<RpcClient>(thread, target_of({server.address()}), quick);
  auto answer = start(*client, "x");
  BOOST_TEST(server.wait_for_calls(1));
  client.reset();
  BOOST_TEST(text_of(answer.get()) == "cancelled");
  BOOST_TEST(server.wait_until_disconnected());
}

BOOST_AUTO_TEST_CASE(a_token_authenticates_with_each_protection) {
  for (const std::string protection : {"auth", "auth-int", "auth,auth-int"}) {
    FakeServerSettings settings;
    settings.tokens = {token};
    settings.protection = protection;
    FakeRpcServer server{echo, settings};
    RpcThread thread;
    RpcClient client{thread, with_token(server), quick};
    for (int i = 0; i < 5; ++i) BOOST_TEST(ask(client, std::string(50'000, 'x')).size() == 50'000u);
    BOOST_TEST(server.calls().front().user == token.identifier);
    BOOST_TEST(server.connections() == 1);
    BOOST_TEST(server.violation() == "", protection << ": " << server.violation());
  }
}

BOOST_AUTO_TEST_CASE(refusals_have_a_sentence_and_are_not_retried) {
  const auto settings_of = [](const auto& change) {
    FakeServerSettings settings;
    settings.tokens = {token};
    change(settings);
    return settings;
  };
  const struct {
    FakeServerSettings settings;
    bool has_token;
    std::string text;
  } rows[] = {
      {settings_of([](auto&) {}), false, "SIMPLE authentication is not enabled"},
      {settings_of([](auto& settings) { settings.tokens = {rolled_token}; }), true, "the token is unknown"},
      {settings_of([](auto& settings) { settings.tokens[0].password = "x"; }), true, "the token is unknown"},
      {settings_of([](auto& settings) { settings.has_wrong_proof = true; }), true, "does not know the password"},
      {settings_of([](auto& settings) { settings.protection = "auth-conf"; }), true, "hadoop.rpc.protection"},
      {settings_of([](auto& settings) { settings.offers = "KERBEROS"; }), true, "Kerberos is not supported"},
      {settings_of([](auto& settings) { settings.offers = "none"; }), true, "does not check the token"},
  };
  for (const auto& row : rows) {
    FakeRpcServer server{echo, row.settings};
    RpcThread thread;
    RpcClient client{thread, row.has_token ? with_token(server) : target_of({server.address()}), quick};
    const auto answer = client.call_bytes_and_wait("echo", "x");
    BOOST_REQUIRE(!answer.has_value());
    BOOST_TEST((answer.fault().kind == RpcFault::Kind::refused), row.text);
    BOOST_TEST(answer.fault().text.find(row.text) != std::string::npos, answer.fault().text);
    BOOST_TEST(server.connections() == 1);
    BOOST_TEST(server.calls().empty());
  }
}

BOOST_AUTO_TEST_CASE(a_rolled_token_is_used_from_the_next_connection_on) {
  FakeServerSettings settings;
  settings.tokens = {token, rolled_token};
  FakeRpcServer server{echo, settings};
  RpcThread thread;
  RpcClient client{thread, with_token(server), quick};
  BOOST_TEST(ask(client, "a") == "a");
  client.set_token(rolled_token);
  BOOST_TEST(ask(client, "b") == "b");
  server.drop_connections();
  BOOST_TEST(ask(client, "c") == "c");
  BOOST_TEST(server.calls()[1].user == token.identifier);
  BOOST_TEST(server.calls()[2].user == rolled_token.identifier);
}

BOOST_AUTO_TEST_CASE(other_protocols_end_the_call_at_once) {
  const struct {
    std::string greeting, text;
  } rows[] = {
      {"HTTP/1.1 400 Bad Request\r\n\r\n", "web port"},
      {std::string{"\x15\x03\x03\x00\x02\x02\x46", 7}, "another protocol"},
      {std::string{"\xff\xff\xff\xff", 4}, "version 9"},
  };
  for (const auto& row : rows) {
    FakeServerSettings settings;
    settings.greeting = row.greeting;
    FakeRpcServer server{echo, settings};
    RpcThread thread;
    for (const bool has_token : {false, true}) {
      RpcClient client{thread, has_token ? with_token(server) : target_of({server.address()}), quick};
      const auto answer = client.call_bytes_and_wait("echo", "x");
      BOOST_REQUIRE(!answer.has_value());
      BOOST_TEST((answer.fault().kind == RpcFault::Kind::protocol));
      BOOST_TEST(describe(answer.fault(), "ResourceManager").find(row.text) != std::string::npos);
      BOOST_TEST(describe(answer.fault(), "ResourceManager").find(server.address()) != std::string::npos);
    }
  }
}

BOOST_AUTO_TEST_CASE(faults_become_errors_with_the_name_of_the_service) {
  const auto missing =
      to_error({RpcFault::Kind::remote_exception, "java.io.FileNotFoundException", "/x", "nn:1"}, "NameNode");
  BOOST_TEST((missing.code == Errc::not_found));
  BOOST_TEST(missing.text == "the NameNode at nn:1 answered with FileNotFoundException: /x");
  BOOST_TEST((to_error({RpcFault::Kind::unreachable, {}, "refused", "nn:1"}, "NameNode").code == Errc::unreachable));
  BOOST_TEST((to_error({RpcFault::Kind::timed_out, {}, "x", "nn:1"}, "NameNode").code == Errc::timed_out));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace heddle::interop
