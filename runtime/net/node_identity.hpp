// Gives an actor system a random node id, so that two containers with the same process id are two nodes.
#pragma once

#include <caf/fwd.hpp>
#include <cstdint>

namespace heddle::runtime {

/// Call before the actor_system is made. `high` and `low` are random bits from the wiring.
void set_node_identity(caf::actor_system_config& config, std::uint64_t high, std::uint64_t low);

}  // namespace heddle::runtime
