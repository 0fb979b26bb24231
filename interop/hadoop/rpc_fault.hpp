// Result of a Hadoop RPC call: a response, or the fault that ended the call.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "model/assert.hpp"
#include "model/result.hpp"

namespace heddle::interop {

struct RpcFault {
  enum class Kind : std::uint8_t {
    unreachable,       // no connection: refused, no route, time-out. The request was not sent
    unknown_host,      // the name of the server does not resolve. The request was not sent
    refused,           // the server refused the user or the token, or asks for an authentication that heddle lacks
    timed_out,         // the time limit of the call passed. The server may have executed the call
    connection_lost,   // the connection ended before the response. The server may have executed the call
    remote_exception,  // the server answered with an exception, see java_class
    protocol,          // the peer does not speak Hadoop RPC, or it broke a rule of the protocol
    cancelled,         // the client was closed
  };
  Kind kind = Kind::protocol;
  std::string java_class;  // "org.apache.hadoop.security.AccessControlException"; empty without a remote exception
  std::string text;        // a sentence, without address; of a remote exception its first line
  std::string address;     // "host:port" of the server, or all of them if none could be reached

  /// Compares the class without its package: is("StandbyException").
  [[nodiscard]] bool is(std::string_view simple_class) const;
  bool operator==(const RpcFault&) const = default;
};

[[nodiscard]] const char* to_string(RpcFault::Kind kind);
/// Sentence for users: what happened, to which server, and what to do.
[[nodiscard]] std::string describe(const RpcFault& fault, std::string_view service);
/// The same as an Error; `service` is the name of the server, such as "ResourceManager".
[[nodiscard]] Error to_error(const RpcFault& fault, std::string_view service);

/// A value or an RpcFault.
template <class T>
class [[nodiscard]] RpcResult {
public:
  RpcResult(T content) : state_{std::in_place_index<0>, std::move(content)} {}     // NOLINT: implicit on purpose
  RpcResult(RpcFault fault) : state_{std::in_place_index<1>, std::move(fault)} {}  // NOLINT: implicit on purpose

  [[nodiscard]] bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }
  [[nodiscard]] T& value() {
    HEDDLE_ASSERT(has_value(), "value() of a fault");
    return *std::get_if<0>(&state_);
  }
  [[nodiscard]] const T& value() const {
    HEDDLE_ASSERT(has_value(), "value() of a fault");
    return *std::get_if<0>(&state_);
  }
  [[nodiscard]] T& operator*() { return value(); }
  [[nodiscard]] const T& operator*() const { return value(); }
  [[nodiscard]] T* operator->() { return &value(); }
  [[nodiscard]] const T* operator->() const { return &value(); }
  [[nodiscard]] const RpcFault& fault() const {
    HEDDLE_ASSERT(!has_value(), "fault() of a value");
    return *std::get_if<1>(&state_);
  }

private:
  std::variant<T, RpcFault> state_;
};

}  // namespace heddle::interop
