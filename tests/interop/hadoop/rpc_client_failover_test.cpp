// Goal: a call reaches the active one of several servers, once. Method: servers that are on standby, stuck or gone.
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <memory>

#include "interop/hadoop/rpc_client.hpp"
#include "tests/support/rpc_calls.hpp"

namespace heddle::interop::rpc_client_failover_test {
namespace {

using tests::ask;
using tests::closed_address;
using tests::echo;
using tests::exception_of;
using tests::FakeAnswer;
using tests::FakeCall;
using tests::FakeRpcServer;
using tests::Future;
using tests::quick;
using tests::start;
using tests::target_of;
using tests::text_of;

}  // namespace

BOOST_AUTO_TEST_SUITE(rpc_client_failover)

BOOST_AUTO_TEST_CASE(a_standby_server_is_left_for_the_next_address) {
  FakeRpcServer standby{
      [](const FakeCall&) { return exception_of("org.apache.hadoop.ipc.StandbyException", "standby"); }};
  FakeRpcServer active{echo};
  RpcThread thread;
  RpcClient client{thread, target_of({standby.address(), active.address()}), quick};
  std::vector<Future> answers;
  for (int i = 0; i < 5; ++i) answers.push_back(start(client, std::to_string(i), {.is_repeatable = false}));
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const auto answer = answers[i].get();
    BOOST_TEST(text_of(answer) == std::to_string(i));
    BOOST_TEST(answer->address == active.address());
  }
  BOOST_TEST(ask(client, "stays") == "stays");
  BOOST_TEST(standby.connections() == 1);
  BOOST_TEST(active.connections() == 1);
}

BOOST_AUTO_TEST_CASE(a_standby_server_that_does_not_answer_all_calls_is_left_soon) {
  FakeRpcServer standby{[](const FakeCall& call) {
    auto answer = echo(call);
    answer.delivery = FakeAnswer::Delivery::held;
    return call.request == "late" ? exception_of("org.apache.hadoop.ipc.StandbyException", "standby") : answer;
  }};
  FakeRpcServer active{echo};
  RpcThread thread;
  RetryRules rules = quick;
  rules.standby_wait_ms = 5;
  RpcClient client{thread, target_of({standby.address(), active.address()}), rules};
  auto stuck = start(client, "stuck");
  auto once = start(client, "once", {.is_repeatable = false});
  BOOST_REQUIRE(standby.wait_for_calls(2));
  BOOST_TEST(ask(client, "late", {.timeout_ms = 10'000}) == "late");
  BOOST_TEST(text_of(stuck.get()) == "stuck");
  BOOST_TEST(text_of(once.get()) == "connection_lost");
  for (const auto& call : active.calls()) {
    BOOST_TEST(call.retry_count == 1);
    BOOST_TEST(call.call_id == (call.request == "stuck" ? 0 : 2));
  }
  BOOST_TEST(active.calls().size() == 2U);
}

BOOST_AUTO_TEST_CASE(two_standby_servers_are_asked_in_turn_until_one_is_active) {
  const auto standby = [](const FakeCall& call) {
    return call.retry_count < 5 ? exception_of("org.apache.hadoop.ipc.StandbyException", "standby") : echo(call);
  };
  FakeRpcServer one{standby};
  FakeRpcServer other{standby};
  RpcThread thread;
  RpcClient client{thread, target_of({one.address(), other.address()}), quick};
  BOOST_TEST(ask(client, "x") == "x");
  BOOST_TEST(one.calls().size() == 3u);
  BOOST_TEST(other.calls().size() == 3u);
}

BOOST_AUTO_TEST_CASE(a_closed_port_is_left_for_the_next_address) {
  FakeRpcServer active{echo};
  RpcThread thread;
  RpcClient client{thread, target_of({closed_address(), active.address()}), quick};
  BOOST_TEST(ask(client, "x") == "x");
}

BOOST_AUTO_TEST_CASE(a_server_that_ends_is_left_without_a_wait) {
  auto first = std::make_unique<FakeRpcServer>(echo);
  FakeRpcServer second{echo};
  RpcThread thread;
  RetryRules rules = quick;
  rules.first_wait_ms = rules.wait_max_ms = 15'000;
  RpcClient client{thread, target_of({first->address(), second.address()}), rules};
  BOOST_TEST(ask(client, "x") == "x");
  first.reset();
  BOOST_TEST(ask(client, "y", {.timeout_ms = 5'000}) == "y");
}

BOOST_AUTO_TEST_CASE(without_a_server_the_call_fails_at_its_limit_and_names_all_addresses) {
  const std::vector<std::string> closed{closed_address(), closed_address()};
  RpcThread thread;
  std::atomic<int> retries = 0;
  RpcClient client{thread, target_of(closed), quick, [&](const RpcFault&) { ++retries; }};
  const auto answer = client.call_bytes_and_wait("echo", "x", {.timeout_ms = 50});
  BOOST_REQUIRE(!answer.has_value());
  BOOST_TEST((answer.fault().kind == RpcFault::Kind::unreachable));
  BOOST_TEST(answer.fault().address == closed[0] + ", " + closed[1]);
  BOOST_TEST(answer.fault().text.find("refused") != std::string::npos, answer.fault().text);
  BOOST_TEST(retries > 2);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace heddle::interop::rpc_client_failover_test
