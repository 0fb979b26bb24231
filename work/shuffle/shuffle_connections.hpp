// Connection pool to shuffle servers: connects and handshakes with a timeout, keeps idle connections, and reuses them.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/result.hpp"
#include "ports/transport_key.hpp"
#include "work/transport/tls_socket.hpp"

namespace heddle::work {

class ShuffleConnections {
public:
  static constexpr std::size_t idle_max = 128;  // over all servers
  struct Connection {
    std::unique_ptr<TlsStream> stream;  // the caller gives it back, or destroys it
    bool is_reused = false;
  };

  /// `key`: of the application, see shuffle_key().
  explicit ShuffleConnections(ports::TransportKey key) : key_{std::move(key)} {}
  ShuffleConnections(const ShuffleConnections&) = delete;
  ShuffleConnections& operator=(const ShuffleConnections&) = delete;

  /// Returns an idle or new connection. Errors: unreachable (refused or timeout), interrupted (connected, but the
  /// handshake failed), io (no descriptor or memory left on this node), cancelled (`wait.stop` became readable).
  [[nodiscard]] Result<Connection> acquire(const std::string& address, const SocketWait& wait, bool is_new);
  /// Keeps the connection for the next fetch; closes it if the pool is full, because servers limit their connections.
  void release(const std::string& address, std::unique_ptr<TlsStream> stream);

private:
  [[nodiscard]] Result<TlsContext> context();

  std::mutex mutex_;
  ports::TransportKey key_;
  std::optional<TlsContext> context_;  // made for the first connection: local mode has none
  std::map<std::string, std::vector<std::unique_ptr<TlsStream>>> idle_;
  std::size_t idle_count_ = 0;
};

}  // namespace heddle::work
