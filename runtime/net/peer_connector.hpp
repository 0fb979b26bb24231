// The only maker of handles to other processes: address in, handle out.
#pragma once

#include <caf/fwd.hpp>
#include <cstdint>

#include "caf_compat/peer.hpp"

namespace heddle::runtime {

/// Spawns the connector of a process whose actor system has a network. Between attempts it waits, at first so long,
/// then twice that.
[[nodiscard]] PeerConnectorActor spawn_peer_connector(caf::actor_system& system, std::int64_t first_pause_ms);

}  // namespace heddle::runtime
