// Goal: only a process with the key, the protocol and the cluster gets a connection; silent, slow and plain peers cost
// nothing and are gone at the deadline.
// Method: transports of one process over loopback, and sockets of the test.
#include "work/transport/peer_transport.hpp"

#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <new>
#include <vector>

#include "tests/support/no_threads.hpp"
#include "work/transport/tls_socket.hpp"

namespace heddle::work {
namespace peer_transport_test {
namespace {

using namespace std::chrono_literals;

PeerTransportSettings settings_of(const std::string& role) {
  PeerTransportSettings settings;
  settings.key = {"cluster", "secret"};
  settings.hello = {1, "cluster", role, 1, role.size()};
  return settings;
}

std::unique_ptr<PeerTransport> start(const PeerTransportSettings& settings) {
  auto started = PeerTransport::start(settings);
  BOOST_REQUIRE(started);
  return std::move(*started);
}

/// Results of callbacks, which the test waits for.
template <class T>
class Arrivals {
public:
  void add(T one) {
    const std::lock_guard lock{mutex_};
    arrived_.push_back(std::move(one));
    changed_.notify_all();
  }
  std::optional<T> take(std::chrono::milliseconds patience = 20s) {
    std::unique_lock lock{mutex_};
    if (!changed_.wait_for(lock, patience, [this] { return !arrived_.empty(); })) return std::nullopt;
    std::optional<T> first{std::move(arrived_.front())};
    arrived_.pop_front();
    return first;
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<T> arrived_;
};

/// A transport that listens.
struct Server {
  Arrivals<ports::SecureConnection> accepted;
  std::unique_ptr<PeerTransport> transport;
  ports::ListeningPort port;
  explicit Server(const PeerTransportSettings& settings) : transport{start(settings)} {
    auto listening = transport->listen(0, false, [this](ports::SecureConnection one) { accepted.add(std::move(one)); });
    BOOST_REQUIRE(listening);
    port = *listening;
  }
};

Result<ports::SecureConnection> connect(PeerTransport& from, const std::string& address) {
  Arrivals<Result<ports::SecureConnection>> connected;
  from.connect(address, [&connected](Result<ports::SecureConnection> one) { connected.add(std::move(one)); });
  auto taken = connected.take();
  BOOST_REQUIRE(taken.has_value());
  return std::move(*taken);
}

int connect_plain(std::uint16_t port) {
  sockaddr_in there{};
  there.sin_family = AF_INET;
  there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  there.sin_port = htons(port);
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  BOOST_REQUIRE(::connect(socket, reinterpret_cast<const sockaddr*>(&there), sizeof there) == 0);
  return socket;
}

std::chrono::microseconds processor_time() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto sum = [](const timeval& time) {
    return std::chrono::seconds{time.tv_sec} + std::chrono::microseconds{time.tv_usec};
  };
  return sum(used.ru_utime) + sum(used.ru_stime);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(peer_transport)

BOOST_AUTO_TEST_CASE(both_ends_know_each_other_and_exchange_bytes) {
  Server server{settings_of("resource-manager")};
  const auto client = start(settings_of("client"));
  auto near = connect(*client, server.port.address);
  BOOST_REQUIRE(near);
  auto far = server.accepted.take();
  BOOST_REQUIRE(far.has_value());
  BOOST_TEST(near->peer.key == "cluster");
  BOOST_TEST(near->peer.hello.role == "resource-manager");
  BOOST_TEST(far->peer.key == "cluster");
  BOOST_TEST((far->peer.hello == settings_of("client").hello));
  std::size_t put = 0;
  BOOST_TEST((near->stream->write("abc", 3, put) == ports::Transfer::done));
  std::string got(3, '\0');
  std::size_t size = 0;
  const auto& end = dynamic_cast<const TlsStream&>(*far->stream);
  while (far->stream->read(got.data(), got.size(), size) == ports::Transfer::blocked)
    BOOST_REQUIRE(wait_for_socket(end.descriptor(), POLLIN, {20'000}) == 0);
  BOOST_TEST(got == "abc");
  near->stream.reset();
  BOOST_TEST(wait_for_socket(end.descriptor(), POLLIN, {20'000}) == 0);
  BOOST_TEST((far->stream->read(got.data(), got.size(), size) == ports::Transfer::closed));
}

BOOST_AUTO_TEST_CASE(other_keys_protocols_and_clusters_are_refused_at_both_ends) {
  Server server{settings_of("resource-manager")};
  auto other = settings_of("client");
  other.key.secret = "guessed";
  BOOST_TEST(!connect(*start(other), server.port.address));
  other = settings_of("client");
  other.key.name = "unknown";
  BOOST_TEST(!connect(*start(other), server.port.address));
  other = settings_of("client");
  other.hello.protocol = 2;
  const auto refused = connect(*start(other), server.port.address);
  BOOST_REQUIRE(!refused);
  BOOST_TEST(refused.error().text.find("it speaks protocol 1 and this process protocol 2") != std::string::npos,
             refused.error().text);
  other = settings_of("client");
  other.hello.cluster = "another";
  BOOST_TEST(!connect(*start(other), server.port.address));
  BOOST_TEST(!server.accepted.take(50ms).has_value());
}

BOOST_AUTO_TEST_CASE(addresses_that_nobody_serves_are_unreachable) {
  const auto client = start(settings_of("client"));
  std::string address;
  { address = Server{settings_of("node-manager")}.port.address; }
  BOOST_TEST((connect(*client, address).error().code == Errc::unreachable));
  BOOST_TEST((connect(*client, "no port").error().code == Errc::usage));
}

BOOST_AUTO_TEST_CASE(an_exception_of_a_callback_ends_only_its_connection) {
  Server server{settings_of("resource-manager")};
  const auto client = start(settings_of("client"));
  client->connect(server.port.address, [](const auto&) { throw std::bad_alloc{}; });
  BOOST_TEST(server.accepted.take().has_value());
  BOOST_TEST(connect(*client, server.port.address).has_value());
}

BOOST_AUTO_TEST_CASE(an_exception_of_a_listener_ends_only_its_connection) {
  Arrivals<ports::SecureConnection> accepted;
  bool is_first = true;
  const auto server = start(settings_of("resource-manager"));
  const auto listening = server->listen(0, false, [&](ports::SecureConnection one) {
    if (std::exchange(is_first, false)) throw std::bad_alloc{};
    accepted.add(std::move(one));
  });
  BOOST_REQUIRE(listening);
  const auto client = start(settings_of("client"));
  static_cast<void>(connect(*client, listening->address));
  BOOST_TEST(connect(*client, listening->address).has_value());
  BOOST_TEST(accepted.take().has_value());
}

BOOST_AUTO_TEST_CASE(a_look_up_without_a_thread_ends_only_its_connection) {
  Server server{settings_of("resource-manager")};
  auto settings = settings_of("client");
  settings.handshake_timeout_ms = 100;
  const auto client = start(settings);
  const auto by_name = "localhost:" + std::to_string(server.port.port);
  {
    const tests::NoThreads none;
    BOOST_TEST((connect(*client, by_name).error().code == Errc::timed_out));
  }
  BOOST_TEST(connect(*client, server.port.address).has_value());
}

BOOST_AUTO_TEST_CASE(an_address_in_numbers_needs_no_look_up_of_names) {
  Server server{settings_of("resource-manager")};
  const auto client = start(settings_of("client"));
  const tests::NoThreads none;  // a look-up needs one
  BOOST_TEST(connect(*client, server.port.address).has_value());
}

BOOST_AUTO_TEST_CASE(a_silent_server_is_given_up_at_the_deadline) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof here;
  BOOST_REQUIRE(::bind(listener, reinterpret_cast<sockaddr*>(&here), size) == 0);
  BOOST_REQUIRE(::listen(listener, 8) == 0);
  BOOST_REQUIRE(::getsockname(listener, reinterpret_cast<sockaddr*>(&here), &size) == 0);
  auto settings = settings_of("client");
  settings.handshake_timeout_ms = 100;
  const auto client = start(settings);
  const auto given_up = connect(*client, "127.0.0.1:" + std::to_string(ntohs(here.sin_port)));
  BOOST_TEST((given_up.error().code == Errc::timed_out));
  ::close(listener);
}

// A third says nothing, a third sends the beginning of a handshake byte by byte, a third sends frames of CAF in clear.
BOOST_AUTO_TEST_CASE(a_hundred_strangers_cost_nothing_and_are_gone_at_the_deadline) {
  auto settings = settings_of("resource-manager");
  settings.handshake_timeout_ms = 1'000;
  Server server{settings};
  const auto client = start(settings_of("client"));
  std::vector<int> strangers;
  for (int i = 0; i < 100; ++i) strangers.push_back(connect_plain(server.port.port));
  const auto before = processor_time();
  const auto begin = std::chrono::steady_clock::now();
  const std::string hello_of_tls{"\x16\x03\x01\x02", 4};
  const std::string frame(32, '\x01');
  for (std::size_t i = 0; i < strangers.size(); ++i) {
    if (i % 3 == 1) static_cast<void>(::send(strangers[i], hello_of_tls.data(), 1 + i % 4, MSG_NOSIGNAL));
    if (i % 3 == 2) static_cast<void>(::send(strangers[i], frame.data(), frame.size(), MSG_NOSIGNAL));
  }
  BOOST_TEST(connect(*client, server.port.address).has_value());  // an honest peer does not wait for them
  for (const int stranger : strangers) {
    BOOST_TEST(wait_for_socket(stranger, POLLIN, {20'000}) == 0);
    char byte = 0;
    while (::recv(stranger, &byte, 1, 0) > 0) continue;  // an alert of TLS
    ::close(stranger);
  }
  BOOST_TEST((std::chrono::steady_clock::now() - begin < 10s));
  BOOST_TEST((processor_time() - before < 500ms));
}

BOOST_AUTO_TEST_CASE(the_oldest_handshake_makes_room_for_a_new_one) {
  auto settings = settings_of("resource-manager");
  settings.handshakes_max = 2;
  settings.handshake_timeout_ms = 60'000;
  Server server{settings};
  const int oldest = connect_plain(server.port.port);
  const int second = connect_plain(server.port.port);
  const auto client = start(settings_of("client"));
  BOOST_TEST(connect(*client, server.port.address).has_value());
  BOOST_TEST(wait_for_socket(oldest, POLLIN, {20'000}) == 0);
  BOOST_TEST(wait_for_socket(second, POLLIN, {0}) != 0);
  ::close(oldest);
  ::close(second);
}

BOOST_AUTO_TEST_CASE(a_transport_listens_in_its_range_and_says_where_others_find_it) {
  auto settings = settings_of("client");
  settings.advertised_host = "some.host";
  const auto any = start(settings);
  const auto first = any->listen(0, false, [](const ports::SecureConnection&) {});
  BOOST_REQUIRE(first);
  BOOST_TEST(first->address == "some.host:" + std::to_string(first->port));
  settings.first_port = first->port;  // in use
  settings.ports = 1;
  BOOST_TEST((start(settings)->listen(0, false, [](const ports::SecureConnection&) {}).error().code == Errc::io));
  settings.ports = 50;
  const auto within = start(settings);
  const auto second = within->listen(0, false, [](const ports::SecureConnection&) {});
  BOOST_REQUIRE(second);
  BOOST_TEST(second->port > first->port);
  BOOST_TEST(second->port < first->port + 50);
  settings.bind_address = "0.0.0.0";
  settings.advertised_host.clear();
  BOOST_TEST((start(settings)->listen(0, false, [](const ports::SecureConnection&) {}).error().code == Errc::usage));
  settings.bind_address = "no address";
  BOOST_TEST((start(settings)->listen(0, false, [](const ports::SecureConnection&) {}).error().code == Errc::usage));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace peer_transport_test
}  // namespace heddle::work
