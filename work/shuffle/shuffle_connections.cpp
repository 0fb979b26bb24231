#include "work/shuffle/shuffle_connections.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace heddle::work {
namespace {

/// Waits until the descriptor is ready; returns 0, or the errno of the failure.
int wait_for(int descriptor, short what, const SocketWait& wait) {
  pollfd polled[2] = {{descriptor, what, 0}, {wait.stop, POLLIN, 0}};
  int ready = 0;
  do ready = ::poll(polled, 2, static_cast<int>(wait.timeout_ms));
  while (ready < 0 && errno == EINTR);
  if (ready < 0) return errno;
  if (ready == 0) return ETIMEDOUT;
  return polled[1].revents != 0 ? ECANCELED : 0;
}

bool is_shortage(int reason) { return reason == EMFILE || reason == ENFILE || reason == ENOBUFS || reason == ENOMEM; }

Error connect_error(const std::string& address, int reason) {
  const auto code = reason == ECANCELED ? Errc::cancelled : is_shortage(reason) ? Errc::io : Errc::unreachable;
  return Error{code, "cannot connect to the shuffle server at " + address + ": " + std::strerror(reason)};
}

int connect_one(const addrinfo& to, const SocketWait& wait, int& failed) {
  const int socket = ::socket(to.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  failed = socket < 0 ? errno : 0;
  if (socket < 0) return -1;
  failed = ::connect(socket, to.ai_addr, to.ai_addrlen) == 0 ? 0 : errno;
  if (failed == EINPROGRESS) {
    socklen_t size = sizeof failed;
    failed = wait_for(socket, POLLOUT, wait);
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
  if (colon == std::string::npos) return connect_error(address, EINVAL);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int looked = ::getaddrinfo(address.substr(0, colon).c_str(), address.substr(colon + 1).c_str(), &hints, &found);
  if (looked != 0)
    return connect_error(address, looked == EAI_SYSTEM ? errno : looked == EAI_MEMORY ? ENOMEM : EHOSTUNREACH);
  int connected = -1;
  int failed = EHOSTUNREACH;
  for (const addrinfo* one = found; one != nullptr && connected < 0; one = one->ai_next)
    connected = connect_one(*one, wait, failed);
  ::freeaddrinfo(found);
  if (connected < 0) return connect_error(address, failed);
  return connected;
}

}  // namespace

ShuffleConnections::~ShuffleConnections() {
  for (const auto& [address, sockets] : idle_) {
    for (const int socket : sockets) ::close(socket);
  }
}

Result<ShuffleConnections::Connection> ShuffleConnections::acquire(const std::string& address, const SocketWait& wait,
                                                                   bool is_new) {
  while (!is_new) {
    int socket = -1;
    {
      const std::lock_guard lock{mutex_};
      auto& sockets = idle_[address];
      if (sockets.empty()) break;
      socket = sockets.back();
      sockets.pop_back();
      --idle_count_;
    }
    // An idle connection with readable data is unusable: the server closed it, or sent unexpected bytes.
    char byte = 0;
    if (::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN) return Connection{socket, true};
    ::close(socket);
  }
  auto made = connect_to(address, wait);
  if (!made) return made.error();
  return Connection{*made, false};
}

void ShuffleConnections::release(const std::string& address, int socket) {
  {
    const std::lock_guard lock{mutex_};
    if (idle_count_ < idle_max) {
      idle_[address].push_back(socket);
      ++idle_count_;
      return;
    }
  }
  ::close(socket);
}

bool send_all(int socket, std::string_view bytes, const SocketWait& wait) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno == EAGAIN && wait_for(socket, POLLOUT, wait) == 0) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

}  // namespace heddle::work
