// --master local-cluster[n,c,m]: every role a process of its own on this machine, over loopback; gone when its client
// ends.
#pragma once

#include <caf/fwd.hpp>

#include "apps/session/session.hpp"
#include "messages/driver.hpp"
#include "messages/handles.hpp"

namespace heddle::apps {

/// A session whose Driver is told of jobs by others too: roles within somebody's actor system.
class ClusterRoles : public Session {
public:
  [[nodiscard]] virtual const DriverActor& driver() const = 0;
  /// Checks the job's sizes and lists its inputs; blocks while it reads folders.
  [[nodiscard]] virtual Result<SubmitJob> prepare(JobGraph graph) const = 0;
};

/// In client mode; `system` has a network and outlives the roles.
[[nodiscard]] Result<std::unique_ptr<ClusterRoles>> open_cluster_roles(const SessionOptions& options,
                                                                       caf::actor_system& system,
                                                                       const IsCancelled& is_cancelled);

[[nodiscard]] Result<std::unique_ptr<Session>> open_cluster_session(const SessionOptions& options,
                                                                    const IsCancelled& is_cancelled);

}  // namespace heddle::apps
