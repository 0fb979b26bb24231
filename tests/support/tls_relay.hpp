// TLS for servers of tests that read and write plain sockets.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <thread>

#include "ports/transport_key.hpp"
#include "work/transport/tls_socket.hpp"

namespace heddle::tests {

/// Runs the server's handshake on `accepted`, which it closes at the end, and calls `serve` with a socket that has the
/// decrypted bytes. Ends when `serve` has returned.
inline void serve_tls(int accepted, const ports::TransportKey& key, const std::function<void(int)>& serve) {
  const auto context = work::TlsContext::for_server(key);
  work::TlsStream client{*context, accepted};
  if (!work::shake_hands(client, {10'000})) return;
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
  std::thread server{[&serve, end = ends[0]] {
    serve(end);
    ::shutdown(end, SHUT_RDWR);
  }};
  std::array<char, 64 << 10> bytes{};
  bool has_client = true;
  while (true) {
    std::size_t got = 0;
    while (has_client) {
      const auto read = client.read(bytes.data(), bytes.size(), got);
      if (read == ports::Transfer::blocked) break;
      has_client = read == ports::Transfer::done;
      if (has_client) static_cast<void>(::send(ends[1], bytes.data(), got, MSG_NOSIGNAL));
      else ::shutdown(ends[1], SHUT_WR);
    }
    pollfd polled[2] = {{ends[1], POLLIN, 0}, {has_client ? client.descriptor() : -1, POLLIN, 0}};
    ::poll(polled, 2, -1);
    if (polled[0].revents == 0) continue;
    const auto answered = ::recv(ends[1], bytes.data(), bytes.size(), 0);
    if (answered <= 0) break;
    if (!work::send_all(client, {bytes.data(), static_cast<std::size_t>(answered)}, {10'000})) break;
  }
  ::shutdown(ends[1], SHUT_RDWR);
  server.join();
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace heddle::tests
