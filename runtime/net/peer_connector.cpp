// Retries with growing pauses until the patience of the caller is over: the first attempt may fail because the peer
// does not listen yet, or because CAF drops a connection before its handshake. The pauses are random, so that the peers
// of a lost process do not connect to its successor all at once.
#include "runtime/net/peer_connector.hpp"

#include <algorithm>
#include <caf/actor_clock.hpp>
#include <caf/actor_system.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <chrono>
#include <map>
#include <set>
#include <string>

#include "runtime/timers.hpp"

namespace heddle::runtime {
namespace {

using namespace std::chrono_literals;

using Promise = caf::typed_response_promise<caf::strong_actor_ptr>;

/// A connect in progress; no attempt begins after `deadline`.
struct Connect {
  std::string address;
  caf::actor_clock::time_point deadline;
  std::int64_t pause_ms = 0;
  Promise promise;
};

struct ConnectorState {
  static constexpr const char* name = "peer_connector";
  caf::actor dialler;
  RandomStream random{0};
  std::map<std::int64_t, Connect> connects;
  std::int64_t last_number = 0;
};

using Self = PeerConnectorActor::stateful_pointer<ConnectorState>;

void finish(Self self, std::int64_t number, caf::strong_actor_ptr handle) {
  self->state.connects.at(number).promise.deliver(std::move(handle));
  self->state.connects.erase(number);
}

void try_later(Self self, std::int64_t number, const caf::error& fault) {
  auto& connect = self->state.connects.at(number);
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(connect.deadline - self->clock().now());
  if (left.count() <= 0) {
    connect.promise.deliver(fault);
    self->state.connects.erase(number);
    return;
  }
  const auto pause_ms = std::min<std::int64_t>(
      connect.pause_ms / 2 +
          static_cast<std::int64_t>(self->state.random.below(static_cast<std::uint64_t>(connect.pause_ms) + 1)),
      left.count());
  send_later(self, std::chrono::milliseconds{pause_ms}, RetryConnect{number});
  connect.pause_ms = std::min<std::int64_t>(connect.pause_ms * 2, 500);
}

void try_once(Self self, std::int64_t number) {
  const auto& connect = self->state.connects.at(number);
  self->request(self->state.dialler, 10s, caf::connect_atom::value, connect.address)
      .then(
          [self, number](const caf::node_id&, caf::strong_actor_ptr& handle, const std::set<std::string>&) {
            if (handle) finish(self, number, std::move(handle));
            else try_later(self, number, caf::make_error(caf::sec::no_actor_published_at_port));
          },
          [self, number](caf::error& fault) { try_later(self, number, fault); });
}

caf::result<caf::strong_actor_ptr> on_connect_peer(Self self, const ConnectPeer& message, std::int64_t pause_ms) {
  if (message.address.find(':') == std::string::npos)
    return caf::make_error(caf::sec::invalid_argument, message.address);
  auto promise = self->make_response_promise<Promise>();
  const auto number = ++self->state.last_number;
  const auto deadline = self->clock().now() + std::chrono::milliseconds{message.patience_ms};
  self->state.connects.emplace(number, Connect{message.address, deadline, pause_ms, promise});
  try_once(self, number);
  return promise;
}

PeerConnectorActor::behavior_type peer_connector(Self self, const caf::actor& dialler, std::int64_t pause_ms,
                                                 RandomStream random) {
  self->state.dialler = dialler;
  self->state.random = random;
  return {
      [self, pause_ms](const ConnectPeer& message) { return on_connect_peer(self, message, pause_ms); },
      [self](const RetryConnect& message) {
        if (self->state.connects.count(message.connect) != 0) try_once(self, message.connect);
      },
  };
}

}  // namespace

PeerConnectorActor spawn_peer_connector(caf::actor_system& system, const caf::actor& dialler,
                                        std::int64_t first_pause_ms, RandomStream random) {
  return system.spawn(peer_connector, dialler, first_pause_ms, random);
}

}  // namespace heddle::runtime
