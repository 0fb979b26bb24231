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
  const auto failed = [&address](Errc code, const std::string& text) {
    return Error{code, "cannot connect to the shuffle server at " + address + ": " + text};
  };
  auto made = connect_stream(*with, address, wait);
  if (!made) {
    const auto code = made.error().code;
    return failed(code == Errc::io || code == Errc::cancelled ? code : Errc::unreachable, made.error().text);
  }
  if (const auto shaken = shake_hands(**made, wait); !shaken)
    return failed(shaken.error().code == Errc::cancelled ? Errc::cancelled : Errc::interrupted, shaken.error().text);
  return Connection{std::move(*made), false};
}

void ShuffleConnections::release(const std::string& address, std::unique_ptr<TlsStream> stream) {
  const std::lock_guard lock{mutex_};
  if (idle_count_ >= idle_max) return;
  idle_[address].push_back(std::move(stream));
  ++idle_count_;
}

}  // namespace heddle::work
