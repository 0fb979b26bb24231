// Threads: the transport connects, accepts and handshakes on its own thread, and posts each connection to CAF's
// multiplexer. A scribe and its guard live on the multiplexer's thread only.
#include "runtime/net/peer_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <caf/event_based_actor.hpp>
#include <caf/io/basp_broker.hpp>
#include <caf/io/middleman.hpp>
#include <caf/io/network/default_multiplexer.hpp>
#include <caf/io/network/stream_impl.hpp>
#include <caf/node_id.hpp>
#include <caf/send.hpp>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "ports/standard_error.hpp"
#include "runtime/net/frame_guard.hpp"
#include "runtime/net/node_identity.hpp"

namespace heddle::runtime {
namespace {

using Multiplexer = caf::io::network::default_multiplexer;
using caf::io::network::native_socket;
using caf::io::network::rw_state;

constexpr std::size_t written_in_turn_max = 1 << 20;  // then other connections have their turn

/// A process with at least one connection to this one.
struct PeerProcess {
  ports::Peer peer;
  ActorNumbers shown;
  int connections = 0;
};

/// Multiplexer thread and actors.
class PeerTable {
public:
  explicit PeerTable(const NodeIdentity& own) : own_{node_id_of(own)} {}

  /// nullptr if another peer, or this process, has the same node id.
  std::shared_ptr<PeerProcess> enter(const ports::Peer& peer) {
    const std::lock_guard lock{mutex_};
    const auto node = node_id_of({peer.hello.incarnation_high, peer.hello.incarnation_low});
    if (node == own_) return nullptr;
    auto& row = processes_[node];
    if (!row) row = std::make_shared<PeerProcess>();
    else if (row->peer.key != peer.key || row->peer.hello != peer.hello) return nullptr;
    row->peer = peer;
    ++row->connections;
    return row;
  }
  void leave(const PeerProcess& process) {
    const std::lock_guard lock{mutex_};
    const auto& hello = process.peer.hello;
    const auto row = processes_.find(node_id_of({hello.incarnation_high, hello.incarnation_low}));
    if (row != processes_.end() && --row->second->connections == 0) processes_.erase(row);
  }
  std::optional<ports::Peer> find(const caf::node_id& node) const {
    const std::lock_guard lock{mutex_};
    const auto row = processes_.find(node);
    return row == processes_.end() ? std::nullopt : std::optional{row->second->peer};
  }

private:
  caf::node_id own_;
  mutable std::mutex mutex_;
  std::map<caf::node_id, std::shared_ptr<PeerProcess>> processes_;
};

}  // namespace

struct PeerNetworkState {
  PeerNetworkSettings settings;
  Multiplexer& multiplexer;
  caf::actor broker;
  ActorNumbers published;
  PeerTable peers;
  std::atomic<std::int64_t> last_connection{0};

  PeerNetworkState(caf::actor_system& system, const PeerNetworkSettings& given)
      : settings{given},
        multiplexer{static_cast<Multiplexer&>(system.middleman().backend())},
        broker{system.middleman().named_broker<caf::io::basp_broker>(caf::atom("BASP"))},
        peers{given.identity} {}

  /// CAF cleans up after a connection some time after its descriptor is closed. A descriptor that the next connection
  /// reuses must therefore not be its handle too.
  caf::io::connection_handle next_handle() { return caf::io::connection_handle::from_int(++last_connection); }

  /// Runs a function on the multiplexer's thread, after the functions that this thread itself has posted so far.
  template <class Function>
  void post_last(Function function) {
    multiplexer.post([here = &multiplexer, function = std::move(function)] { here->post(function); });
  }
};

namespace {

/// How a stream of CAF reads and writes: through TLS and the guard.
class GuardedStream {
public:
  GuardedStream(std::shared_ptr<PeerNetworkState> shared, std::shared_ptr<PeerProcess> process,
                std::unique_ptr<ports::SecureStream> stream, bool is_server)
      : shared_{std::move(shared)},
        process_{std::move(process)},
        stream_{std::move(stream)},
        guard_{rules(is_server), shared_->published, process_->shown} {}
  GuardedStream(GuardedStream&&) = default;
  ~GuardedStream() {
    if (process_) shared_->peers.leave(*process_);
  }

