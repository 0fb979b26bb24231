// Goal: actors of two processes reach each other through the transport, know each other's process, and a forbidden
// frame ends its connection only.
// Method: two actor systems in one process; a transport over pairs of sockets, without encryption; a peer that the test
// plays byte by byte.
#include "runtime/net/peer_network.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "caf_compat/interface.hpp"
#include "runtime/net/frame_guard.hpp"
#include "runtime/net/peer_connector.hpp"
#include "runtime/system_settings.hpp"

namespace heddle {
struct PeerQuestion {
  std::int64_t number = 0;
};
HEDDLE_INSPECT(PeerQuestion, number)
struct PeerAnswer {
  std::int64_t number = 0;
  std::string asked_by;
};
HEDDLE_INSPECT(PeerAnswer, number, asked_by)
}  // namespace heddle

namespace heddle::runtime {
namespace peer_network_test {
namespace {

using namespace std::chrono_literals;
using Role = caf::typed_actor<caf::replies_to<PeerQuestion>::with<PeerAnswer>, caf::replies_to<int>::with<int>>;

class PlainStream final : public ports::SecureStream {
public:
  /// `buffered`: bytes that were read from the socket before.
  explicit PlainStream(int socket, std::string buffered = {}) : socket_{socket}, buffered_{std::move(buffered)} {}
  ~PlainStream() override {
    if (owns_) ::close(socket_);
  }
  ports::Transfer read(void* into, std::size_t size, std::size_t& got) override {
    if (!buffered_.empty()) {
      got = buffered_.copy(static_cast<char*>(into), size);
      buffered_.erase(0, got);
      return ports::Transfer::done;
    }
    return count(::recv(socket_, into, size, MSG_DONTWAIT), got);
  }
  ports::Transfer write(const void* from, std::size_t size, std::size_t& put) override {
    return count(::send(socket_, from, size, MSG_DONTWAIT | MSG_NOSIGNAL), put);
  }
  bool has_buffered() const override { return !buffered_.empty(); }
  int release_descriptor() override {
    owns_ = false;
    return socket_;
  }
  /// Reads until the text has arrived, or the other end has closed.
  bool receives(const std::string& text) {
    std::string all;
    while (all.find(text) == std::string::npos) {
      char bytes[1000];
      std::size_t got = 0;
      const auto transfer = read(bytes, sizeof bytes, got);
      if (transfer == ports::Transfer::closed) return false;
      all.append(bytes, got);
      pollfd polled{socket_, POLLIN, 0};
      if (transfer == ports::Transfer::blocked) BOOST_REQUIRE(::poll(&polled, 1, 20'000) == 1);
    }
    return true;
  }

private:
  static ports::Transfer count(ssize_t result, std::size_t& bytes) {
    bytes = result > 0 ? static_cast<std::size_t>(result) : 0;
    if (result > 0) return ports::Transfer::done;
    return result < 0 && errno == EAGAIN ? ports::Transfer::blocked : ports::Transfer::closed;
  }
  int socket_;
  std::string buffered_;
  bool owns_ = true;
};

/// Ports of all transports of a test, by address.
class Wire {
public:
  std::uint16_t listen(ports::Peer self, ports::SecureTransport::OnAccepted on_accepted) {
    const std::lock_guard lock{mutex_};
    listeners_[++last_] = {std::move(self), std::move(on_accepted)};
    return last_;
  }
  void close(std::uint16_t port) {
    const std::lock_guard lock{mutex_};
    listeners_.erase(port);
  }
  std::optional<ports::SecureConnection> connect(const ports::Peer& self, const std::string& address,
                                                 const std::string& came_with_hello = {}) {
    std::unique_lock lock{mutex_};
    const auto found = listeners_.find(static_cast<std::uint16_t>(std::stoi(address.substr(address.find(':') + 1))));
    if (found == listeners_.end()) return std::nullopt;
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return std::nullopt;
    ++connects;
    const auto listener = found->second;
    lock.unlock();
    listener.on_accepted({std::make_unique<PlainStream>(ends[1], came_with_hello), self});
    return ports::SecureConnection{std::make_unique<PlainStream>(ends[0]), listener.self};
  }
  int connects = 0;

private:
  struct Listener {
    ports::Peer self;
    ports::SecureTransport::OnAccepted on_accepted;
  };
  std::mutex mutex_;
  std::map<std::uint16_t, Listener> listeners_;
  std::uint16_t last_ = 0;
};

class PairTransport final : public ports::SecureTransport {
public:
  PairTransport(Wire& wire, ports::Peer self) : wire_{wire}, self_{std::move(self)} {}
  void connect(const std::string& address, OnConnected on_connected) override {
    auto made = wire_.connect(self_, address);
    if (made) on_connected(std::move(*made));
    else on_connected(Error{Errc::unreachable, "nobody listens at " + address});
  }
  Result<ports::ListeningPort> listen(std::uint16_t, bool, OnAccepted on_accepted) override {
    const auto port = wire_.listen(self_, std::move(on_accepted));
    ports_.push_back(port);
    return ports::ListeningPort{1000 + port, port, "wire:" + std::to_string(port)};
  }
  void stop() override {
    for (const auto port : ports_) wire_.close(port);
  }

private:
  Wire& wire_;
  ports::Peer self_;
  std::vector<std::uint16_t> ports_;
};

ports::Peer peer_of(const std::string& role, std::uint64_t incarnation) {
  return {"cluster", {1, "cluster", role, incarnation, incarnation}};
}

/// A process of a cluster.
struct Process {
  caf::actor_system_config config;
  std::unique_ptr<caf::actor_system> system;
  std::unique_ptr<PeerNetwork> network;
  Role role;

  Process(Wire& wire, const std::string& name, std::uint64_t incarnation) {
    SystemSettings settings;
    settings.scheduler_threads = 1;
    settings.has_network = true;
    settings.identity_high = settings.identity_low = incarnation;
    config.add_message_type<PeerQuestion>("heddle::PeerQuestion");
    config.add_message_type<PeerAnswer>("heddle::PeerAnswer");
    config.add_message_type<ConnectPeer>("heddle::ConnectPeer");
    config.add_message_type<RetryConnect>("heddle::RetryConnect");
    apply(config, settings);
    system = std::make_unique<caf::actor_system>(config);
    network = std::make_unique<PeerNetwork>(*system, std::make_unique<PairTransport>(wire, peer_of(name, incarnation)),
                                            PeerNetworkSettings{*identity_of(*system)});
    role = spawn();
  }
  ~Process() {
    caf::anon_send_exit(role, caf::exit_reason::user_shutdown);
    role = nullptr;
    network.reset();
  }
  [[nodiscard]] Role spawn() const {
    return system->spawn(
        [](Role::pointer self, const PeerNetwork* peers) -> Role::behavior_type {
          return {[self, peers](const PeerQuestion& question) {
                    const auto who = peers->who(self->current_sender());
                    return PeerAnswer{question.number + 1, who ? who->hello.role : "nobody"};
                  },
                  [](int number) { return number; }};
        },
        static_cast<const PeerNetwork*>(network.get()));
  }
  [[nodiscard]] std::string publish(const Role& actor) const {
    const auto address = network->publish(actor);
    BOOST_REQUIRE(address);
    return *address;
  }
  /// Empty if nobody answers there.
  [[nodiscard]] Role connect(const std::string& address) const {
    caf::scoped_actor self{*system};
    Role found;
    self->request(network->dialler(), 20s, caf::connect_atom::value, address)
        .receive([&](const caf::node_id&, const caf::strong_actor_ptr& actor,
                     const std::set<std::string>&) { found = caf::actor_cast<Role>(actor); },
                 [](const caf::error&) {});
    return found;
  }
  [[nodiscard]] std::optional<PeerAnswer> ask(const Role& peer, std::int64_t number) const {
    caf::scoped_actor self{*system};
    std::optional<PeerAnswer> answered;
    self->request(peer, 20s, PeerQuestion{number})
        .receive([&](const PeerAnswer& answer) { answered = answer; }, [](const caf::error&) {});
    return answered;
  }
  /// Sends a forbidden message, and returns whether the connection was lost.
  [[nodiscard]] bool loses(const Role& peer) const {
    caf::scoped_actor self{*system};
    self->monitor(peer);
    self->send(peer, 5);  // its interface has it, but heddle sends no bare numbers
    bool is_lost = false;
    self->receive([&](const caf::down_msg&) { is_lost = true; }, caf::after(20s) >> [] {});
    return is_lost;
  }
};

std::string number(std::uint64_t value, int width) {
  std::string bytes;
  for (int i = width - 1; i >= 0; --i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
  return bytes;
}

constexpr std::uint8_t client_handshake = 1, direct_message = 2, routed_message = 3;

std::string frame(std::uint8_t operation, std::uint64_t receiver, const std::string& payload) {
  const std::uint64_t sender = operation == client_handshake ? 0 : 40;
  return std::string{static_cast<char>(operation), '\0', '\0', '\0'} + number(payload.size(), 4) + number(0, 8) +
         number(sender, 8) + number(receiver, 8) + payload;
}

/// A client that the test plays: sends its handshake and these bytes.
std::unique_ptr<PlainStream> play_client(Wire& wire, const std::string& address, const std::string& bytes) {
  auto played = wire.connect(peer_of("client", 9), address);
  BOOST_REQUIRE(played.has_value());
  const auto sent = frame(client_handshake, 0, node_bytes(9, 9)) + bytes;
  std::size_t put = 0;
  BOOST_REQUIRE((played->stream->write(sent.data(), sent.size(), put) == ports::Transfer::done));
  return std::unique_ptr<PlainStream>{dynamic_cast<PlainStream*>(played->stream.release())};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(peer_network)

BOOST_AUTO_TEST_CASE(a_published_actor_answers_and_knows_who_asked) {
  Wire wire;
  const Process server{wire, "resource-manager", 1};
  const Process client{wire, "client", 2};
  const auto found = client.connect(server.publish(server.role));
  BOOST_REQUIRE(found);
  for (std::int64_t i = 0; i < 100; ++i) {
    const auto answer = client.ask(found, i);
    BOOST_REQUIRE(answer.has_value());
    BOOST_TEST(answer->number == i + 1);
    BOOST_TEST(answer->asked_by == "client");
  }
  const auto peer = client.network->who(caf::actor_cast<caf::strong_actor_ptr>(found));
  BOOST_REQUIRE(peer.has_value());
  BOOST_TEST(peer->hello.role == "resource-manager");
  BOOST_TEST(peer->key == "cluster");
  BOOST_TEST(!client.network->who(caf::actor_cast<caf::strong_actor_ptr>(client.role)).has_value());
  BOOST_TEST(!client.network->who(nullptr).has_value());
  BOOST_TEST(client.ask(client.role, 4)->asked_by == "nobody");
}

BOOST_AUTO_TEST_CASE(all_published_actors_of_a_process_are_reached_over_one_connection) {
  Wire wire;
  const Process server{wire, "resource-manager", 1};
  const Process client{wire, "client", 2};
  const auto second = server.spawn();
  const auto first_address = server.publish(server.role);
  const auto second_address = server.publish(second);
  const auto first_found = client.connect(first_address);
  BOOST_TEST((client.connect(first_address) == first_found));
  BOOST_TEST(wire.connects == 1);
  const auto second_found = client.connect(second_address);
  BOOST_REQUIRE(second_found);
  BOOST_TEST((second_found != first_found));
  BOOST_TEST(client.ask(second_found, 1).has_value());
  BOOST_TEST(client.ask(first_found, 1).has_value());
  caf::anon_send_exit(second, caf::exit_reason::user_shutdown);
}

BOOST_AUTO_TEST_CASE(an_address_without_a_process_is_an_error) {
  Wire wire;
  const Process client{wire, "client", 2};
  std::string address;
  {
    const Process server{wire, "resource-manager", 1};
    address = server.publish(server.role);
  }
  BOOST_TEST(!client.connect(address));
}

BOOST_AUTO_TEST_CASE(a_connector_tries_again_until_its_peer_listens_or_its_patience_ends) {
  Wire wire;
  const Process client{wire, "client", 2};
  const auto connector = spawn_peer_connector(*client.system, client.network->dialler(), 4, RandomStream{1});
  caf::scoped_actor self{*client.system};
  bool is_given_up = false;
  self->request(connector, 20s, ConnectPeer{"wire:1", 10})
      .receive([](const caf::strong_actor_ptr&) {}, [&](const caf::error&) { is_given_up = true; });
  BOOST_TEST(is_given_up);
  auto pending = self->request(connector, 20s, ConnectPeer{"wire:1", 20'000});
  const Process server{wire, "resource-manager", 1};
  BOOST_TEST(server.publish(server.role) == "wire:1");
  Role found;
  pending.receive([&](const caf::strong_actor_ptr& actor) { found = caf::actor_cast<Role>(actor); },
                  [](const caf::error&) {});
  BOOST_REQUIRE(found);
  BOOST_TEST(client.ask(found, 1).has_value());
  caf::anon_send_exit(connector, caf::exit_reason::user_shutdown);
}

BOOST_AUTO_TEST_CASE(a_message_of_a_foreign_type_ends_its_connection_only) {
  Wire wire;
  const Process server{wire, "resource-manager", 1};
  const Process client{wire, "client", 2};
  const Process other{wire, "node-manager", 3};
  const auto address = server.publish(server.role);
  const auto of_client = client.connect(address);
  const auto of_other = other.connect(address);
  BOOST_REQUIRE(of_client);
  BOOST_REQUIRE(of_other);
  BOOST_TEST(client.loses(of_client));
  BOOST_TEST(other.ask(of_other, 1).has_value());
}

BOOST_AUTO_TEST_CASE(whoever_knows_of_a_lost_connection_gets_a_new_one) {
  Wire wire;
  const Process server{wire, "resource-manager", 1};
  const Process client{wire, "client", 2};
  const auto address = server.publish(server.role);
  for (int round = 0; round < 100; ++round) {
    const auto found = client.connect(address);
    BOOST_REQUIRE(found);
    BOOST_REQUIRE(client.ask(found, round).has_value());
    BOOST_REQUIRE(client.loses(found));
  }
}

BOOST_AUTO_TEST_CASE(a_lost_connection_closes_its_descriptor) {
  Wire wire;
  const Process server{wire, "resource-manager", 1};
  const Process client{wire, "client", 2};
  const auto address = server.publish(server.role);
  const auto descriptors = [] {
    const std::filesystem::directory_iterator open{"/proc/self/fd"};
    return std::distance(begin(open), end(open));
  };
  const auto before = descriptors();
  for (int round = 0; round < 20; ++round) {
    const auto found = client.connect(address);
    BOOST_REQUIRE(found);
    BOOST_REQUIRE(client.ask(found, round).has_value());
    BOOST_REQUIRE(client.loses(found));
  }
  const auto until = std::chrono::steady_clock::now() + 20s;
  while (descriptors() > before && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  BOOST_TEST(descriptors() <= before);
}

BOOST_AUTO_TEST_CASE(a_peer_that_sends_a_forbidden_frame_is_cut_off) {
  Wire wire;
  const Process server{wire, "resource-manager", 1};
  const auto hidden = server.spawn();
  const auto address = server.publish(server.role);
  const std::string question = std::string(3, '\0') + "\x18@<>+heddle::PeerQuestion" + number(1, 8);
  // The same frame to the published actor is answered.
  BOOST_TEST(play_client(wire, address, frame(direct_message, server.role.id(), question))
                 ->receives("@<>+heddle::PeerAnswer"));
  for (const auto& bytes :
       {frame(direct_message, hidden.id(), question), frame(routed_message, server.role.id(), question),
        frame(7, server.role.id(), question), std::string(32, 'x')})
    BOOST_TEST(!play_client(wire, address, bytes)->receives("@<>+heddle::PeerAnswer"));
  caf::anon_send_exit(hidden, caf::exit_reason::user_shutdown);
}

BOOST_AUTO_TEST_CASE(frames_that_came_with_the_hello_are_read_at_once) {
  Wire wire;
  const Process server{wire, "resource-manager", 1};
  const auto address = server.publish(server.role);
  const std::string question = std::string(3, '\0') + "\x18@<>+heddle::PeerQuestion" + number(1, 8);
  auto played =
      wire.connect(peer_of("client", 9), address,
                   frame(client_handshake, 0, node_bytes(9, 9)) + frame(direct_message, server.role.id(), question));
  BOOST_REQUIRE(played.has_value());
  BOOST_TEST(dynamic_cast<PlainStream&>(*played->stream).receives("@<>+heddle::PeerAnswer"));
}

BOOST_AUTO_TEST_CASE(two_processes_with_one_node_id_are_not_both_accepted) {
  Wire wire;
  const Process server{wire, "resource-manager", 1};
  const Process client{wire, "client", 2};
  const auto address = server.publish(server.role);
  const auto found = client.connect(address);
  BOOST_REQUIRE(found);
  BOOST_TEST(client.ask(found, 1).has_value());
  auto impostor = wire.connect(peer_of("node-manager", 2), address);
  BOOST_TEST(!dynamic_cast<PlainStream&>(*impostor->stream).receives("nothing"));
  BOOST_TEST(client.ask(found, 2).has_value());
}

BOOST_AUTO_TEST_CASE(a_peer_with_the_node_id_of_this_process_is_refused) {
  Wire wire;
  const Process server{wire, "resource-manager", 1};
  const auto address = server.publish(server.role);
  auto impostor = wire.connect(peer_of("node-manager", 1), address);
  BOOST_TEST(!dynamic_cast<PlainStream&>(*impostor->stream).receives("nothing"));
  BOOST_TEST(server.ask(server.role, 4)->asked_by == "nobody");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace peer_network_test
}  // namespace heddle::runtime
