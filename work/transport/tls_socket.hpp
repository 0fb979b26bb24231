// TLS connections for threads that wait: connects and handshakes with limits, sends all of a text.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "model/result.hpp"
#include "work/transport/tls_stream.hpp"

namespace heddle::work {

/// Limits of the wait for a socket.
struct SocketWait {
  std::int64_t timeout_ms = 0;
  int stop = -1;  // descriptor that cancels the wait when readable; -1: none
};

/// Waits until the descriptor is ready for `events` of poll; returns 0, or the errno of the failure.
[[nodiscard]] int wait_for_socket(int descriptor, short events, const SocketWait& wait);

/// Runs the handshake within the time-out. Errors: refused (wrong key, or no TLS), timed_out (it can be continued),
/// cancelled.
[[nodiscard]] Result<Done> shake_hands(TlsStream& stream, const SocketWait& wait);

/// Connects to "host:port"; the handshake follows. Errors: unreachable, io, cancelled. The texts name the reason only.
[[nodiscard]] Result<std::unique_ptr<TlsStream>> connect_stream(const TlsContext& context, const std::string& address,
                                                                const SocketWait& wait);

/// Connects to "host:port" and runs the handshake. Errors: unreachable, io (no descriptor or memory left on this node),
/// and those of shake_hands. The texts name the reason only.
[[nodiscard]] Result<std::unique_ptr<TlsStream>> connect_tls(const TlsContext& context, const std::string& address,
                                                             const SocketWait& wait);

/// Sends all bytes. Returns false if the peer has closed, receives nothing for `wait.timeout_ms`, or the wait was
/// cancelled.
[[nodiscard]] bool send_all(TlsStream& stream, std::string_view bytes, const SocketWait& wait);

}  // namespace heddle::work
