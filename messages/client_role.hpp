// What a Client understands from its own process, beside what peers send (client.hpp): the session that waits for it,
// its background work, its timer. No peer gets this handle.
#pragma once

#include <cstdint>
#include <string>

#include "caf_compat/interface.hpp"
#include "messages/client.hpp"
#include "messages/job_service.hpp"

namespace heddle {

// -- from the session --------------------------------------------------------

/// Run this job, under the request number that it carries. Answered to the session by one end. Its package is in the
/// message, because the Client settles the outputs that it names. If the job names a file too, only the file is sent
/// on.
struct RunJob {
  SubmitJob job;
};
HEDDLE_MESSAGE(RunJob, job)

/// The user cancels all jobs that run.
struct CancelJobs {};
HEDDLE_MESSAGE_EMPTY(CancelJobs)

/// No more jobs will come: end the application. The session gets a report of the end.
struct LeaveApplication {
  bool succeeded = false;
  std::string text = {};  // why not, for those who see the application in the ResourceManager
};
HEDDLE_MESSAGE(LeaveApplication, succeeded, text)

/// No NodeManager is left: nothing of the application can run any more.
struct NodesLost {
  std::string text;
};
HEDDLE_MESSAGE(NodesLost, text)

// -- from background work ------------------------------------------------------

/// The local cluster and the Driver in this process, if there was one, have ended.
struct ClusterGone {};
HEDDLE_MESSAGE_EMPTY(ClusterGone)

/// The output of a job without a Driver is finished or removed. `text`: the outputs that could not be removed.
struct OutputSettled {
  std::int64_t request = 0;
  bool is_committed = false;
  std::string text;
};
HEDDLE_MESSAGE(OutputSettled, request, is_committed, text)

// -- timers --------------------------------------------------------------------

/// A deadline has passed: of the next connection to the Driver, or of a cancelled job.
struct ClientTick {
  std::uint64_t epoch = 0;
};
HEDDLE_MESSAGE(ClientTick, epoch)

/// The interface of the Client with messages of its own process: one line per message above, in the same order.
using ClientRoleActor =
    caf_compat::ExtendedInterface<ClientActor, void(RunJob), void(CancelJobs), void(LeaveApplication), void(NodesLost),
                                  void(ClusterGone), void(OutputSettled), void(ClientTick)>;

}  // namespace heddle
