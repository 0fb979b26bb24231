// Messages to a MapReduceMaster: the role in the master container that runs one MapReduce job in containers of its own.
// It is a job service, an allocator and a task parent.
#pragma once

#include <string>

#include "caf_compat/interface.hpp"
#include "messages/allocator.hpp"
#include "messages/job_service.hpp"
#include "messages/nouns.hpp"
#include "messages/task_parent.hpp"

namespace heddle {

// -- from its background work --------------------------------------------------------------------

/// What a failed or killed attempt wrote is removed. `text`: why it could not be; empty if it was.
struct AttemptOutputRemoved {
  TaskAttemptId attempt;
  std::string text;
};
HEDDLE_MESSAGE(AttemptOutputRemoved, attempt, text)

// -- timers ------------------------------------------------------------------------

struct MapReduceMasterTick {
  std::uint64_t epoch = 0;
};
HEDDLE_MESSAGE(MapReduceMasterTick, epoch)

/// The MapReduceMaster's interface: that of a job service, those of messages/allocator.hpp, that of a task parent, the
/// results of work on packages and outputs of messages/job_service.hpp, then one line per message above.
using MapReduceMasterActor = caf_compat::ExtendedInterface<
    JobServiceActor, void(StartAllocating), void(AllocateResponse), void(AllocationAvailable), void(ContainerStarted),
    void(ContainerNotStarted), void(GetTask), void(AttemptProgress), void(CommitPending), void(AttemptDone),
    void(AttemptFailed), void(GetMapCompletions), void(FetchFailed), void(PackageRead), void(OutputPrepared),
    void(JobCommitted), void(AttemptOutputRemoved), void(MapReduceMasterTick)>;

}  // namespace heddle
