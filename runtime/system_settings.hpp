// How every actor system of heddle is set up (measured choices: docs/decisions).
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
  std::uint64_t identity_high = 0;  // random bits; with a network only
  std::uint64_t identity_low = 0;
  Duration heartbeat_interval = std::chrono::seconds{1};
  Duration connection_timeout = std::chrono::minutes{11};  // without a byte; longer than any role's own time-out
};

/// Only what its name says: for a system whose scheduler is somebody else's.
void apply_network(caf::actor_system_config& config, const SystemSettings& settings);

/// Sets scheduler and middleman; call before the actor_system is made.
void apply(caf::actor_system_config& config, const SystemSettings& settings);

/// Publishes a typed actor on a loopback port that the system chooses; answers "127.0.0.1:port", or "" if none could be
/// had.
template <class Handle>
[[nodiscard]] std::string publish_on_loopback(caf::actor_system& system, const Handle& actor) {
  auto port = system.middleman().publish(actor, 0, "127.0.0.1");
  return port ? "127.0.0.1:" + std::to_string(*port) : std::string{};
}

}  // namespace heddle::runtime
