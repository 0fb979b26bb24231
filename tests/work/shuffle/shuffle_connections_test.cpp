// Goal: idle connections are reused, the last one first, unless the server closed them or sent unexpected data.
// Method: a listening socket of the test, whose thread accepts every connection and runs its handshake.
#include "work/shuffle/shuffle_connections.hpp"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "model/random_stream.hpp"
#include "work/files/wake_event.hpp"

namespace heddle::work {
namespace shuffle_connections_test {
namespace {

constexpr SocketWait patience{60'000};

const ports::TransportKey key{"application", "secret"};

/// Accepts connections until its end, and keeps them in order.
class Listener {
public:
  explicit Listener(int waiting_max = 64, bool accepts = true)
      : socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    BOOST_REQUIRE(::bind(socket_, reinterpret_cast<sockaddr*>(&here), sizeof here) == 0);
    BOOST_REQUIRE(::listen(socket_, waiting_max) == 0);
    socklen_t size = sizeof here;
    BOOST_REQUIRE(::getsockname(socket_, reinterpret_cast<sockaddr*>(&here), &size) == 0);
    address_ = "127.0.0.1:" + std::to_string(ntohs(here.sin_port));
    if (accepts) thread_ = std::thread{[this] { accept_all(); }};
  }
  ~Listener() {
    ::shutdown(socket_, SHUT_RDWR);
    if (thread_.joinable()) thread_.join();
    ::close(socket_);
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  [[nodiscard]] const std::string& address() const { return address_; }
  /// The far end of the connection with this number, whose near end is connected.
  [[nodiscard]] TlsStream& far_end(std::size_t number) {
    const std::lock_guard lock{mutex_};
    return *streams_.at(number);
  }
  void close(std::size_t number) {
    const std::lock_guard lock{mutex_};
    streams_.at(number).reset();
  }

private:
  void accept_all() {
    const auto context = TlsContext::for_server(key);
    for (int socket = 0; (socket = ::accept(socket_, nullptr, nullptr)) >= 0;) {
      auto stream = std::make_unique<TlsStream>(*context, socket);
      // It is in the list before the client's end of the handshake returns.
      const std::lock_guard lock{mutex_};
      if (shake_hands(*stream, patience)) streams_.push_back(std::move(stream));
    }
  }
  int socket_;
  std::string address_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<TlsStream>> streams_;
  std::thread thread_;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(shuffle_connections)

BOOST_AUTO_TEST_CASE(an_idle_connection_is_reused_unless_a_new_one_is_requested) {
  Listener server;
  ShuffleConnections connections{key};
  auto first = connections.acquire(server.address(), patience, false);
  BOOST_REQUIRE(first.has_value());
  BOOST_TEST(!first->is_reused);
  const auto* stream = first->stream.get();
  connections.release(server.address(), std::move(first->stream));
  auto again = connections.acquire(server.address(), patience, false);
  BOOST_TEST(again->is_reused);
  BOOST_TEST(again->stream.get() == stream);
  connections.release(server.address(), std::move(again->stream));
  auto fresh = connections.acquire(server.address(), patience, true);
  BOOST_TEST(!fresh->is_reused);
  BOOST_TEST(fresh->stream.get() != stream);
}

BOOST_AUTO_TEST_CASE(the_number_of_idle_connections_is_limited) {
  Listener server;
  ShuffleConnections connections{key};
  std::vector<std::unique_ptr<TlsStream>> near_ends;
  for (std::size_t i = 0; i < ShuffleConnections::idle_max + 1; ++i) {
    auto taken = connections.acquire(server.address(), patience, true);
    BOOST_REQUIRE(taken.has_value());
    near_ends.push_back(std::move(taken->stream));
  }
  for (auto& stream : near_ends) connections.release(server.address(), std::move(stream));
  char byte = 0;
  const auto receive = [&](std::size_t number, int flags) {
    return ::recv(server.far_end(number).descriptor(), &byte, 1, flags);
  };
  BOOST_TEST(wait_for_socket(server.far_end(ShuffleConnections::idle_max).descriptor(), POLLIN, patience) == 0);
  BOOST_TEST(receive(ShuffleConnections::idle_max, MSG_DONTWAIT) == 0);
  BOOST_TEST(receive(0, MSG_DONTWAIT) < 0);
}

BOOST_AUTO_TEST_CASE(a_connection_that_was_closed_or_has_unread_data_is_not_reused) {
  for (const bool speaks : {false, true}) {
    Listener server;
    ShuffleConnections connections{key};
    auto first = connections.acquire(server.address(), patience, false);
    BOOST_REQUIRE(first.has_value());
    if (speaks) BOOST_TEST(send_all(server.far_end(0), "x", patience));
    else server.close(0);
    // Waits until the close or the byte has arrived before the connection is given back.
    BOOST_TEST(wait_for_socket(first->stream->descriptor(), POLLIN, patience) == 0);
    connections.release(server.address(), std::move(first->stream));
    auto next = connections.acquire(server.address(), patience, false);
    BOOST_REQUIRE(next.has_value());
    BOOST_TEST(!next->is_reused);
  }
}

BOOST_AUTO_TEST_CASE(a_failed_handshake_is_distinguished_from_a_refused_connection) {
  Listener server;
  ShuffleConnections connections{{"application", "guessed"}};
  BOOST_TEST((connections.acquire(server.address(), patience, false).error().code == Errc::interrupted));
}

BOOST_AUTO_TEST_CASE(a_refused_connection_is_unreachable) {
  std::string address;
  {
    const Listener gone;
    address = gone.address();
  }
  ShuffleConnections connections{key};
  BOOST_TEST((connections.acquire(address, patience, false).error().code == Errc::unreachable));
  BOOST_TEST((connections.acquire("no-port", patience, false).error().code == Errc::unreachable));
}

// The kernel drops connections when the listen queue is full: connect gets no response.
BOOST_AUTO_TEST_CASE(a_cancelled_connect_ends_at_once) {
  const Listener full{0, false};
  ShuffleConnections connections{key};
  std::vector<int> near_ends;
  sockaddr_in there{};
  there.sin_family = AF_INET;
  there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  there.sin_port = htons(static_cast<std::uint16_t>(std::stoi(full.address().substr(full.address().rfind(':') + 1))));
  for (int i = 0; i < 8; ++i) {  // more than the queue takes
    near_ends.push_back(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    static_cast<void>(::connect(near_ends.back(), reinterpret_cast<const sockaddr*>(&there), sizeof there));
  }
  WakeEvent stop;
  BOOST_REQUIRE(stop.open("no event").has_value());
  stop.set();
  const auto begin = std::chrono::steady_clock::now();
  const auto stopped = connections.acquire(full.address(), {patience.timeout_ms, stop.descriptor()}, true);
  BOOST_REQUIRE(!stopped.has_value());
  BOOST_TEST((stopped.error().code == Errc::cancelled));
  BOOST_TEST((std::chrono::steady_clock::now() - begin < std::chrono::seconds{20}));
  for (const int socket : near_ends) ::close(socket);
}

BOOST_AUTO_TEST_CASE(send_fails_if_the_peer_has_closed) {
  Listener server;
  ShuffleConnections connections{key};
  const auto taken = connections.acquire(server.address(), patience, false);
  BOOST_REQUIRE(taken.has_value());
  server.close(0);
  const std::string much(1 << 20, 'x');
  bool is_sent = true;
  for (int i = 0; i < 100 && is_sent; ++i) is_sent = send_all(*taken->stream, much, patience);
  BOOST_TEST(!is_sent);
}

// In every order of take and release, no connection has two users, and none is created while one is idle.
BOOST_AUTO_TEST_CASE(no_connection_has_two_users) {
  Listener servers[2];
  RandomStream random{4};
  ShuffleConnections connections{key};
  std::map<const TlsStream*, std::unique_ptr<TlsStream>> out[2];
  std::size_t made[2] = {0, 0};
  std::size_t most[2] = {0, 0};
  for (int step = 0; step < 400; ++step) {
    const auto which = static_cast<std::size_t>(random.below(2));
    if (random.chance(1, 2) && out[which].size() < 20) {
      auto taken = connections.acquire(servers[which].address(), patience, false);
      BOOST_REQUIRE(taken.has_value());
      made[which] += taken->is_reused ? 0U : 1U;
      const auto* stream = taken->stream.get();
      BOOST_REQUIRE(out[which].emplace(stream, std::move(taken->stream)).second);
      BOOST_REQUIRE(!out[1 - which].contains(stream));
      most[which] = std::max(most[which], out[which].size());
    } else if (!out[which].empty()) {
      const auto first = out[which].begin();
      connections.release(servers[which].address(), std::move(first->second));
      out[which].erase(first);
    }
    BOOST_REQUIRE(made[which] == most[which]);
  }
  for (std::size_t which : {0U, 1U})
    for (auto& [key_of, stream] : out[which]) connections.release(servers[which].address(), std::move(stream));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace shuffle_connections_test
}  // namespace heddle::work
