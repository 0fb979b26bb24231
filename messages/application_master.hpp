// Messages to an ApplicationMaster.
#pragma once

#include <string>

#include "caf_compat/interface.hpp"
#include "messages/nouns.hpp"
#include "model/resource_kind.hpp"

namespace heddle {

// -- from the ResourceManager --------------------------------------------------------

/// The ResourceManager has registered the application attempt.
struct RegisteredApplicationMaster {
  Resource maximum;            // largest possible container
  std::string token;           // of the application
  ResourceKinds counted = {};  // kinds that the scheduler counts
  bool limits_others = false;  // false: nodes may still register with any amount of other resource types
};
HEDDLE_MESSAGE(RegisteredApplicationMaster, maximum, token, counted, limits_others)

/// The ResourceManager has recorded the end of the application; the ApplicationMaster may exit.
struct FinishedApplication {
  bool is_unknown = false;  // it does not know the attempt: it has ended it, or started the next one
};
HEDDLE_MESSAGE(FinishedApplication, is_unknown)

/// The ResourceManager rejects FinishApplication: the application attempt is not registered. The ApplicationMaster
/// registers and sends FinishApplication again.
struct ApplicationMasterNotRegistered {
  std::string text;
};
HEDDLE_MESSAGE(ApplicationMasterNotRegistered, text)

// -- from the allocator ---------------------------------------------------------------

/// The application has finished: unregister and exit.
struct EndApplication {
  bool succeeded = false;
  std::string text;
};
HEDDLE_MESSAGE(EndApplication, succeeded, text)

/// The ResourceManager answered an AllocateRequest with "not registered". The ApplicationMaster registers and sends
/// StartAllocating again.
struct RegistrationLost {};
HEDDLE_MESSAGE_EMPTY(RegistrationLost)

// -- timers ------------------------------------------------------------------------

struct ApplicationMasterTick {
  std::uint64_t epoch = 0;
};
HEDDLE_MESSAGE(ApplicationMasterTick, epoch)

/// The ApplicationMaster's interface: one line per message above, in the same order.
using ApplicationMasterActor = caf_compat::Interface<void(RegisteredApplicationMaster), void(FinishedApplication),
                                                     void(ApplicationMasterNotRegistered), void(EndApplication),
                                                     void(RegistrationLost), void(ApplicationMasterTick)>;

}  // namespace heddle
