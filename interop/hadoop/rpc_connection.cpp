#include "interop/hadoop/rpc_connection.hpp"

#include <fmt/format.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/write.hpp>
#include <charconv>
#include <chrono>
#include <optional>
#include <system_error>
#include <utility>

namespace heddle::interop {
namespace {

namespace asio = boost::asio;
using Failure = boost::system::error_code;

/// "host:port" and "[::1]:port"; both parts are empty if it is something else.
std::pair<std::string, std::string> parts_of(const std::string& address) {
  const auto colon = address.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == address.size()) return {};
  auto host = address.substr(0, colon);
  if (host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  return {host, address.substr(colon + 1)};
}

/// The endpoint of an address in numbers; none: the host is a name. Asio looks up names one after the other, so that
/// one look-up without answer would hold up connections that need none.
std::optional<asio::ip::tcp::endpoint> numeric_endpoint(const std::string& host, const std::string& port) {
  Failure failure;
  const auto address = asio::ip::make_address(host, failure);
  std::uint16_t number = 0;
  const auto* end = port.data() + port.size();
  const auto read = std::from_chars(port.data(), end, number);
  if (failure || read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return asio::ip::tcp::endpoint{address, number};
}

}  // namespace

RpcConnection::RpcConnection(asio::io_context& io, std::string address, ConversationSettings settings,
                             ConnectionEvents events)
    : resolver_{io},
      socket_{io},
      limit_{io},
      ping_{io},
      address_{std::move(address)},
      conversation_{std::move(settings)},
      events_{std::move(events)} {}

void RpcConnection::open(std::int64_t connect_timeout_ms, std::int64_t ping_ms) {
  ping_ms_ = ping_ms;
  limit_.expires_after(std::chrono::milliseconds{connect_timeout_ms});
  limit_.async_wait([self = shared_from_this(), connect_timeout_ms](Failure failure) {
    if (failure || self->is_ready_) return;
    self->fail(
        RpcFault::Kind::unreachable,
        fmt::format("no {} within {} ms", self->is_connected_ ? "authentication" : "connection", connect_timeout_ms));
  });
  const auto [host, port] = parts_of(address_);
  if (host.empty()) {
    asio::post(socket_.get_executor(), [self = shared_from_this()] {
      self->fail(RpcFault::Kind::unreachable, "the address is not \"host:port\"");
    });
    return;
  }
  if (const auto endpoint = numeric_endpoint(host, port)) {
    socket_.async_connect(*endpoint, [self = shared_from_this()](Failure failure) { self->on_connected(failure); });
    return;
  }
  resolver_.async_resolve(host, port,
                          [self = shared_from_this()](Failure failure, const Tcp::resolver::results_type& found) {
                            if (self->is_closed_) return;
                            if (failure)
                              return self->fail(RpcFault::Kind::unknown_host,
                                                fmt::format("the name does not resolve ({})", failure.message()));
                            self->connect(found);
                          });
}

void RpcConnection::connect(const Tcp::resolver::results_type& found) {
  asio::async_connect(socket_, found, [self = shared_from_this()](Failure failure, const Tcp::endpoint&) {
    self->on_connected(failure);
  });
}

void RpcConnection::on_connected(Failure failure) {
  if (is_closed_) return;
  if (failure) return fail(RpcFault::Kind::unreachable, failure.message());
  start();
}

void RpcConnection::start() {
  Failure ignored;
  socket_.set_option(Tcp::no_delay{true}, ignored);
  is_connected_ = true;
  // A connection to a free port of this host can connect to itself.
  const auto local = socket_.local_endpoint(ignored);
  if (!ignored && local == socket_.remote_endpoint(ignored))
    return fail(RpcFault::Kind::unreachable, "no process listens");
  read();
  write();
  take(0);
}

void RpcConnection::read() {
  socket_.async_read_some(asio::buffer(received_), [self = shared_from_this()](Failure failure, std::size_t count) {
    if (self->is_closed_) return;
    if (failure) {
      auto text = failure == asio::error::eof ? std::string{"the server closed the connection"} : failure.message();
      if (self->is_ready_) return self->fail(RpcFault::Kind::connection_lost, std::move(text));
      return self->fail(RpcFault::Kind::unreachable, text + " during the authentication");
    }
    self->take(count);
    if (!self->is_closed_) self->read();
  });
}

void RpcConnection::take(std::size_t count) {
  std::vector<CallResponse> responses;
  auto fault = conversation_.receive({received_.data(), count}, responses);
  write();
  if (is_closed_) return;
  if (!is_ready_ && conversation_.is_ready()) {
    is_ready_ = true;
    limit_.cancel();
    arm_ping();
    events_.on_ready(local_host());
  } else if (count > 0 && is_ready_) {
    arm_ping();
  }
  if (!responses.empty() && !is_closed_) events_.on_responses(std::move(responses));
  if (fault && !is_closed_) fail(std::move(*fault));
}

void RpcConnection::send_call(std::int32_t call_id, std::int32_t retry_count, std::string_view method,
                              std::string_view request) {
  if (is_closed_) return;
  conversation_.send_call(call_id, retry_count, method, request);
  write();
}

void RpcConnection::set_waiting(bool is_waiting) { is_waiting_ = is_waiting; }

void RpcConnection::write() {
  if (is_writing_ || is_closed_ || !is_connected_) return;
  writing_ = conversation_.take_output();
  if (writing_.empty()) return;
  is_writing_ = true;
  asio::async_write(socket_, asio::buffer(writing_), [self = shared_from_this()](Failure failure, std::size_t) {
    self->is_writing_ = false;
    if (self->is_closed_) return;
    // A server that refuses sends its reason and closes: the reader finds both.
    if (!failure) self->write();
  });
}

void RpcConnection::arm_ping() {
  if (ping_ms_ <= 0) return;
  ping_.expires_after(std::chrono::milliseconds{ping_ms_});
  ping_.async_wait([self = shared_from_this()](Failure failure) {
    if (failure || self->is_closed_) return;
    if (self->is_waiting_) {
      self->conversation_.send_ping();
      self->write();
    }
    self->arm_ping();
  });
}

void RpcConnection::fail(RpcFault::Kind kind, std::string text) { fail(RpcFault{kind, {}, std::move(text), {}}); }

void RpcConnection::fail(RpcFault fault) {
  if (is_closed_) return;
  const auto on_closed = std::move(events_.on_closed);
  close();
  fault.address = address_;
  on_closed(std::move(fault));
}

void RpcConnection::close() {
  is_closed_ = true;
  Failure ignored;
  resolver_.cancel();
  limit_.cancel();
  ping_.cancel();
  socket_.close(ignored);
  events_ = {};
}

std::string RpcConnection::local_host() const {
  Failure failure;
  const auto local = socket_.local_endpoint(failure);
  return failure ? std::string{} : local.address().to_string();
}

}  // namespace heddle::interop
