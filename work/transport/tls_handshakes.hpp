// Handshakes of accepted and dialled sockets on an Asio thread, each with a deadline. A silent peer costs no processor
// time and is dropped at the deadline. Above the maximum the oldest handshake is dropped, because honest ones take
// milliseconds.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <optional>

#include "ports/secure_transport.hpp"
#include "work/transport/tls_stream.hpp"

namespace heddle::work {

struct HandshakeLimits {
  std::chrono::milliseconds patience{3'000};  // for connect, TLS and hello together
  std::size_t pending_max = 256;
};

/// Used on the thread of the io_context only.
class TlsHandshakes {
public:
  struct Shaken {
    std::unique_ptr<TlsStream> stream;
    ports::PeerHello hello;  // of the peer, if this end has one
  };
  using OnEnd = std::function<void(Result<Shaken>)>;

  /// `hello`: exchanged after the handshake; none: no hellos.
  TlsHandshakes(boost::asio::io_context& io, HandshakeLimits limits, std::optional<ports::PeerHello> hello)
      : io_{io}, limits_{limits}, hello_{std::move(hello)} {}
  ~TlsHandshakes();
  TlsHandshakes(const TlsHandshakes&) = delete;
  TlsHandshakes& operator=(const TlsHandshakes&) = delete;

  /// Runs the handshake of a connected socket. Calls `on_end` once, unless this object is destroyed first.
  void begin(const TlsContext& context, boost::asio::ip::tcp::socket socket, OnEnd on_end);
  /// Connects and runs the handshake.
  void connect(const TlsContext& context, const std::string& host, const std::string& port, OnEnd on_end);
  [[nodiscard]] std::size_t pending() const { return pending_.size(); }

private:
  class One;
  std::shared_ptr<One> add(OnEnd on_end);

  boost::asio::io_context& io_;
  HandshakeLimits limits_;
  std::optional<ports::PeerHello> hello_;
  std::list<std::shared_ptr<One>> pending_;  // oldest first
};

}  // namespace heddle::work
