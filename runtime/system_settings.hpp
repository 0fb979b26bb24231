// Settings of the CAF actor systems of heddle (reasons and measurements: docs/decisions).
#pragma once

#include <caf/actor_system.hpp>
#include <caf/io/middleman.hpp>
#include <cstdint>
#include <string>

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

/// Publishes an actor on this loopback port; 0: any free one. Returns "127.0.0.1:port", or "" if it cannot be
/// published. `is_reusable`: a later process can have the port at once, as long as each process before it said so too;
/// otherwise the connections of this one block the port for a minute after its end.
template <class Handle>
[[nodiscard]] std::string publish_on_loopback(caf::actor_system& system, const Handle& actor, std::uint16_t wanted = 0,
                                              bool is_reusable = false) {
  auto port = system.middleman().publish(actor, wanted, "127.0.0.1", is_reusable);
  return port ? "127.0.0.1:" + std::to_string(*port) : std::string{};
}

}  // namespace heddle::runtime
