// Calls of an RpcClient to fake servers.
#pragma once

#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "interop/hadoop/rpc_client.hpp"
#include "tests/support/fake_rpc_server.hpp"

namespace heddle::tests {

/// Short waits, so that tests of retries are fast.
inline constexpr interop::RetryRules quick{
    .connect_timeout_ms = 5'000, .first_wait_ms = 1, .wait_max_ms = 5, .give_up_after_ms = 20'000};

inline interop::RpcTarget target_of(std::vector<std::string> addresses) {
  interop::RpcTarget target;
  target.addresses = std::move(addresses);
  target.protocol = "org.example.Protocol";
  target.user = "ann";
  return target;
}

inline FakeAnswer echo(const FakeCall& call) {
  FakeAnswer answer;
  answer.bytes = call.request;
  return answer;
}

inline std::string text_of(const interop::RpcResult<interop::RpcAnswer>& result) {
  return result ? result->bytes : std::string{to_string(result.fault().kind)};
}

inline std::string ask(interop::RpcClient& client, const std::string& request,
                       const interop::CallOptions& options = {}) {
  return text_of(client.call_bytes_and_wait("echo", request, options));
}

using Future = std::future<interop::RpcResult<interop::RpcAnswer>>;
inline Future start(interop::RpcClient& client, const std::string& request, const interop::CallOptions& options = {}) {
  auto promise = std::make_shared<std::promise<interop::RpcResult<interop::RpcAnswer>>>();
  auto future = promise->get_future();
  client.call_bytes("echo", request, options, [promise](interop::RpcResult<interop::RpcAnswer> result) {
    promise->set_value(std::move(result));
  });
  return future;
}

/// An address of this host where nobody listens.
inline std::string closed_address() { return FakeRpcServer{echo}.address(); }

}  // namespace heddle::tests