  rw_state read_some(std::size_t& got, native_socket, void* into, std::size_t size) {
    got = 0;
    while (size > 0) {
      if (ready_ > 0) {
        got = std::min(ready_, size);
        std::memcpy(into, inbox_.data() + begin_, got);
        consume(got);
        ready_ -= got;
        return rw_state::success;
      }
      if (begin_ == end_ && guard_.passing() > 0) return read_payload(got, into, size);
      const auto decision = guard_.decide({inbox_.data() + begin_, end_ - begin_});
      switch (decision.action) {
        case FrameGuard::Action::pass: ready_ = decision.bytes; break;
        case FrameGuard::Action::swallow: consume(decision.bytes); break;
        case FrameGuard::Action::refuse: return refuse(decision.why);
        case FrameGuard::Action::wait:
          if (const auto filled = fill(decision.bytes); filled != ports::Transfer::done) return state_of(filled);
          break;
      }
    }
    return rw_state::success;
  }

  rw_state write_some(std::size_t& put, native_socket, const void* from, std::size_t size) {
    put = 0;
    const auto written = stream_->write(from, std::min(size, written_in_turn_max), put);
    guard_.follow_outgoing({static_cast<const char*>(from), put});
    return written == ports::Transfer::closed ? rw_state::failure : rw_state::success;
  }

  bool must_read_more(native_socket, std::size_t) { return has_buffered(); }
  [[nodiscard]] bool has_buffered() const { return begin_ != end_ || stream_->has_buffered(); }

private:
  [[nodiscard]] GuardRules rules(bool is_server) const {
    const auto& own = shared_->settings;
    const auto& hello = process_->peer.hello;
    return {is_server, node_bytes(own.identity.high, own.identity.low),
            node_bytes(hello.incarnation_high, hello.incarnation_low), own.frame_bytes_max};
  }
  static rw_state state_of(ports::Transfer transfer) {
    return transfer == ports::Transfer::closed ? rw_state::failure : rw_state::success;
  }
  /// The rest of a long payload goes to CAF's buffer without a copy.
  rw_state read_payload(std::size_t& got, void* into, std::size_t size) {
    const auto transfer = read(into, std::min(size, guard_.passing()), got);
    guard_.pass(got);
    return state_of(transfer);
  }
  /// CAF reads until it gets nothing. If the stream has no further bytes then, this saves a system call: whatever
  /// arrives meanwhile is shown by the next wait.
  ports::Transfer read(void* into, std::size_t size, std::size_t& got) {
    got = 0;
    if (std::exchange(is_drained_, false)) return ports::Transfer::blocked;
    const auto transfer = stream_->read(into, size, got);
    is_drained_ = transfer == ports::Transfer::done && !stream_->has_buffered();
    return transfer;
  }
  /// Reads once, with room for `wanted` undecided bytes.
  ports::Transfer fill(std::size_t wanted) {
    if (begin_ == end_) begin_ = end_ = 0;
    if (inbox_.size() - begin_ < wanted) {
      if (begin_ != end_) std::memmove(inbox_.data(), inbox_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
      if (inbox_.size() < std::max(wanted, inbox_bytes)) inbox_.resize(std::max(wanted, inbox_bytes));
    }
    std::size_t got = 0;
    const auto transfer = read(inbox_.data() + end_, inbox_.size() - end_, got);
    end_ += got;
    return transfer;
  }
  void consume(std::size_t bytes) { begin_ += bytes; }
  rw_state refuse(const char* why) {
    const auto& hello = process_->peer.hello;
    ports::write_error_line(fmt::format("closed the connection to the {} of key {}, because it sent {}", hello.role,
                                        process_->peer.key, why));
    return rw_state::failure;
  }

  static constexpr std::size_t inbox_bytes = 16 << 10;

  std::shared_ptr<PeerNetworkState> shared_;
  std::shared_ptr<PeerProcess> process_;
  std::unique_ptr<ports::SecureStream> stream_;
  FrameGuard guard_;
  std::vector<char> inbox_;
  std::size_t begin_ = 0;  // of the bytes in the inbox
  std::size_t end_ = 0;
  std::size_t ready_ = 0;  // bytes from begin_ that the guard passed
  bool is_drained_ = false;
};

/// A stream of CAF that can read and write without waiting for its descriptor.
class PeerStream final : public caf::io::network::stream_impl<GuardedStream> {
public:
  using stream_impl::stream_impl;
  /// CAF waits until the descriptor is writable before it writes: two calls of epoll_ctl and one of epoll_wait for each
  /// message, although there nearly always is room. This writes at once, and waits only with what does not fit.
  void flush_now(const manager_ptr& manager) {
    if (wr_buf().empty() || state_.writing) return;
    flush(manager);
    if (manager->detached()) return;  // the connection ends, and CAF sends what is left
    handle_event(caf::io::network::operation::write);
    // The multiplexer drops a subscription that ends before it begins and does not notify the stream, which would keep
    // its manager, and thereby itself, forever.
    const bool is_done = !state_.writing || manager->detached();
    if (is_done && (eventbf() & caf::io::network::output_mask) == 0)
      removed_from_loop(caf::io::network::operation::write);
  }
  void read_now() {
    if (!is_removed_) handle_event(caf::io::network::operation::read);
  }
  void removed_from_loop(caf::io::network::operation operation) override {
    is_removed_ |= operation == caf::io::network::operation::read;
    stream_impl::removed_from_loop(operation);
  }

private:
  bool is_removed_ = false;  // it cannot be read any more
};

/// A connection, as CAF's broker sees it.
class PeerScribe final : public caf::io::scribe {
public:
  PeerScribe(Multiplexer& multiplexer, caf::io::connection_handle handle, native_socket socket, GuardedStream stream,
             std::string address)
      : scribe{handle},
        has_buffered_{stream.has_buffered()},
        stream_{multiplexer, socket, std::move(stream)},
        address_{std::move(address)} {}

