// Effects of a task child: messages, tasks, background work and its timer. The flow pushes them; task_child_effects.cpp
// applies them in order.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "messages/task_child.hpp"
#include "messages/task_parent.hpp"
#include "ports/task_runner.hpp"

namespace heddle::actors {

/// Connects to the task parent. Result: connected or unreachable.
struct FindParent {};
struct SendToParent {
  std::variant<GetTask, AttemptProgress, CommitPending, AttemptDone, AttemptFailed, GetMapCompletions, FetchFailed>
      message;
};
/// Reports the progress of the task that runs.
struct ReportProgress {
  TaskAttemptId attempt;
  TaskRange range;
};
/// Runs a map or a reduce on the slot thread. Result: AttemptEnded.
struct StartTask {
  RunAttempt request;
};
/// Gives the running reduce another table of locations.
struct SetLocations {
  std::shared_ptr<const ports::ShuffleLocations> table;
};
struct UnloadTask {
  StageKey stage;
};
struct KillRunningTask {
  TaskRange range;
  std::string reason;
};
/// Creates, commits or removes outputs in the background. Result: AttemptEnded.
struct WorkOnOutput {
  AttemptLaunch launch;
};
/// Ends the task child, and its process.
struct ExitProcess {
  std::string reason;
};

using ChildEffect = std::variant<FindParent, SendToParent, ReportProgress, StartTask, SetLocations, UnloadTask,
                                 KillRunningTask, WorkOnOutput, ExitProcess>;
using ChildEffects = std::vector<ChildEffect>;

}  // namespace heddle::actors
