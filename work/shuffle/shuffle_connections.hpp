// Connections to shuffle servers: made within a time-out, kept while idle, given out again.
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

/// How long to wait for a socket.
struct SocketWait {
  std::int64_t timeout_ms = 0;
  int stop = -1;  // a descriptor; readable: wait no longer. -1: none
};

class ShuffleConnections {
public:
  static constexpr std::size_t idle_max = 128;  // of all servers
  struct Taken {
    int socket = -1;  // non-blocking; the caller's to close or to give back
    bool is_reused = false;
  };

  ShuffleConnections() = default;
  ~ShuffleConnections();
  ShuffleConnections(const ShuffleConnections&) = delete;
  ShuffleConnections& operator=(const ShuffleConnections&) = delete;

  /// unreachable: nobody is there, or not in time; io: this machine has no descriptor or memory left for it; cancelled:
  /// `wait.stop` became readable.
  [[nodiscard]] Result<Taken> take(const std::string& address, const SocketWait& wait, bool is_new);
  /// Keeps it for the next fetch, unless many are kept already: a server has a bounded number of them.
  void give_back(const std::string& address, int socket);

private:
  std::mutex mutex_;
  std::map<std::string, std::vector<int>> idle_;
  std::size_t idle_count_ = 0;
};

/// False if the peer is gone, takes nothing for `wait.timeout_ms`, or the wait was stopped.
[[nodiscard]] bool send_all(int socket, std::string_view bytes, const SocketWait& wait);

}  // namespace heddle::work
