// Sessions of --master local-cluster[n,c,m]: each role is a process on this machine, connected over loopback; all end
// with the client.
#pragma once

#include <caf/fwd.hpp>

#include "apps/session/session.hpp"
#include "messages/driver.hpp"
#include "messages/handles.hpp"

namespace heddle::apps {

/// A session within the actor system of an embedding program, which can send jobs to the Driver itself.
class ClusterRoles : public Session {
public:
  [[nodiscard]] virtual const DriverActor& driver() const = 0;
  /// Checks the job's resource requests and lists its inputs; blocks while it reads folders.
  [[nodiscard]] virtual Result<SubmitJob> prepare(JobGraph graph) const = 0;
};

/// Opens the roles in client mode. `system` must have a network and outlive them.
[[nodiscard]] Result<std::unique_ptr<ClusterRoles>> open_cluster_roles(const SessionOptions& options,
                                                                       caf::actor_system& system,
                                                                       const IsCancelled& is_cancelled);

[[nodiscard]] Result<std::unique_ptr<Session>> open_cluster_session(const SessionOptions& options,
                                                                    const IsCancelled& is_cancelled);

}  // namespace heddle::apps
