#include "work/transport/tls_socket.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

namespace heddle::work {
namespace {

bool is_shortage(int reason) { return reason == EMFILE || reason == ENFILE || reason == ENOBUFS || reason == ENOMEM; }

Error connect_error(int reason) {
  const auto code = reason == ECANCELED ? Errc::cancelled : is_shortage(reason) ? Errc::io : Errc::unreachable;
  return Error{code, std::strerror(reason)};
}

int connect_one(const addrinfo& to, const SocketWait& wait, int& failed) {
  const int socket = ::socket(to.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  failed = socket < 0 ? errno : 0;
  if (socket < 0) return -1;
  failed = ::connect(socket, to.ai_addr, to.ai_addrlen) == 0 ? 0 : errno;
  if (failed == EINPROGRESS) {
    socklen_t size = sizeof failed;
    failed = wait_for_socket(socket, POLLOUT, wait);
    if (failed == 0 && ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &failed, &size) != 0) failed = errno;
  }
  if (failed == 0) {
    const int on = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return socket;
  }
  ::close(socket);
  return -1;
}

Result<int> connect_to(const std::string& address, const SocketWait& wait) {
  const auto colon = address.rfind(':');
  if (colon == std::string::npos) return connect_error(EINVAL);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int looked = ::getaddrinfo(address.substr(0, colon).c_str(), address.substr(colon + 1).c_str(), &hints, &found);
  if (looked != 0) return connect_error(looked == EAI_SYSTEM ? errno : looked == EAI_MEMORY ? ENOMEM : EHOSTUNREACH);
  int connected = -1;
  int failed = EHOSTUNREACH;
  for (const addrinfo* one = found; one != nullptr && connected < 0; one = one->ai_next)
    connected = connect_one(*one, wait, failed);
  ::freeaddrinfo(found);
  if (connected < 0) return connect_error(failed);
  return connected;
}

}  // namespace

int wait_for_socket(int descriptor, short events, const SocketWait& wait) {
  pollfd polled[2] = {{descriptor, events, 0}, {wait.stop, POLLIN, 0}};
  int ready = 0;
  do ready = ::poll(polled, 2, static_cast<int>(wait.timeout_ms));
  while (ready < 0 && errno == EINTR);
  if (ready < 0) return errno;
  if (ready == 0) return ETIMEDOUT;
  return polled[1].revents != 0 ? ECANCELED : 0;
}

Result<Done> shake_hands(TlsStream& stream, const SocketWait& wait) {
  using Clock = std::chrono::steady_clock;
  const auto due = Clock::now() + std::chrono::milliseconds{wait.timeout_ms};
  while (true) {
    const auto step = stream.shake_hands();
    if (step == TlsStream::Handshake::done) return Done{};
    if (step == TlsStream::Handshake::failed) return Error{Errc::refused, "TLS: " + stream.error()};
    const short events = step == TlsStream::Handshake::wants_read ? POLLIN : POLLOUT;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(due - Clock::now()).count();
    const int failed = left > 0 ? wait_for_socket(stream.descriptor(), events, {left, wait.stop}) : ETIMEDOUT;
    if (failed == ECANCELED) return Error{Errc::cancelled, std::strerror(failed)};
    if (failed != 0) return Error{Errc::timed_out, "it does not answer the handshake"};
  }
}

Result<std::unique_ptr<TlsStream>> connect_stream(const TlsContext& context, const std::string& address,
                                                  const SocketWait& wait) {
  const auto socket = connect_to(address, wait);
  if (!socket) return socket.error();
  return std::make_unique<TlsStream>(context, *socket);
}

Result<std::unique_ptr<TlsStream>> connect_tls(const TlsContext& context, const std::string& address,
                                               const SocketWait& wait) {
  auto stream = connect_stream(context, address, wait);
  if (!stream) return stream.error();
  if (auto shaken = shake_hands(**stream, wait); !shaken) return shaken.error();
  return stream;
}

bool send_all(TlsStream& stream, std::string_view bytes, const SocketWait& wait) {
  while (!bytes.empty()) {
    std::size_t put = 0;
    const auto sent = stream.write(bytes.data(), bytes.size(), put);
    bytes.remove_prefix(put);
    if (sent == ports::Transfer::closed) return false;
    if (sent == ports::Transfer::blocked && wait_for_socket(stream.descriptor(), POLLOUT, wait) != 0) return false;
  }
  return true;
}

}  // namespace heddle::work
