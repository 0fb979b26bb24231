// The only way to get a handle of an actor in another process: address in, handle out.
#pragma once

#include <caf/actor.hpp>
#include <cstdint>

#include "caf_compat/peer.hpp"
#include "model/random_stream.hpp"

namespace heddle::runtime {

/// Spawns the connector of a process. `dialler`: PeerNetwork::dialler(). `first_pause_ms`: mean pause before the second
/// attempt; it doubles up to 500 ms, and each pause is between half and one and a half of that.
[[nodiscard]] PeerConnectorActor spawn_peer_connector(caf::actor_system& system, const caf::actor& dialler,
                                                      std::int64_t first_pause_ms, RandomStream random);

}  // namespace heddle::runtime
