#include "work/transport/tls_handshakes.hpp"

#include <fcntl.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/steady_timer.hpp>
#include <charconv>
#include <cstdint>
#include <optional>
#include <system_error>
#include <utility>

#include "work/transport/peer_hello.hpp"

namespace heddle::work {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

/// The endpoint of an address in numbers; none: the host is a name. Asio looks up names one after the other, so that
/// one look-up without answer would hold up connections that need none.
std::optional<tcp::endpoint> numeric_endpoint(const std::string& host, const std::string& port) {
  boost::system::error_code failed;
  const auto address = asio::ip::make_address(host, failed);
  std::uint16_t number = 0;
  const auto* end = port.data() + port.size();
  const auto read = std::from_chars(port.data(), end, number);
  if (failed || read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return tcp::endpoint{address, number};
}

}  // namespace

/// connecting -> shaking hands -> sending the hello -> receiving the hello -> ended
class TlsHandshakes::One : public std::enable_shared_from_this<One> {
public:
  One(TlsHandshakes& owner, OnEnd on_end)
      : owner_{owner}, socket_{owner.io_}, resolver_{owner.io_}, timer_{owner.io_}, on_end_{std::move(on_end)} {}

  std::list<std::shared_ptr<One>>::iterator place;

  void set_deadline() {
    timer_.expires_after(owner_.limits_.patience);
    timer_.async_wait([self = shared_from_this()](boost::system::error_code failed) {
      if (!failed) self->fail(Errc::timed_out, "the handshake did not end in time");
    });
  }
  void begin(const TlsContext& context, tcp::socket socket) {
    socket_ = std::move(socket);
    begin(context);
  }
  void begin(const TlsContext& context) {
    boost::system::error_code ignored;
    socket_.set_option(tcp::no_delay(true), ignored);
    ::fcntl(socket_.native_handle(), F_SETFD, FD_CLOEXEC);
    // The socket has two owners until the end: Asio waits for it, the stream reads and writes it.
    stream_ = std::make_unique<TlsStream>(context, socket_.native_handle());
    static_cast<void>(stream_->release_descriptor());
    shake_hands();
  }
  void connect(TlsContext context, const std::string& host, const std::string& port) {
    if (const auto endpoint = numeric_endpoint(host, port)) {
      return socket_.async_connect(
          *endpoint, [self = shared_from_this(), context = std::move(context)](boost::system::error_code refused) {
            self->on_connected(context, refused);
          });
    }
    resolver_.async_resolve(host, port,
                            [self = shared_from_this(), context = std::move(context)](
                                boost::system::error_code failed, const tcp::resolver::results_type& found) {
                              if (failed || self->has_ended_) return self->fail(Errc::unreachable, failed.message());
                              asio::async_connect(
                                  self->socket_, found,
                                  [self, context](boost::system::error_code refused, const tcp::endpoint&) {
                                    self->on_connected(context, refused);
                                  });
                            });
  }
  void on_connected(const TlsContext& context, boost::system::error_code refused) {
    if (refused) return fail(Errc::unreachable, refused.message());
    if (!has_ended_) begin(context);
  }
  void fail(Errc code, std::string text) { end(Error{code, std::move(text)}); }

  /// Ends without a call.
  void drop() {
    on_end_ = nullptr;
    close();
  }

private:
  void shake_hands() {
    switch (stream_->shake_hands()) {
      case TlsStream::Handshake::done: return after_handshake();
      case TlsStream::Handshake::wants_read: return wait(tcp::socket::wait_read, &One::shake_hands);
      case TlsStream::Handshake::wants_write: return wait(tcp::socket::wait_write, &One::shake_hands);
      case TlsStream::Handshake::failed: return fail(Errc::refused, "TLS: " + stream_->error());
    }
  }
  void after_handshake() {
    if (!owner_.hello_) return succeed();
    bytes_ = write_hello(*owner_.hello_);
    send_hello();
  }
  void send_hello() {
    std::size_t put = 0;
    const auto sent = stream_->write(bytes_.data(), bytes_.size(), put);
    if (sent == ports::Transfer::closed) return fail(Errc::unreachable, stream_->error());
    bytes_.erase(0, put);
    if (!bytes_.empty()) return wait(tcp::socket::wait_write, &One::send_hello);
    wanted_ = hello_head_bytes;
    receive_hello();
  }
  /// Reads exactly the hello; what follows belongs to the next owner of the connection.
  void receive_hello() {
    while (bytes_.size() < wanted_) {
      char piece[hello_head_bytes + 2 * hello_text_bytes_max];
      std::size_t got = 0;
      const auto received = stream_->read(piece, wanted_ - bytes_.size(), got);
      if (received == ports::Transfer::closed) return fail(Errc::unreachable, stream_->error());
      if (received == ports::Transfer::blocked) return wait(tcp::socket::wait_read, &One::receive_hello);
      bytes_.append(piece, got);
      if (bytes_.size() != hello_head_bytes) continue;
      const auto rest = hello_rest_bytes(bytes_);
      if (!rest) return fail(rest.error().code, rest.error().text);
      wanted_ += *rest;
    }
    auto hello = read_hello(bytes_);
    if (!hello) return fail(hello.error().code, hello.error().text);
    if (const auto fits = check_hello(*owner_.hello_, *hello); !fits) return fail(fits.error().code, fits.error().text);
    peer_ = std::move(*hello);
    succeed();
  }
  void wait(tcp::socket::wait_type what, void (One::*then)()) {
    socket_.async_wait(what, [self = shared_from_this(), then](boost::system::error_code failed) {
      if (!self->has_ended_ && !failed) ((*self).*then)();
    });
  }
  void succeed() {
    boost::system::error_code failed;
    static_cast<void>(socket_.release(failed));
    if (failed) return fail(Errc::io, failed.message());
    stream_->own_descriptor();
    end(Shaken{std::move(stream_), std::move(peer_)});
  }
  void end(Result<Shaken> result) {
    if (has_ended_) return;
    const auto self = shared_from_this();
    close();
    owner_.pending_.erase(place);
    if (on_end_) std::exchange(on_end_, nullptr)(std::move(result));
  }
  void close() {
    has_ended_ = true;
    timer_.cancel();
    resolver_.cancel();
    stream_.reset();
    boost::system::error_code ignored;
    socket_.close(ignored);
  }

  TlsHandshakes& owner_;
  tcp::socket socket_;
  tcp::resolver resolver_;
  asio::steady_timer timer_;
  OnEnd on_end_;
  std::unique_ptr<TlsStream> stream_;
  std::string bytes_;
  std::size_t wanted_ = 0;
  ports::PeerHello peer_;
  bool has_ended_ = false;
};

TlsHandshakes::~TlsHandshakes() {
  for (const auto& one : pending_) one->drop();
}

std::shared_ptr<TlsHandshakes::One> TlsHandshakes::add(OnEnd on_end) {
  auto one = std::make_shared<One>(*this, std::move(on_end));
  one->place = pending_.insert(pending_.end(), one);
  one->set_deadline();
  if (pending_.size() > limits_.pending_max) std::shared_ptr {
      pending_.front()
      } -> fail(Errc::unreachable, "too many handshakes are pending");
  return one;
}

void TlsHandshakes::begin(const TlsContext& context, tcp::socket socket, OnEnd on_end) {
  add(std::move(on_end))->begin(context, std::move(socket));
}

void TlsHandshakes::connect(const TlsContext& context, const std::string& host, const std::string& port, OnEnd on_end) {
  add(std::move(on_end))->connect(context, host, port);
}

}  // namespace heddle::work
