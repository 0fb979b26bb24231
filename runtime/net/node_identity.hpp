// Sets a random CAF node id, so that two machines or containers with equal process ids have different ids.
#pragma once

#include <caf/fwd.hpp>
#include <cstdint>

namespace heddle::runtime {

/// The CAF node id of an actor system with this identity.
[[nodiscard]] caf::node_id node_identity(std::uint64_t high, std::uint64_t low);

/// Call before the actor_system is created. `high` and `low`: random bits.
void set_node_identity(caf::actor_system_config& config, std::uint64_t high, std::uint64_t low);

}  // namespace heddle::runtime
