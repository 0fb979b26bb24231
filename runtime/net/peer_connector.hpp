// The only maker of handles to other processes: address in, handle out.
#pragma once

#include <caf/fwd.hpp>

#include "caf_compat/peer.hpp"

namespace heddle::runtime {

/// Spawns the connector of a process whose actor system has a network.
[[nodiscard]] PeerConnectorActor spawn_peer_connector(caf::actor_system& system);

}  // namespace heddle::runtime
