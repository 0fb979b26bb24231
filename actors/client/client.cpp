#include "actors/client/client.hpp"

namespace heddle::actors {
namespace {

ClientActor::behavior_type run_client(ClientActor::pointer, ClientListener* listener) {
  return {
      [listener](const ApplicationAccepted& message) { listener->on_accepted(message); },
      [listener](const ApplicationRefused& message) { listener->on_refused(message); },
      [listener](const ApplicationEnded& message) { listener->on_ended(message); },
      [listener](const DriverReady& message) { listener->on_driver_ready(message); },
      [listener](const JobAccepted& message) { listener->on_job_accepted(message); },
      [listener](const JobProgress& message) { listener->on_progress(message); },
      [listener](const JobFinished& message) { listener->on_finished(message); },
      [listener](const Notice& message) { listener->on_notice(message); },
  };
}

}  // namespace

ClientActor spawn_client(caf::actor_system& system, ClientListener* listener) {
  return system.spawn(run_client, listener);
}

}  // namespace heddle::actors