  void configure_read(caf::io::receive_policy::config config) override {
    stream_.configure_read(config);
    if (std::exchange(is_launched_, true)) return;
    stream_.start(this);
    // The peer's first frame may have come with its hello: the descriptor does not show it, and the peer may wait.
    if (has_buffered_)
      stream_.backend().post([self = caf::intrusive_ptr<PeerScribe>{this}] { self->stream_.read_now(); });
  }
  void ack_writes(bool enable) override { stream_.ack_writes(enable); }
  std::vector<char>& wr_buf() override { return stream_.wr_buf(); }
  std::vector<char>& rd_buf() override { return stream_.rd_buf(); }
  /// After the messages that wait for this thread: those for the same peer then share one system call and one record.
  void flush() override {
    if (std::exchange(is_flush_posted_, true)) return;
    stream_.backend().post([self = caf::intrusive_ptr<PeerScribe>{this}] { self->flush_now(); });
  }
  /// CAF writes what is left: a write that failed here would end a broker that is ending.
  void graceful_shutdown() override {
    stream_.flush(this);
    stream_.graceful_shutdown();
    detach(&stream_.backend(), false);
  }
  std::string addr() const override { return address_; }
  std::uint16_t port() const override { return 0; }
  void add_to_loop() override { stream_.activate(this); }
  void remove_from_loop() override { stream_.passivate(); }

private:
  void flush_now() {
    is_flush_posted_ = false;
    stream_.flush_now(this);
  }

  bool has_buffered_;  // at the start
  PeerStream stream_;
  std::string address_;
  bool is_launched_ = false;
  bool is_flush_posted_ = false;
};

/// A published port, as CAF's broker sees it. The transport accepts.
class PeerDoorman final : public caf::io::doorman {
public:
  PeerDoorman(Multiplexer& multiplexer, const ports::ListeningPort& port)
      : doorman{caf::io::network::accept_hdl_from_socket(port.descriptor)}, multiplexer_{multiplexer}, port_{port} {}

