// The configuration of an actor system, for registering message types before one is made.
#pragma once

#include <caf/actor_system_config.hpp>

#include "caf_compat/interface.hpp"
