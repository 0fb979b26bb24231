// Messages to a task child: the role of a process that runs one task attempt at a time for its task parent.
#pragma once

#include <string>
#include <vector>

#include "caf_compat/interface.hpp"
#include "messages/nouns.hpp"

namespace heddle {

// -- from its task parent ------------------------------------------------------

/// Run this attempt. Answered by AttemptDone or AttemptFailed. A map or a reduce runs `program` for the one partition
/// of launch.range; a setup or cleanup works on launch.output.
struct RunAttempt {
  AttemptLaunch launch;
  StageProgram program;
};
HEDDLE_MESSAGE(RunAttempt, launch, program)

/// Answers CommitPending: the output of this attempt is that of its task.
struct CommitAttempt {
  TaskAttemptId attempt;
};
HEDDLE_MESSAGE(CommitAttempt, attempt)

/// Kill the attempt. Answered by AttemptFailed with the state killed, unless the attempt has ended.
struct KillAttempt {
  TaskAttemptId attempt;
  std::string reason;
};
HEDDLE_MESSAGE(KillAttempt, attempt, reason)

/// Answers GetMapCompletions: at least one row; the first one has the position `from`.
struct MapCompletions {
  TaskAttemptId attempt;  // the reduce that asked
  std::int32_t from = 0;
  std::vector<MapCompletion> rows;
};
HEDDLE_MESSAGE(MapCompletions, attempt, from, rows)

/// Exit: no attempt follows, or the parent does not accept the child.
struct LeaveChild {
  std::string reason;
};
HEDDLE_MESSAGE(LeaveChild, reason)

// -- from its slot thread and its background work ----------------------------------------------------

/// The attempt has run, or its work on the output is done. Sent once per attempt, and one attempt runs at a time.
struct AttemptEnded {
  TaskOutcome outcome;
};
HEDDLE_MESSAGE(AttemptEnded, outcome)

/// The rules of the running reduce say that its parent must know of a failed copy of this map.
struct CopyFailed {
  std::int32_t map = 0;
};
HEDDLE_MESSAGE(CopyFailed, map)

// -- timers ------------------------------------------------------------------------

struct TaskChildTick {
  std::uint64_t epoch = 0;
};
HEDDLE_MESSAGE(TaskChildTick, epoch)

/// The TaskChild's interface: one line per message above, in the same order.
using TaskChildActor =
    caf_compat::Interface<void(RunAttempt), void(CommitAttempt), void(KillAttempt), void(MapCompletions),
                          void(LeaveChild), void(AttemptEnded), void(CopyFailed), void(TaskChildTick)>;

}  // namespace heddle