  void add_connection(caf::io::scribe_ptr scribe) {
    if (parent() == nullptr) return;  // unpublished, or not yet published: the peer connects again
    const auto handle = scribe->hdl();
    parent()->add_scribe(std::move(scribe));
    doorman::new_connection(&multiplexer_, handle);
  }
  bool new_connection() override { return false; }
  void launch() override {}
  void graceful_shutdown() override { detach(&multiplexer_, false); }
  std::string addr() const override { return port_.address; }
  std::uint16_t port() const override { return port_.port; }
  void add_to_loop() override {}
  void remove_from_loop() override {}

private:
  Multiplexer& multiplexer_;
  ports::ListeningPort port_;
};

/// Empty if another process has the node id of this peer.
caf::io::scribe_ptr make_scribe(const std::shared_ptr<PeerNetworkState>& shared, ports::SecureConnection connection,
                                bool is_server, const std::string& address) {
  auto process = shared->peers.enter(connection.peer);
  if (!process) return nullptr;
  const int socket = connection.stream->release_descriptor();
  return caf::make_counted<PeerScribe>(
      shared->multiplexer, shared->next_handle(), socket,
      GuardedStream{shared, std::move(process), std::move(connection.stream), is_server}, address);
}

// -- the dialler --------------------------------------------------------------------------------------------------

/// What CAF's broker says about a published actor.
struct Endpoint {
  caf::node_id node;
  caf::strong_actor_ptr actor;
  std::set<std::string> interface;
};

struct DiallerState {
  static constexpr const char* name = "peer_dialler";
  std::map<std::string, std::vector<caf::response_promise>> dials;  // by address
  std::map<std::string, Endpoint> known;                            // the connection is open and the actor lives
};

class Dialler {
public:
  using Self = caf::stateful_actor<DiallerState>;
  Dialler(Self* self, std::shared_ptr<PeerNetworkState> shared, std::shared_ptr<ports::SecureTransport> transport)
      : self_{self}, shared_{std::move(shared)}, transport_{std::move(transport)} {}

  void dial(const std::string& address) const {
    auto promise = self_->make_response_promise();
    // The caller may have got the loss of the connection before this actor: such an actor is not the answer any more.
    if (const auto known = self_->state.known.find(address);
        known != self_->state.known.end() && !is_lost(known->second.actor))
      return promise.deliver(known->second.node, known->second.actor, known->second.interface);
    auto& waiting = self_->state.dials[address];
    waiting.push_back(std::move(promise));
    if (waiting.size() > 1) return;
    const auto me = caf::actor_cast<caf::actor>(self_);
    transport_->connect(address, [me, shared = shared_, address](Result<ports::SecureConnection> connected) {
      if (!connected)
        return caf::anon_send(me, address, caf::make_error(caf::sec::cannot_connect_to_node, connected.error().text));
      auto scribe = make_scribe(shared, std::move(*connected), false, address);
      if (!scribe)
        return caf::anon_send(
            me, address,
            caf::make_error(caf::sec::cannot_connect_to_node, address + " has the node id of another process"));
      // The end of an earlier connection removes its proxies once more, by node and id, in functions of this thread.
      // They must not find the proxies of this connection.
      shared->post_last([me, address, scribe] { caf::anon_send(me, address, scribe); });
    });
  }
  /// The connection is authenticated: CAF's own handshake follows.
  void greet(const std::string& address, caf::io::scribe_ptr& scribe) const {
    self_->request(shared_->broker, greet_patience, caf::connect_atom::value, std::move(scribe), std::uint16_t{0})
        .then(
            [*this, address](caf::node_id& node, caf::strong_actor_ptr& actor, std::set<std::string>& interface) {
              if (actor) {
                self_->monitor(actor);
                self_->state.known[address] = {node, actor, interface};
              }
              for (auto& promise : take(address)) promise.deliver(node, actor, interface);
            },
            [*this, address](const caf::error& why) { fail(address, why); });
  }
  void fail(const std::string& address, const caf::error& why) const {
    for (auto& promise : take(address)) promise.deliver(why);
  }
  void forget(const caf::actor_addr& actor) const {
    auto& known = self_->state.known;
    for (auto row = known.begin(); row != known.end();)
      row = row->second.actor == actor && is_lost(row->second.actor) ? known.erase(row) : std::next(row);
  }

private:
  static constexpr std::chrono::seconds greet_patience{5};

