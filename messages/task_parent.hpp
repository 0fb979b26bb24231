// Messages to a task parent: any role that starts task children, one process each, and hears from them.
#pragma once

#include <optional>
#include <string>

#include "caf_compat/interface.hpp"
#include "messages/nouns.hpp"

namespace heddle {

// -- from its task children ----------------------------------------------------

/// The first message of a child, and its request for work after an attempt. `child`: the number in its launch spec.
/// `secret`: the token of the application in its launch spec. Answered by RunAttempt, or by LeaveChild.
struct GetTask {
  std::int64_t child = 0;
  std::string secret;
};
HEDDLE_MESSAGE(GetTask, child, secret)

/// Progress of a running attempt, from 0 to 1. `is_alive`: it has read, written or reported something since the last
/// report; without that for the task time-out, the attempt fails (TA-1). `status`: what the command reported as its
/// status (reporter:status) since the last message; empty: nothing new. `counters`: parts that changed since the last
/// message.
struct AttemptProgress {
  std::int64_t child = 0;
  TaskAttemptId attempt;
  float progress = 0;
  TaskPhase phase = TaskPhase::starting;
  bool is_alive = true;
  std::string status = {};
  AttemptCounters counters = {};
};
HEDDLE_MESSAGE(AttemptProgress, child, attempt, progress, phase, is_alive, status, counters)

/// The attempt has run, and its output waits for the permission to commit. Answered by CommitAttempt, or by
/// KillAttempt.
struct CommitPending {
  std::int64_t child = 0;
  TaskAttemptId attempt;
};
HEDDLE_MESSAGE(CommitPending, child, attempt)

/// The attempt succeeded. `place`: of its output, if reduces read that.
struct AttemptDone {
  std::int64_t child = 0;
  TaskAttemptId attempt;
  TaskOutcome outcome;
  std::optional<MapOutputLocation> place{};
};
HEDDLE_MESSAGE(AttemptDone, child, attempt, outcome, place)

/// The attempt failed, or was killed as requested (outcome.state).
struct AttemptFailed {
  std::int64_t child = 0;
  TaskAttemptId attempt;
  TaskOutcome outcome;
};
HEDDLE_MESSAGE(AttemptFailed, child, attempt, outcome)

/// A reduce asks for completion events of the maps of its job from this position on. Answered by MapCompletions as soon
/// as there is one.
struct GetMapCompletions {
  std::int64_t child = 0;
  TaskAttemptId attempt;  // the reduce
  std::int32_t from = 0;
};
HEDDLE_MESSAGE(GetMapCompletions, child, attempt, from)

/// A reduce could not copy the output of a map attempt as often as its rules allow, and goes on.
struct FetchFailed {
  std::int64_t child = 0;
  TaskAttemptId attempt;  // the reduce
  TaskAttemptId map;
};
HEDDLE_MESSAGE(FetchFailed, child, attempt, map)

/// Interface of a task parent: one line per message above, in the same order.
using TaskParentActor =
    caf_compat::Interface<void(GetTask), void(AttemptProgress), void(CommitPending), void(AttemptDone),
                          void(AttemptFailed), void(GetMapCompletions), void(FetchFailed)>;

}  // namespace heddle
