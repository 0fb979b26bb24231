#include "work/transport/peer_transport.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <exception>
#include <list>
#include <system_error>
#include <thread>
#include <utility>

#include "work/transport/tls_handshakes.hpp"

namespace heddle::work {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr std::chrono::milliseconds accept_pause{100};  // after a failed accept: no descriptor is left

/// IPv6 addresses stand in brackets.
std::string host_and_port(const std::string& host, std::uint16_t port) {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port) : fmt::format("[{}]:{}", host, port);
}

}  // namespace

class PeerTransport::Service {
public:
  Service(PeerTransportSettings settings, TlsContext client, TlsContext server)
      : settings_{std::move(settings)},
        client_{std::move(client)},
        server_{std::move(server)},
        handshakes_{io_, limits(settings_), settings_.hello} {}
  ~Service() { stop(); }
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  Result<Done> start() {
    try {
      thread_ = std::thread{[this] { serve(); }};
    } catch (const std::system_error& fault) {
      return Error{Errc::io, "cannot start a thread for connections: " + fault.code().message()};
    }
    return Done{};
  }

  void stop() {
    io_.stop();
    if (thread_.joinable()) thread_.join();
    for (const auto& listener : listeners_) {
      boost::system::error_code ignored;
      listener->acceptor.close(ignored);
    }
    listeners_.clear();
  }

  void connect(const std::string& address, OnConnected on_connected) {
    const auto colon = address.rfind(':');
    if (colon == std::string::npos)
      return on_connected(Error{Errc::usage, "'" + address + "' is not an address of the form HOST:PORT"});
    auto host = address.substr(0, colon);
    if (host.size() > 1 && host.front() == '[') host = host.substr(1, host.size() - 2);
    asio::post(io_, [this, address, host, port = address.substr(colon + 1), on_connected = std::move(on_connected)] {
      handshakes_.connect(client_, host, port, [this, address, on_connected](Result<TlsHandshakes::Shaken> ended) {
        if (!ended)
          return on_connected(
              Error{ended.error().code, fmt::format("cannot connect to {}: {}", address, ended.error().text)});
        on_connected(connection(std::move(*ended), settings_.key.name));
      });
    });
  }

  Result<ports::ListeningPort> listen(std::uint16_t wanted, bool is_reusable, OnAccepted on_accepted) {
    boost::system::error_code failed;
    const auto address = asio::ip::make_address(settings_.bind_address, failed);
    if (failed)
      return Error{Errc::usage, fmt::format("cannot listen on '{}': it is not an IP address", settings_.bind_address)};
    if (address.is_unspecified() && settings_.advertised_host.empty())
      return Error{Errc::usage, fmt::format("other processes cannot connect to {}: name the host by which they reach "
                                            "this process (heddle.driver.host)",
                                            settings_.bind_address)};
    auto listener = std::make_shared<Listener>(io_, std::move(on_accepted));
    const auto first = wanted != 0 ? wanted : settings_.first_port;
    const int count = wanted != 0 || settings_.first_port == 0 ? 1 : settings_.ports;
    for (int i = 0; i < count; ++i) {
      failed = open(listener->acceptor, {address, static_cast<std::uint16_t>(first + i)}, is_reusable);
      if (!failed) break;
    }
    if (failed)
      return Error{Errc::io, fmt::format("cannot listen on {}, {} ports from {}: {}", settings_.bind_address, count,
                                         first, failed.message())};
    const auto port = listener->acceptor.local_endpoint().port();
    const auto& host = settings_.advertised_host.empty() ? settings_.bind_address : settings_.advertised_host;
    ports::ListeningPort made{listener->acceptor.native_handle(), port, host_and_port(host, port)};
    asio::post(io_, [this, listener] {
      listeners_.push_back(listener);
      accept(listener);
    });
    return made;
  }

private:
  /// An exception, such as bad_alloc or a look-up that cannot start its thread, ends only its own connection, which its
  /// deadline closes.
  void serve() {
    while (true) {
      try {
        io_.run();
        return;
      } catch (const std::exception&) { continue; }
    }
  }

