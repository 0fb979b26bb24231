// Sets a random CAF node id, so that two machines or containers with equal process ids have different ids.
#pragma once

#include <caf/fwd.hpp>
#include <cstdint>
#include <optional>

namespace heddle::runtime {

/// Random bits of an actor system, new for each process.
struct NodeIdentity {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
};

/// The CAF node id of an actor system with this identity.
[[nodiscard]] caf::node_id node_id_of(const NodeIdentity& identity);
/// The identity that set_node_identity gave to the actor system; none: it has an id of CAF's own.
[[nodiscard]] std::optional<NodeIdentity> identity_of(const caf::actor_system& system);

/// Call before the actor_system is created.
void set_node_identity(caf::actor_system_config& config, const NodeIdentity& identity);

}  // namespace heddle::runtime
