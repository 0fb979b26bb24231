// Registers all message types for an actor system.
#pragma once

#include "caf_compat/interface.hpp"

namespace heddle {

/// Adds all message types. Call once per configuration, before the actor_system is created.
void register_messages(caf::actor_system_config& config);

}  // namespace heddle
