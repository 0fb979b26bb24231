// Server side of Hadoop RPC: answers calls with a handler, authenticates tokens, and misbehaves on request. It checks
// each byte that the client sends.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "interop/hadoop/credential_token.hpp"

namespace heddle::tests {

struct FakeCall {
  std::string method;
  std::string protocol;
  std::string request;  // bytes of the message
  std::string user;     // name (SIMPLE), or identifier of the token
  std::string client_id;
  std::int32_t call_id = 0;
  std::int32_t retry_count = 0;
};

struct FakeAnswer {
  std::string bytes;       // the response message
  std::string java_class;  // not empty: an exception
  std::string text;
  bool is_fatal = false;  // of an exception
  enum class Delivery : std::uint8_t {
    once,
    twice,
    lost,       // the connection closes instead, after the call was executed
    cut,        // half of the frame, then the connection closes
    held,       // until release_held()
    wrong_id,   // a response to another call first
    malformed,  // a response whose message is no protobuf
  };
  Delivery delivery = Delivery::once;
};

struct FakeServerSettings {
  std::vector<interop::CredentialToken> tokens;  // not empty: TOKEN only
  std::string protection = "auth";               // list of the challenge
  bool has_retry_cache = false;                  // answers a repeated call without the handler
  std::uint16_t port = 0;                        // 0: any
  /// Lies of the authentication.
  std::string offers;  // other methods instead of TOKEN: "KERBEROS"; "none": SUCCESS at once
  bool has_wrong_proof = false;
  std::string greeting;    // raw bytes in answer to the first bytes; then the connection closes
  bool is_silent = false;  // accepts and never answers
};

class FakeRpcServer {
public:
  using Handler = std::function<FakeAnswer(const FakeCall&)>;

  /// Listens on 127.0.0.1. The handler runs on the server's threads, one call at a time; it must not use the
  /// server.
  explicit FakeRpcServer(Handler handler, FakeServerSettings settings = {});
  ~FakeRpcServer();
  FakeRpcServer(const FakeRpcServer&) = delete;
  FakeRpcServer& operator=(const FakeRpcServer&) = delete;

  [[nodiscard]] std::string address() const;  // "127.0.0.1:port"
  [[nodiscard]] std::uint16_t port() const;
  /// Calls of handlers, in order; not those that the retry cache answered.
  [[nodiscard]] std::vector<FakeCall> calls() const;
  [[nodiscard]] int connections() const;  // accepted so far
  [[nodiscard]] int pings() const;
  /// Waits until this many connections were accepted, or calls came (with a limit of 20 s).
  [[nodiscard]] bool wait_for_calls(std::size_t count) const;
  [[nodiscard]] bool wait_for_pings(int count) const;
  /// True if all accepted connections have ended (with a limit of 20 s).
  [[nodiscard]] bool wait_until_disconnected() const;
  /// Delivers the held answers, newest first.
  void release_held();
  /// Closes all connections; the server still accepts.
  void drop_connections();
  /// First violation of the protocol by a client; empty if there is none.
  [[nodiscard]] std::string violation() const;

  class Service;

private:
  std::unique_ptr<Service> service_;
};

/// An answer with this message of protobuf.
template <class Message>
FakeAnswer answer_of(const Message& message) {
  FakeAnswer answer;
  answer.bytes = message.SerializeAsString();
  return answer;
}
[[nodiscard]] FakeAnswer exception_of(std::string java_class, std::string text);

}  // namespace heddle::tests
