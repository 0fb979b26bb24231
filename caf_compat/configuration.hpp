// Includes the CAF configuration class that registers message types before an actor system is created.
#pragma once

#include <caf/actor_system_config.hpp>

#include "caf_compat/interface.hpp"
