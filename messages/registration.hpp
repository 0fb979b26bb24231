// Makes all messages known to an actor system before it is made.
#pragma once

#include "caf_compat/interface.hpp"

namespace heddle {

/// Adds every message type of heddle; call once per configuration, before the actor_system.
void register_messages(caf::actor_system_config& config);

}  // namespace heddle
