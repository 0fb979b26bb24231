// What the peer connector understands: the one way from an address to a handle.
#pragma once

#include <caf/actor_control_block.hpp>
#include <string>

#include "caf_compat/interface.hpp"

namespace heddle {

/// Connect to host:port; retries with back-off until `patience_ms` is over. Answered by the handle published there, or
/// an error.
struct ConnectPeer {
  std::string address;
  std::int64_t patience_ms = 0;
};
HEDDLE_INSPECT(ConnectPeer, address, patience_ms)

/// To self: the pause before the next try of this connect is over.
struct RetryConnect {
  std::int64_t connect = 0;
};
HEDDLE_INSPECT(RetryConnect, connect)

using PeerConnectorActor = caf_compat::Interface<caf::strong_actor_ptr(ConnectPeer), void(RetryConnect)>;

}  // namespace heddle
