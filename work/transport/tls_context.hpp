// TLS 1.3 with an external pre-shared key and ECDHE, without certificates. TLS_AES_128_GCM_SHA256 only, because the
// hash of the cipher suite must be the hash of the key. Both ends prove that they know the secret.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "model/result.hpp"
#include "ports/secure_transport.hpp"
#include "ports/transport_key.hpp"

struct ssl_ctx_st;

namespace heddle::work {

/// Settings of the connections of a client or a server. Copies share their state. Thread-safe.
class TlsContext {
public:
  /// Returns the secret of a key by its name; no value: there is no such key. Called during handshakes.
  using FindSecret = std::function<std::optional<std::string>(const std::string& key)>;

  [[nodiscard]] static Result<TlsContext> for_client(const ports::TransportKey& key);
  [[nodiscard]] static Result<TlsContext> for_server(FindSecret find);
  /// A server with one key.
  [[nodiscard]] static Result<TlsContext> for_server(const ports::TransportKey& key);

  [[nodiscard]] ssl_ctx_st* get() const;
  [[nodiscard]] bool is_server() const;

private:
  struct State;
  explicit TlsContext(std::shared_ptr<State> state) : state_{std::move(state)} {}
  static Result<std::shared_ptr<State>> make(bool is_server);
  std::shared_ptr<State> state_;
};

}  // namespace heddle::work
