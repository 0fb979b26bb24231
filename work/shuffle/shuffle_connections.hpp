// Connection pool to shuffle servers: connects with a timeout, keeps idle connections, and reuses them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"

namespace heddle::work {

/// Limits of the wait for a socket.
struct SocketWait {
  std::int64_t timeout_ms = 0;
  int stop = -1;  // descriptor that cancels the wait when readable; -1: none
};

class ShuffleConnections {
public:
  static constexpr std::size_t idle_max = 128;  // over all servers
  struct Connection {
    int socket = -1;  // non-blocking; the caller must close it or give it back
    bool is_reused = false;
  };

  ShuffleConnections() = default;
  ~ShuffleConnections();
  ShuffleConnections(const ShuffleConnections&) = delete;
  ShuffleConnections& operator=(const ShuffleConnections&) = delete;

  /// Returns an idle or new connection. Errors: unreachable (refused or timeout), io (no descriptor or memory left on
  /// this node), cancelled (`wait.stop` became readable).
  [[nodiscard]] Result<Connection> acquire(const std::string& address, const SocketWait& wait, bool is_new);
  /// Keeps the connection for the next fetch; closes it if the pool is full, because servers limit their connections.
  void release(const std::string& address, int socket);

private:
  std::mutex mutex_;
  std::map<std::string, std::vector<int>> idle_;
  std::size_t idle_count_ = 0;
};

/// Sends all bytes. Returns false if the peer has closed, receives nothing for `wait.timeout_ms`, or the wait was
/// cancelled.
[[nodiscard]] bool send_all(int socket, std::string_view bytes, const SocketWait& wait);

}  // namespace heddle::work
