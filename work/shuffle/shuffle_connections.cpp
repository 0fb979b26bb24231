#include "work/shuffle/shuffle_connections.hpp"

#include <sys/socket.h>

#include <cerrno>

namespace heddle::work {
namespace {

/// An idle connection with readable data is unusable: the server closed it, or sent unexpected bytes.
bool is_usable(const TlsStream& stream) {
  char byte = 0;
  return ::recv(stream.descriptor(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

}  // namespace

Result<TlsContext> ShuffleConnections::context() {
  const std::lock_guard lock{mutex_};
  if (context_) return *context_;
  auto made = TlsContext::for_client(key_);
  if (made) context_ = *made;
  return made;
}

Result<ShuffleConnections::Connection> ShuffleConnections::acquire(const std::string& address, const SocketWait& wait,
                                                                   bool is_new) {
  while (!is_new) {
    std::unique_ptr<TlsStream> idle;
    {
      const std::lock_guard lock{mutex_};
      auto& streams = idle_[address];
      if (streams.empty()) break;
      idle = std::move(streams.back());
      streams.pop_back();
      --idle_count_;
    }
    if (is_usable(*idle)) return Connection{std::move(idle), true};
  }
  const auto with = context();
  if (!with) return with.error();
  auto made = connect_tls(*with, address, wait);
  if (made) return Connection{std::move(*made), false};
  const auto code = made.error().code;
  const bool is_own_fault = code == Errc::io || code == Errc::cancelled;
  return Error{is_own_fault ? code : Errc::unreachable,
               "cannot connect to the shuffle server at " + address + ": " + made.error().text};
}

void ShuffleConnections::release(const std::string& address, std::unique_ptr<TlsStream> stream) {
  const std::lock_guard lock{mutex_};
  if (idle_count_ >= idle_max) return;
  idle_[address].push_back(std::move(stream));
  ++idle_count_;
}

}  // namespace heddle::work