  struct Listener {
    tcp::acceptor acceptor;
    asio::steady_timer retry;
    OnAccepted on_accepted;
    Listener(asio::io_context& io, OnAccepted calls) : acceptor{io}, retry{io}, on_accepted{std::move(calls)} {}
  };

  static HandshakeLimits limits(const PeerTransportSettings& settings) {
    return {std::chrono::milliseconds{settings.handshake_timeout_ms},
            static_cast<std::size_t>(settings.handshakes_max)};
  }
  static ports::SecureConnection connection(TlsHandshakes::Shaken shaken, std::string key) {
    return {std::move(shaken.stream), {std::move(key), std::move(shaken.hello)}};
  }

  static boost::system::error_code open(tcp::acceptor& acceptor, const tcp::endpoint& endpoint, bool is_reusable) {
    boost::system::error_code failed;
    boost::system::error_code ignored;
    acceptor.close(ignored);
    acceptor.open(endpoint.protocol(), failed);
    if (failed) return failed;
    ::fcntl(acceptor.native_handle(), F_SETFD, FD_CLOEXEC);
    if (is_reusable) acceptor.set_option(tcp::acceptor::reuse_address(true), failed);
    if (!failed) acceptor.bind(endpoint, failed);
    if (!failed) acceptor.listen(tcp::acceptor::max_listen_connections, failed);
    return failed;
  }

  void accept(const std::shared_ptr<Listener>& listener) {
    listener->acceptor.async_accept([this, listener](boost::system::error_code failed, tcp::socket socket) {
      if (failed == asio::error::operation_aborted) return;
      if (failed) {
        listener->retry.expires_after(accept_pause);
        return listener->retry.async_wait([this, listener](boost::system::error_code stopped) {
          if (!stopped) accept(listener);
        });
      }
      try {
        shake_hands(listener, std::move(socket));
      } catch (const std::exception&) {}  // ends this connection only: the listener accepts the next one
      accept(listener);
    });
  }
  void shake_hands(const std::shared_ptr<Listener>& listener, tcp::socket socket) {
    handshakes_.begin(server_, std::move(socket), [listener](Result<TlsHandshakes::Shaken> ended) {
      if (!ended) return;  // a stranger gets no answer
      auto key = ended->stream->key();
      listener->on_accepted(connection(std::move(*ended), std::move(key)));
    });
  }

  PeerTransportSettings settings_;
  TlsContext client_;
  TlsContext server_;
  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_{io_.get_executor()};
  TlsHandshakes handshakes_;
  std::list<std::shared_ptr<Listener>> listeners_;
  std::thread thread_;
};

PeerTransport::PeerTransport(std::unique_ptr<Service> service) : service_{std::move(service)} {}

PeerTransport::~PeerTransport() = default;

Result<std::unique_ptr<PeerTransport>> PeerTransport::start(PeerTransportSettings settings) {
  auto client = TlsContext::for_client(settings.key);
  if (!client) return client.error();
  auto server = TlsContext::for_server(settings.key);
  if (!server) return server.error();
  auto service = std::make_unique<Service>(std::move(settings), std::move(*client), std::move(*server));
  if (auto started = service->start(); !started) return started.error();
  return std::unique_ptr<PeerTransport>{new PeerTransport{std::move(service)}};
}

void PeerTransport::connect(const std::string& address, OnConnected on_connected) {
  service_->connect(address, std::move(on_connected));
}

Result<ports::ListeningPort> PeerTransport::listen(std::uint16_t wanted, bool is_reusable, OnAccepted on_accepted) {
  return service_->listen(wanted, is_reusable, std::move(on_accepted));
}

void PeerTransport::stop() { service_->stop(); }

}  // namespace heddle::work
