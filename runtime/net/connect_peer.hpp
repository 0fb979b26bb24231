// Connects an actor to a peer in another process, and monitors it.
#pragma once

#include <caf/actor_cast.hpp>
#include <caf/error.hpp>
#include <chrono>
#include <string>

#include "caf_compat/peer.hpp"
#include "model/time.hpp"

namespace heddle::runtime {

/// Calls found(handle) once: with the handle of the peer, which `self` monitors then, or with an empty handle if the
/// peer cannot be reached: no try begins after `patience`, and one takes at most 10 s. Call it from `self`.
template <class Handle, class Self, class Found>
void connect_peer(Self* self, const PeerConnectorActor& connector, const std::string& address, Duration patience,
                  Found found) {
  constexpr std::chrono::seconds last_try{20};  // the connector answers when the try in progress has ended
  self->request(connector, patience + last_try, ConnectPeer{address, to_milliseconds(patience)})
      .then(
          [self, found](const caf::strong_actor_ptr& peer) {
            const auto handle = caf::actor_cast<Handle>(peer);
            self->monitor(handle);
            found(handle);
          },
          [found](const caf::error&) { found(Handle{}); });
}

}  // namespace heddle::runtime
