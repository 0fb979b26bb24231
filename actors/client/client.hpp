// Speaks for the user: submits the application and its jobs, hands on what it hears.
// Owns nothing but the handles of ResourceManager and Driver.
// Hears: ResourceManager, ApplicationMaster, Driver.  Tells: ResourceManager, Driver.
#pragma once

#include <caf/typed_event_based_actor.hpp>

#include "messages/handles.hpp"
#include "runtime/actor_tools.hpp"

namespace heddle::actors {

/// What the Client hears, for whoever waits outside the actors. Called on the actor's thread; must not block.
class ClientListener {
public:
  virtual ~ClientListener() = default;
  virtual void on_accepted(const ApplicationAccepted&) {}
  virtual void on_refused(const ApplicationRefused&) {}
  virtual void on_ended(const ApplicationEnded&) {}
  virtual void on_driver_ready(const DriverReady&) {}
  virtual void on_job_accepted(const JobAccepted&) {}
  virtual void on_progress(const JobProgress&) {}
  virtual void on_finished(const JobFinished&) {}
  virtual void on_notice(const Notice&) {}
};

/// Spawns a Client whose words go to `listener`, which outlives it.
[[nodiscard]] ClientActor spawn_client(caf::actor_system& system, ClientListener* listener);

}  // namespace heddle::actors
