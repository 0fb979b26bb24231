// Goal: idle connections are reused, the last one first, unless the server closed them or sent unexpected data.
// Method: a listening socket of the test, which accepts every connection itself.
#include "work/shuffle/shuffle_connections.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <set>
#include <vector>

#include "model/random_stream.hpp"
#include "work/files/wake_event.hpp"

namespace heddle::work {
namespace shuffle_connections_test {
namespace {

constexpr SocketWait patience{60'000};

class Listener {
public:
  explicit Listener(int waiting_max = 64) : socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    BOOST_REQUIRE(::bind(socket_, reinterpret_cast<sockaddr*>(&here), sizeof here) == 0);
    BOOST_REQUIRE(::listen(socket_, waiting_max) == 0);
    socklen_t size = sizeof here;
    BOOST_REQUIRE(::getsockname(socket_, reinterpret_cast<sockaddr*>(&here), &size) == 0);
    address_ = "127.0.0.1:" + std::to_string(ntohs(here.sin_port));
  }
  ~Listener() { ::close(socket_); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  [[nodiscard]] int accept() const { return ::accept(socket_, nullptr, nullptr); }
  [[nodiscard]] const std::string& address() const { return address_; }

private:
  int socket_;
  std::string address_;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(shuffle_connections)

BOOST_AUTO_TEST_CASE(an_idle_connection_is_reused_unless_a_new_one_is_requested) {
  const Listener server;
  ShuffleConnections connections;
  const auto first = connections.acquire(server.address(), patience, false);
  BOOST_REQUIRE(first.has_value());
  BOOST_TEST(!first->is_reused);
  connections.release(server.address(), first->socket);
  const auto again = connections.acquire(server.address(), patience, false);
  BOOST_TEST(again->is_reused);
  BOOST_TEST(again->socket == first->socket);
  connections.release(server.address(), again->socket);
  const auto fresh = connections.acquire(server.address(), patience, true);
  BOOST_TEST(!fresh->is_reused);
  BOOST_TEST(fresh->socket != first->socket);
  connections.release(server.address(), fresh->socket);
}

BOOST_AUTO_TEST_CASE(the_number_of_idle_connections_is_limited) {
  const Listener server;
  ShuffleConnections connections;
  std::vector<int> near_ends;
  std::vector<int> far_ends;
  for (std::size_t i = 0; i < ShuffleConnections::idle_max + 1; ++i) {
    const auto taken = connections.acquire(server.address(), patience, true);
    BOOST_REQUIRE(taken.has_value());
    near_ends.push_back(taken->socket);
    far_ends.push_back(server.accept());
  }
  for (const int socket : near_ends) connections.release(server.address(), socket);
  char byte = 0;
  BOOST_TEST(::recv(far_ends.back(), &byte, 1, 0) == 0);
  BOOST_TEST(::recv(far_ends.front(), &byte, 1, MSG_DONTWAIT) < 0);
  for (const int socket : far_ends) ::close(socket);
}

BOOST_AUTO_TEST_CASE(a_connection_that_was_closed_or_has_unread_data_is_not_reused) {
  for (const bool speaks : {false, true}) {
    const Listener server;
    ShuffleConnections connections;
    const auto first = connections.acquire(server.address(), patience, false);
    const int far_end = server.accept();
    if (speaks) BOOST_TEST(send_all(far_end, "x", patience));
    else ::close(far_end);
    // Waits until the close or the byte has arrived before the connection is given back.
    char byte = 0;
    while (::recv(first->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0) continue;
    connections.release(server.address(), first->socket);
    const auto next = connections.acquire(server.address(), patience, false);
    BOOST_REQUIRE(next.has_value());
    BOOST_TEST(!next->is_reused);
    connections.release(server.address(), next->socket);
    if (speaks) ::close(far_end);
  }
}

BOOST_AUTO_TEST_CASE(a_refused_connection_is_unreachable) {
  std::string address;
  {
    const Listener gone;
    address = gone.address();
  }
  ShuffleConnections connections;
  BOOST_TEST((connections.acquire(address, patience, false).error().code == Errc::unreachable));
  BOOST_TEST((connections.acquire("no-port", patience, false).error().code == Errc::unreachable));
}

// The kernel drops connections when the listen queue is full: connect gets no response.
BOOST_AUTO_TEST_CASE(a_cancelled_connect_ends_at_once) {
  const Listener full{0};
  ShuffleConnections connections;
  std::vector<int> near_ends;
  constexpr SocketWait short_wait{200};
  for (auto taken = connections.acquire(full.address(), short_wait, true); taken.has_value();
       taken = connections.acquire(full.address(), short_wait, true))
    near_ends.push_back(taken->socket);
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
  const Listener server;
  ShuffleConnections connections;
  const auto taken = connections.acquire(server.address(), patience, false);
  ::close(server.accept());
  const std::string much(1 << 20, 'x');
  bool is_sent = true;
  for (int i = 0; i < 100 && is_sent; ++i) is_sent = send_all(taken->socket, much, patience);
  BOOST_TEST(!is_sent);
  ::close(taken->socket);
}

// In every order of take and release, no connection has two users, and none is created while one is idle.
BOOST_AUTO_TEST_CASE(no_connection_has_two_users) {
  const Listener servers[2];
  RandomStream random{4};
  ShuffleConnections connections;
  std::set<int> out[2];
  std::size_t made[2] = {0, 0};
  std::size_t most[2] = {0, 0};
  for (int step = 0; step < 400; ++step) {
    const auto which = static_cast<std::size_t>(random.below(2));
    if (random.chance(1, 2) && out[which].size() < 20) {
      const auto taken = connections.acquire(servers[which].address(), patience, false);
      BOOST_REQUIRE(taken.has_value());
      made[which] += taken->is_reused ? 0U : 1U;
      BOOST_REQUIRE(out[which].insert(taken->socket).second);
      BOOST_REQUIRE(!out[1 - which].contains(taken->socket));
      most[which] = std::max(most[which], out[which].size());
    } else if (!out[which].empty()) {
      const auto first = out[which].begin();
      connections.release(servers[which].address(), *first);
      out[which].erase(first);
    }
    BOOST_REQUIRE(made[which] == most[which]);
  }
  for (std::size_t which : {0U, 1U})
    for (const int socket : out[which]) connections.release(servers[which].address(), socket);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace shuffle_connections_test
}  // namespace heddle::work
