// The only way to get a handle of an actor in another process: address in, handle out.
#pragma once

#include <caf/fwd.hpp>
#include <cstdint>

#include "caf_compat/peer.hpp"

namespace heddle::runtime {

/// Spawns the connector of a process; its actor system needs a network. `first_pause_ms`: pause before the second
/// attempt; it doubles up to 500 ms.
[[nodiscard]] PeerConnectorActor spawn_peer_connector(caf::actor_system& system, std::int64_t first_pause_ms);

}  // namespace heddle::runtime
