#include "interop/hdfs/data_node_connection.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

#include "interop/hdfs/packet.hpp"

namespace heddle::interop::hdfs {
namespace {

// Space for several packets of 64 KiB, so that few calls of recv() copy a part of a packet to the front.
constexpr std::size_t buffer_bytes = 512 << 10;

/// 0 if the socket is ready, otherwise an errno.
int wait_for(int socket, short events, std::int64_t timeout_ms) {
  pollfd polled{socket, events, 0};
  int ready = 0;
  do ready = ::poll(&polled, 1, static_cast<int>(timeout_ms));
  while (ready < 0 && errno == EINTR);
  return ready < 0 ? errno : ready == 0 ? ETIMEDOUT : 0;
}

/// A connected socket, or -1 and the reason.
int connect_to(const addrinfo& to, std::int64_t timeout_ms, int& reason) {
  const int socket = ::socket(to.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  reason = socket < 0 ? errno : 0;
  if (socket < 0) return -1;
  if (::connect(socket, to.ai_addr, to.ai_addrlen) != 0) reason = errno;
  if (reason == EINPROGRESS) {
    socklen_t size = sizeof reason;
    reason = wait_for(socket, POLLOUT, timeout_ms);
    if (reason == 0 && ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &reason, &size) != 0) reason = errno;
  }
  if (reason == 0) {
    const int on = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return socket;
  }
  ::close(socket);
  return -1;
}

Error no_connection(const std::string& address, const char* reason) {
  return {Errc::unreachable, "cannot connect to the DataNode at " + address + ": " + reason};
}

}  // namespace

Result<DataNodeConnection> DataNodeConnection::connect(const std::string& address, std::int64_t timeout_ms) {
  const auto colon = address.rfind(':');
  if (colon == std::string::npos) return no_connection(address, "the address has no port");
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int looked = ::getaddrinfo(address.substr(0, colon).c_str(), address.substr(colon + 1).c_str(), &hints, &found);
  if (looked != 0) return no_connection(address, ::gai_strerror(looked));
  int socket = -1;
  int reason = EHOSTUNREACH;
  for (const addrinfo* one = found; one != nullptr && socket < 0; one = one->ai_next)
    socket = connect_to(*one, timeout_ms, reason);
  ::freeaddrinfo(found);
  if (socket < 0) return no_connection(address, std::strerror(reason));
  return DataNodeConnection{socket, address};
}

DataNodeConnection::DataNodeConnection(DataNodeConnection&& other) noexcept
    : socket_{std::exchange(other.socket_, -1)},
      address_{std::move(other.address_)},
      buffer_{std::move(other.buffer_)},
      capacity_{std::exchange(other.capacity_, 0)},
      begin_{std::exchange(other.begin_, 0)},
      end_{std::exchange(other.end_, 0)} {}

DataNodeConnection& DataNodeConnection::operator=(DataNodeConnection&& other) noexcept {
  std::swap(socket_, other.socket_);
  std::swap(address_, other.address_);
  std::swap(buffer_, other.buffer_);
  std::swap(capacity_, other.capacity_);
  std::swap(begin_, other.begin_);
  std::swap(end_, other.end_);
  return *this;
}

DataNodeConnection::~DataNodeConnection() {
  if (socket_ >= 0) ::close(socket_);
}

Error DataNodeConnection::broken(int reason) const {
  return {Errc::io, "the connection to the DataNode at " + address_ +
                        (reason == 0 ? " was closed by it" : std::string{" broke: "} + std::strerror(reason))};
}

Error DataNodeConnection::silent(std::int64_t silence_ms) const {
  return {Errc::timed_out,
          "the DataNode at " + address_ + " was silent for " + std::to_string(silence_ms) + " milliseconds"};
}

Result<Done> DataNodeConnection::wait(bool is_sending, std::int64_t silence_ms) const {
  const int reason = wait_for(socket_, is_sending ? POLLIN | POLLOUT : POLLIN, silence_ms);
  if (reason == ETIMEDOUT) return silent(silence_ms);
  if (reason != 0) return broken(reason);
  return Done{};
}

Result<std::size_t> DataNodeConnection::send_some(std::string_view first, std::string_view second) {
  std::array<iovec, 2> pieces{
      {{const_cast<char*>(first.data()), first.size()}, {const_cast<char*>(second.data()), second.size()}}};
  msghdr message{};
  message.msg_iov = pieces.data();
  message.msg_iovlen = pieces.size();
  while (true) {
    const ssize_t sent = ::sendmsg(socket_, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) return static_cast<std::size_t>(sent);
    if (errno == EAGAIN || errno == EWOULDBLOCK) return std::size_t{0};
    if (errno != EINTR) return broken(errno);
  }
}

Result<Done> DataNodeConnection::send(std::string_view first, std::string_view second, std::int64_t silence_ms) {
  while (!first.empty() || !second.empty()) {
    const auto sent = send_some(first, second);
    if (!sent) return sent.error();
    const std::size_t of_first = std::min(*sent, first.size());
    first.remove_prefix(of_first);
    second.remove_prefix(*sent - of_first);
    if (*sent > 0) continue;
    const int reason = wait_for(socket_, POLLOUT, silence_ms);
    if (reason == ETIMEDOUT) return silent(silence_ms);
    if (reason != 0) return broken(reason);
  }
  return Done{};
}

void DataNodeConnection::make_room(std::size_t size) {
  if (begin_ == end_) begin_ = end_ = 0;
  if (capacity_ - begin_ >= size && end_ < capacity_) return;
  if (capacity_ < size || capacity_ == 0) {
    capacity_ = std::max(size, buffer_bytes);
    auto larger = std::make_unique_for_overwrite<char[]>(capacity_);
    std::copy(buffer_.get() + begin_, buffer_.get() + end_, larger.get());
    buffer_ = std::move(larger);
  } else {
    std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
  }
  end_ -= begin_;
  begin_ = 0;
}

Result<std::size_t> DataNodeConnection::receive_some() {
  while (true) {
    const ssize_t got = ::recv(socket_, buffer_.get() + end_, capacity_ - end_, MSG_DONTWAIT);
    if (got > 0) {
      end_ += static_cast<std::size_t>(got);
      return static_cast<std::size_t>(got);
    }
    if (got == 0) return broken(0);
    if (errno == EAGAIN || errno == EWOULDBLOCK) return std::size_t{0};
    if (errno != EINTR) return broken(errno);
  }
}

Result<Done> DataNodeConnection::fill(std::size_t size, std::int64_t silence_ms) {
  while (end_ - begin_ < size) {
    make_room(size);
    const auto got = receive_some();
    if (!got) return got.error();
    if (*got > 0) continue;
    if (auto ready = wait(false, silence_ms); !ready) return ready;
  }
  return Done{};
}

Result<std::string_view> DataNodeConnection::receive(std::size_t size, std::int64_t silence_ms) {
  if (auto filled = fill(size, silence_ms); !filled) return filled.error();
  const auto bytes = buffered().substr(0, size);
  begin_ += size;
  return bytes;
}

Result<std::string_view> DataNodeConnection::receive_delimited(std::int64_t silence_ms) {
  while (true) {
    const auto length = read_delimited_length(buffered());
    if (!length) return length.error();
    if (*length) {
      auto bytes = receive((*length)->prefix_bytes + (*length)->message_bytes, silence_ms);
      if (bytes) bytes->remove_prefix((*length)->prefix_bytes);
      return bytes;
    }
    if (auto filled = fill(end_ - begin_ + 1, silence_ms); !filled) return filled.error();
  }
}

Result<bool> DataNodeConnection::has_delimited() {
  while (true) {
    const auto length = read_delimited_length(buffered());
    if (!length) return length.error();
    const std::size_t needed = *length ? (*length)->prefix_bytes + (*length)->message_bytes : end_ - begin_ + 1;
    if (end_ - begin_ >= needed) return true;
    make_room(needed);
    const auto got = receive_some();
    if (!got) return got.error();
    if (*got == 0) return false;
  }
}

bool DataNodeConnection::is_quiet() const {
  char byte = 0;
  return begin_ == end_ && ::recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
         (errno == EAGAIN || errno == EWOULDBLOCK);
}

}  // namespace heddle::interop::hdfs
