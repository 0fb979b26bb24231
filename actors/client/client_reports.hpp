// Reports of a Client to its session.
#pragma once

#include <cstdint>
#include <variant>

#include "messages/client.hpp"
#include "model/result.hpp"

namespace heddle::actors {

/// The application was sent to the ResourceManager, which has not answered yet.
struct ApplicationSubmitted {};

/// End of one job, reported once per request. An Error if no Driver reported the end.
struct RequestEnded {
  std::int64_t request = 0;
  Result<JobFinished> end;
};

/// Cluster mode: the Driver of this application attempt runs the jobs from now on.
struct DriverAttempt {
  std::int32_t attempt = 0;
};

/// The cluster cannot be used any more. A Driver in this process ends its jobs.
struct ClusterUnusable {
  Error why;
};

/// The application has ended, or there is none: jobs end with this reason.
struct ApplicationOver {
  Error why;
};

using ClientReport = std::variant<ApplicationSubmitted, ApplicationAccepted, JobAccepted, JobProgress, RequestEnded,
                                  Notice, DriverAttempt, ClusterUnusable, ApplicationOver>;

/// Called on the actor's thread; must not block.
class ClientListener {
public:
  virtual ~ClientListener() = default;
  virtual void on_report(ClientReport report) = 0;
};

}  // namespace heddle::actors
