// Messages to a JobReporter: it passes reports about the jobs of a master container on to the clients that follow them.
#pragma once

#include <cstdint>

#include "caf_compat/interface.hpp"
#include "messages/client.hpp"
#include "messages/driver.hpp"

namespace heddle {

// -- from clients, passed on by the Driver: FollowJobs, StopFollowing (driver.hpp) ---------------
// -- from its own process, about each job: JobAccepted, JobProgress, JobFinished, Notice (client.hpp) ------------

/// All jobs have been reported. The application may end when no client needs the reports any more.
struct JobsReported {};
HEDDLE_MESSAGE_EMPTY(JobsReported)

// -- timers ------------------------------------------------------------------------------------

/// A client has not connected, or has not confirmed the reports, in time.
struct JobReporterTick {
  std::uint64_t epoch = 0;
};
HEDDLE_MESSAGE(JobReporterTick, epoch)

/// The interface of a JobReporter: one line per message above, in the same order.
using JobReporterActor =
    caf_compat::Interface<void(FollowJobs), void(StopFollowing), void(JobAccepted), void(JobProgress),
                          void(JobFinished), void(Notice), void(JobsReported), void(JobReporterTick)>;

}  // namespace heddle