  [[nodiscard]] static bool is_lost(const caf::strong_actor_ptr& actor) {
    return actor->get()->getf(caf::abstract_actor::is_terminated_flag);
  }
  [[nodiscard]] std::vector<caf::response_promise> take(const std::string& address) const {
    const auto dial = self_->state.dials.find(address);
    if (dial == self_->state.dials.end()) return {};
    auto promises = std::move(dial->second);
    self_->state.dials.erase(dial);
    return promises;
  }

  Self* self_;
  std::shared_ptr<PeerNetworkState> shared_;
  std::shared_ptr<ports::SecureTransport> transport_;
};

caf::behavior dial_peers(Dialler::Self* self, std::shared_ptr<PeerNetworkState> shared,
                         std::shared_ptr<ports::SecureTransport> transport) {
  const Dialler dialler{self, std::move(shared), std::move(transport)};
  self->set_down_handler([dialler](const caf::down_msg& down) { dialler.forget(down.source); });
  return {
      [dialler](caf::connect_atom, const std::string& address)
          -> caf::delegated<caf::node_id, caf::strong_actor_ptr, std::set<std::string>> {
        dialler.dial(address);
        return {};
      },
      [dialler](const std::string& address, caf::io::scribe_ptr& scribe) { dialler.greet(address, scribe); },
      [dialler](const std::string& address, const caf::error& why) { dialler.fail(address, why); },
  };
}

}  // namespace

PeerNetwork::PeerNetwork(caf::actor_system& system, std::unique_ptr<ports::SecureTransport> transport,
                         const PeerNetworkSettings& settings)
    : system_{system},
      state_{std::make_shared<PeerNetworkState>(system, settings)},
      transport_{std::move(transport)},
      dialler_{system.spawn(dial_peers, state_, transport_)} {}

PeerNetwork::~PeerNetwork() {
  for (const auto port : ports_) caf::anon_send(state_->broker, caf::close_atom::value, port);
  caf::anon_send_exit(dialler_, caf::exit_reason::user_shutdown);
  transport_->stop();
}

Result<std::string> PeerNetwork::publish(caf::strong_actor_ptr actor, std::set<std::string> interface,
                                         std::uint16_t port, bool is_reusable) {
  const auto doorman = std::make_shared<caf::intrusive_ptr<PeerDoorman>>();
  auto listening = transport_->listen(port, is_reusable, [state = state_, doorman](ports::SecureConnection accepted) {
    auto connection = std::make_shared<ports::SecureConnection>(std::move(accepted));
    state->multiplexer.post([state, doorman, connection] {
      if (!*doorman) return;
      const auto address = (*doorman)->addr();
      if (auto scribe = make_scribe(state, std::move(*connection), true, address))
        (*doorman)->add_connection(std::move(scribe));
    });
  });
  if (!listening) return listening.error();
  ports_.push_back(listening->port);
  state_->published.insert(actor->id());
  auto made = caf::make_counted<PeerDoorman>(state_->multiplexer, *listening);
  state_->multiplexer.post([doorman, made] { *doorman = made; });
  caf::anon_send(state_->broker, caf::publish_atom::value, caf::io::doorman_ptr{made}, listening->port,
                 std::move(actor), std::move(interface));
  return listening->address;
}

std::optional<ports::Peer> PeerNetwork::who(const caf::strong_actor_ptr& sender) const {
  return sender ? state_->peers.find(sender->node()) : std::nullopt;
}

}  // namespace heddle::runtime
