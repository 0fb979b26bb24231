// What a Client tells the session that waits for it.
#pragma once

#include <cstdint>
#include <variant>

#include "messages/client.hpp"
#include "model/result.hpp"

namespace heddle::actors {

/// The ResourceManager was reached and got the application; its answer is under way.
struct ApplicationSubmitted {};

/// The end of one job, said once per request: an Error where no Driver told it.
struct RequestEnded {
  std::int64_t request = 0;
  Result<JobFinished> end;
};

/// Cluster mode: the Driver of this attempt runs the jobs from here on.
struct DriverAttempt {
  std::int32_t attempt = 0;
};

/// Nothing of the cluster can be used any more. A Driver of this process ends its jobs.
struct ClusterUnusable {
  Error why;
};

/// The application is over, or there is none: jobs end with this reason.
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
