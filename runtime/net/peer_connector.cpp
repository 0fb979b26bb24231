// Connects through the CAF middleman. Retries with growing pauses (up to 500 ms) until the time of the caller is over:
// the first attempt may fail because the peer does not listen yet, or because CAF drops a connection before its
// handshake.
#include "runtime/net/peer_connector.hpp"

#include <algorithm>
#include <caf/actor_system.hpp>
#include <caf/io/middleman.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <cstdlib>
#include <map>
#include <set>
#include <string>

#include "runtime/timers.hpp"

namespace heddle::runtime {
namespace {

using namespace std::chrono_literals;

using Promise = caf::typed_response_promise<caf::strong_actor_ptr>;

/// A connect in progress; `patience_ms`: time that is left for retries.
struct Connect {
  std::string host;
  std::uint16_t port = 0;
  std::int64_t patience_ms = 0;
  std::int64_t pause_ms = 0;
  Promise promise;
};

struct ConnectorState {
  static constexpr const char* name = "peer_connector";
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
  if (connect.patience_ms <= 0) {
    connect.promise.deliver(fault);
    self->state.connects.erase(number);
    return;
  }
  send_later(self, std::chrono::milliseconds{connect.pause_ms}, RetryConnect{number});
  connect.patience_ms -= connect.pause_ms;
  connect.pause_ms = std::min<std::int64_t>(connect.pause_ms * 2, 500);
}

void try_once(Self self, std::int64_t number) {
  const auto& connect = self->state.connects.at(number);
  self->request(self->system().middleman().actor_handle(), 5s, caf::connect_atom::value, connect.host, connect.port)
      .then(
          [self, number](const caf::node_id&, caf::strong_actor_ptr& handle, const std::set<std::string>&) {
            if (handle) finish(self, number, std::move(handle));
            else try_later(self, number, caf::make_error(caf::sec::no_actor_published_at_port));
          },
          [self, number](caf::error& fault) { try_later(self, number, fault); });
}

caf::result<caf::strong_actor_ptr> on_connect_peer(Self self, const ConnectPeer& message, std::int64_t pause_ms) {
  const auto colon = message.address.rfind(':');
  if (colon == std::string::npos) return caf::make_error(caf::sec::invalid_argument, message.address);
  const auto port = static_cast<std::uint16_t>(std::strtoul(message.address.c_str() + colon + 1, nullptr, 10));
  auto promise = self->make_response_promise<Promise>();
  const auto number = ++self->state.last_number;
  self->state.connects.emplace(number,
                               Connect{message.address.substr(0, colon), port, message.patience_ms, pause_ms, promise});
  try_once(self, number);
  return promise;
}

PeerConnectorActor::behavior_type peer_connector(Self self, std::int64_t pause_ms) {
  return {
      [self, pause_ms](const ConnectPeer& message) { return on_connect_peer(self, message, pause_ms); },
      [self](const RetryConnect& message) {
        if (self->state.connects.count(message.connect) != 0) try_once(self, message.connect);
      },
  };
}

}  // namespace

PeerConnectorActor spawn_peer_connector(caf::actor_system& system, std::int64_t first_pause_ms) {
  return system.spawn(peer_connector, first_pause_ms);
}

}  // namespace heddle::runtime
