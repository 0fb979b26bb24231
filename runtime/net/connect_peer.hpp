// Connects an actor to a peer in another process, and monitors it.
#pragma once

#include <caf/actor_cast.hpp>
#include <caf/error.hpp>
#include <string>

#include "caf_compat/peer.hpp"
#include "model/time.hpp"

namespace heddle::runtime {

/// Time to connect, and time until the connector must have answered.
struct ConnectPatience {
  Duration connect{0};
  Duration answer{0};
};

/// Calls found(handle) once: with the handle of the peer, which `self` monitors then, or with an empty handle if the
/// peer cannot be reached. Call it from `self`.
template <class Handle, class Self, class Found>
void connect_peer(Self* self, const PeerConnectorActor& connector, const std::string& address, ConnectPatience patience,
                  Found found) {
  self->request(connector, patience.answer, ConnectPeer{address, to_milliseconds(patience.connect)})
      .then(
          [self, found](const caf::strong_actor_ptr& peer) {
            const auto handle = caf::actor_cast<Handle>(peer);
            self->monitor(handle);
            found(handle);
          },
          [found](const caf::error&) { found(Handle{}); });
}

}  // namespace heddle::runtime
