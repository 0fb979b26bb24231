// A server on 127.0.0.1 that plays its side of a recorded conversation to one client, and compares what the client
// sends with the record.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "model/assert.hpp"
#include "tests/support/recorded_conversation.hpp"

namespace heddle::tests {

class RecordedPeer {
public:
  explicit RecordedPeer(std::vector<Piece> pieces) : pieces_{std::move(pieces)} {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof here;
    HEDDLE_ASSERT(::bind(listener_, reinterpret_cast<sockaddr*>(&here), size) == 0, "bind");
    HEDDLE_ASSERT(::listen(listener_, 1) == 0, "listen");
    HEDDLE_ASSERT(::getsockname(listener_, reinterpret_cast<sockaddr*>(&here), &size) == 0, "getsockname");
    address_ = "127.0.0.1:" + std::to_string(ntohs(here.sin_port));
    thread_ = std::thread{[this] { play(); }};
  }
  ~RecordedPeer() {
    static_cast<void>(received());
    ::close(listener_);
  }
  RecordedPeer(const RecordedPeer&) = delete;
  RecordedPeer& operator=(const RecordedPeer&) = delete;

  [[nodiscard]] const std::string& address() const { return address_; }
  /// All bytes that the client has sent. Precondition: it has closed its connection, or never opens one.
  [[nodiscard]] const std::string& received() {
    if (thread_.joinable()) {
      ::shutdown(listener_, SHUT_RDWR);  // ends the wait for a client that did not connect
      thread_.join();
    }
    return received_;
  }

private:
  void play() {
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) return;
    std::size_t expected = 0;
    bool goes_on = true;
    for (const auto& piece : pieces_) {
      if (piece.is_client) expected += piece.bytes.size();
      else if ((goes_on = receive_up_to(socket, expected)))
        static_cast<void>(::send(socket, piece.bytes.data(), piece.bytes.size(), MSG_NOSIGNAL));
      if (!goes_on) break;
    }
    ::shutdown(socket, SHUT_WR);
    while (receive_up_to(socket, received_.size() + 1)) {}
    ::close(socket);
  }
  /// False if the client has closed the connection before.
  bool receive_up_to(int socket, std::size_t size) {
    while (received_.size() < size) {
      std::string bytes(size - received_.size(), '\0');
      const auto got = ::recv(socket, bytes.data(), bytes.size(), 0);
      if (got <= 0) return false;
      received_.append(bytes, 0, static_cast<std::size_t>(got));
    }
    return true;
  }

  std::vector<Piece> pieces_;
  int listener_ = -1;
  std::string address_;
  std::string received_;
  std::thread thread_;
};

}  // namespace heddle::tests
