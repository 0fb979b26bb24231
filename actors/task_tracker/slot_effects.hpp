// Effects of the TaskTracker: messages, connections, processes. Flows push them; task_tracker_effects.cpp applies them
// in order.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "messages/job_tracker.hpp"
#include "messages/task_child.hpp"
#include "ports/process_launcher.hpp"

namespace heddle::actors {

/// Connects to the JobTracker. Result: job_tracker_connected or job_tracker_unreachable.
struct FindJobTracker {};
/// Dropped while no JobTracker is connected.
struct SendToJobTracker {
  TrackerHeartbeat message;
};
/// Starts the process of a child. Result: handle_child_started.
struct StartChild {
  std::int64_t child = 0;
  ports::LaunchContext context;
};
/// Kills a process with its group.
struct StopChild {
  std::int64_t process = 0;
};
/// Measures the memory of these processes in the background. Result: MemoryMeasured.
struct MeasureChildren {
  std::vector<std::int64_t> processes;
};
/// Stores the sender of the current message as this child.
struct AddChild {
  std::int64_t child = 0;
};
struct DropChild {
  std::int64_t child = 0;
};
/// Dropped if the child has not connected.
struct SendToChild {
  std::int64_t child = 0;
  std::variant<RunAttempt, CommitAttempt, KillAttempt, MapCompletions, LeaveChild> message;
};
/// Answers the child that sent the current message.
struct AnswerChild {
  LeaveChild message;
};
/// Ends the TaskTracker.
struct LeaveSlots {};

using SlotEffect = std::variant<FindJobTracker, SendToJobTracker, StartChild, StopChild, MeasureChildren, AddChild,
                                DropChild, SendToChild, AnswerChild, LeaveSlots>;
using SlotEffects = std::vector<SlotEffect>;

}  // namespace heddle::actors
