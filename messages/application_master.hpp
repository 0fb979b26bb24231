// What an ApplicationMaster understands.
#pragma once

#include <optional>
#include <string>

#include "caf_compat/interface.hpp"
#include "messages/nouns.hpp"
#include "model/resource_kind.hpp"

namespace heddle {

// -- from the ResourceManager --------------------------------------------------------

/// The attempt is registered; the largest container that can be had, the application's token, and what the scheduler
/// counts.
struct RegisteredApplicationMaster {
  Resource maximum;
  std::string token;
  ResourceKinds counted = {};
  std::optional<ExtraResources> maximum_extras = {};  // empty: whatever nodes that come may have
};
HEDDLE_MESSAGE(RegisteredApplicationMaster, maximum, token, counted, maximum_extras)

/// The end of the application is noted; the master may leave.
struct FinishedApplication {};
HEDDLE_MESSAGE_EMPTY(FinishedApplication)

/// The attempt's end cannot be noted: it has not registered. The master registers (again), and then says its end again.
struct ApplicationMasterNotRegistered {
  std::string text;
};
HEDDLE_MESSAGE(ApplicationMasterNotRegistered, text)

// -- from the Driver's side --------------------------------------------------------------

/// The application's work is over; unregister and leave.
struct EndApplication {
  bool succeeded = false;
  std::string text;
};
HEDDLE_MESSAGE(EndApplication, succeeded, text)

// -- timers ------------------------------------------------------------------------

struct ApplicationMasterTick {
  std::uint64_t generation = 0;
};
HEDDLE_MESSAGE(ApplicationMasterTick, generation)

/// The ApplicationMaster's interface: one line per message above, in the same order.
using ApplicationMasterActor =
    caf_compat::Interface<void(RegisteredApplicationMaster), void(FinishedApplication),
                          void(ApplicationMasterNotRegistered), void(EndApplication), void(ApplicationMasterTick)>;

}  // namespace heddle
