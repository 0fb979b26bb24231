// Settings of the CAF actor systems of heddle (reasons and measurements: docs/decisions).
#pragma once

#include <caf/fwd.hpp>
#include <cstdint>

#include "model/time.hpp"

namespace heddle::runtime {

struct SystemSettings {
  std::int32_t scheduler_threads = 2;
  bool has_network = false;
  std::uint64_t identity_high = 0;  // random bits; used with a network only
  std::uint64_t identity_low = 0;
  // of a connection; shows a lost peer even if no role sends. Each costs a wake-up on both sides.
  Duration heartbeat_interval = std::chrono::seconds{10};
  Duration connection_timeout = std::chrono::minutes{11};  // without data; longer than the time-outs of all roles
};

/// Sets only the network part, for an actor system with a scheduler of its own.
void apply_network(caf::actor_system_config& config, const SystemSettings& settings);

/// Sets scheduler and network. Call before the actor_system is created.
void apply(caf::actor_system_config& config, const SystemSettings& settings);

}  // namespace heddle::runtime
