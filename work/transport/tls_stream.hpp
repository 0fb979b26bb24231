// One TLS connection over a connected, non-blocking socket. The caller waits for the socket, in its own way.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "ports/secure_transport.hpp"
#include "work/transport/tls_context.hpp"

struct ssl_st;

namespace heddle::work {

class TlsStream final : public ports::SecureStream {
public:
  enum class Handshake : std::uint8_t { done, wants_read, wants_write, failed };

  /// Takes the socket, and makes it non-blocking.
  TlsStream(TlsContext context, int socket);
  ~TlsStream() override;

  /// Continues the handshake. After `done`, both ends have proven the key. `failed`: error() has the reason.
  [[nodiscard]] Handshake shake_hands();
  /// Name of the key of the handshake.
  [[nodiscard]] const std::string& key() const;
  [[nodiscard]] const std::string& error() const;
  [[nodiscard]] int descriptor() const;

  [[nodiscard]] ports::Transfer read(void* into, std::size_t size, std::size_t& got) override;
  [[nodiscard]] ports::Transfer write(const void* from, std::size_t size, std::size_t& put) override;
  [[nodiscard]] bool has_buffered() const override;
  [[nodiscard]] int release_descriptor() override;
  /// The destructor closes it again.
  void own_descriptor();

  /// For callbacks of the context: the key that the client named.
  static void set_key(ssl_st* tls, std::string key);

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace heddle::work
