// Messages and interface of the peer connector, the only way from an address to an actor handle.
#pragma once

#include <caf/actor_control_block.hpp>
#include <string>

#include "caf_compat/interface.hpp"

namespace heddle {

/// Request to connect to `address` (host:port). Retries with growing pauses for `patience_ms`. The response is the
/// handle of the actor that is published there, or an error.
struct ConnectPeer {
  std::string address;
  std::int64_t patience_ms = 0;
};
HEDDLE_INSPECT(ConnectPeer, address, patience_ms)

/// To self: the pause before the next attempt of connect number `connect` is over.
struct RetryConnect {
  std::int64_t connect = 0;
};
HEDDLE_INSPECT(RetryConnect, connect)

using PeerConnectorActor = caf_compat::Interface<caf::strong_actor_ptr(ConnectPeer), void(RetryConnect)>;

}  // namespace heddle
