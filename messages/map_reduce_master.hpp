// Messages to a MapReduceMaster: the role in the master container that runs one MapReduce job in containers of its own.
// It is a job service, an allocator and a task parent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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

/// An attempt of an earlier MapReduceMaster, as the job history has it. Times: ms since 1970. `end`: `running` if the
/// history has no end.
struct RecordedTaskAttempt {
  std::int32_t attempt = 0;
  TaskAttemptState end = TaskAttemptState::running;
  std::string host;
  std::int64_t start_ms = 0;
  std::int64_t finish_ms = 0;
};
HEDDLE_INSPECT(RecordedTaskAttempt, attempt, end, host, start_ms, finish_ms)

/// A task that succeeded under an earlier MapReduceMaster. `outcome`, `place`: of the winner.
struct RecordedTask {
  bool is_reduce = false;
  std::int32_t task = 0;
  std::int32_t winner = 0;
  std::vector<RecordedTaskAttempt> attempts;
  TaskOutcome outcome;
  std::optional<MapOutputLocation> place;
};
HEDDLE_INSPECT(RecordedTask, is_reduce, task, winner, attempts, outcome, place)

/// The job failed, or was cancelled, under an earlier application attempt.
struct RecordedEnd {
  bool is_cancelled = false;
  std::string text;
};
HEDDLE_INSPECT(RecordedEnd, is_cancelled, text)

/// The history of the job is open, unless `is_open` is false; then there is none. `text`: why not, or what could not be
/// read of an earlier one. The other fields: content of an earlier one; times: ms since 1970, 0 if unknown.
struct HistoryOpened {
  JobId job;
  bool is_open = false;
  std::string text;
  std::int64_t submit_ms = 0;
  std::int64_t launch_ms = 0;
  std::vector<RecordedTask> tasks;
  std::optional<RecordedEnd> end;
};
HEDDLE_MESSAGE(HistoryOpened, job, is_open, text, submit_ms, launch_ms, tasks, end)

/// The history of the job is closed as requested (`is_closed`), or an error has ended it. `text`: the error.
struct HistoryEnded {
  JobId job;
  bool is_closed = false;
  std::string text;
};
HEDDLE_MESSAGE(HistoryEnded, job, is_closed, text)

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
    void(JobCommitted), void(AttemptOutputRemoved), void(HistoryOpened), void(HistoryEnded), void(MapReduceMasterTick)>;

}  // namespace heddle
