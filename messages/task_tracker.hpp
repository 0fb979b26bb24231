// Messages to a TaskTracker. It is a task parent, so it understands the messages of task_parent.hpp too.
#pragma once

#include <string>
#include <vector>

#include "caf_compat/interface.hpp"
#include "messages/node_manager.hpp"
#include "messages/nouns.hpp"
#include "messages/task_parent.hpp"

namespace heddle {

// -- from the JobTracker ---------------------------------------------------------

/// Answers TrackerHeartbeat. The TaskTracker carries out its fields in this order.
struct HeartbeatResponse {
  std::int64_t incarnation = 0;  // of the heartbeat
  std::int64_t response_id = 0;
  std::int64_t interval_ms = 0;       // until the next heartbeat
  NodeId node = {};                   // of the TaskTracker, in the locations of its map outputs
  std::vector<TrackerJob> jobs = {};  // of the launches; each job is sent once to a TaskTracker
  std::vector<AttemptLaunch> launches = {};
  std::vector<TaskAttemptId> kills = {};
  std::vector<JobId> ended_jobs = {};  // kill their attempts, remove their files
  std::vector<TaskAttemptId> commits = {};
  std::vector<JobCompletions> completions = {};  // as wanted by the heartbeat; at most map_completions_max of a job
};
HEDDLE_MESSAGE(HeartbeatResponse, incarnation, response_id, interval_ms, node, jobs, launches, kills, ended_jobs,
               commits, completions)

/// Answers the heartbeat of a TaskTracker that the JobTracker does not know, or counts as lost: kill all attempts and
/// send an initial contact.
struct ReinitialiseTracker {
  std::int64_t incarnation = 0;
};
HEDDLE_MESSAGE(ReinitialiseTracker, incarnation)

/// The JobTracker refuses the TaskTracker: kill all attempts and exit.
struct TrackerRefused {
  std::int64_t incarnation = 0;
  std::string reason;
};
HEDDLE_MESSAGE(TrackerRefused, incarnation, reason)

/// Send a heartbeat now: the JobTracker may have work for this TaskTracker.
struct HeartbeatSoon {};
HEDDLE_MESSAGE_EMPTY(HeartbeatSoon)

// -- timers ------------------------------------------------------------------------

struct TaskTrackerTick {
  std::uint64_t epoch = 0;
};
HEDDLE_MESSAGE(TaskTrackerTick, epoch)

/// The TaskTracker's interface: that of a task parent, then one line per message above, in the same order, then
/// ProcessEnded and MemoryMeasured of node_manager.hpp.
using TaskTrackerActor =
    caf_compat::ExtendedInterface<TaskParentActor, void(HeartbeatResponse), void(ReinitialiseTracker),
                                  void(TrackerRefused), void(HeartbeatSoon), void(TaskTrackerTick), void(ProcessEnded),
                                  void(MemoryMeasured)>;

}  // namespace heddle
