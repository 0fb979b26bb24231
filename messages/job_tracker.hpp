// Messages to a JobTracker. It is a job service, so it understands the messages of job_service.hpp too.
#pragma once

#include <string>
#include <vector>

#include "caf_compat/interface.hpp"
#include "messages/job_service.hpp"
#include "messages/nouns.hpp"

namespace heddle {

// -- from TaskTrackers -----------------------------------------------------------

/// State of a TaskTracker and of all its attempts. The JobTracker keeps the handle of the sender. Answered by
/// HeartbeatResponse. The TaskTracker repeats a heartbeat that got no answer with the same `response_id`.
struct TrackerHeartbeat {
  std::string tracker;           // name, unique in the cluster
  std::int64_t incarnation = 0;  // of its process; a process that started later has a greater one
  std::string host;              // host name for locality
  std::string rack;
  std::string build_id;  // of the program; must equal that of the JobTracker
  std::int32_t map_slots = 0;
  std::int32_t reduce_slots = 0;
  bool is_initial_contact = false;  // it runs nothing: it started, or was told to reinitialise
  std::int64_t response_id = -1;    // of the last HeartbeatResponse; -1: none
  std::vector<TaskAttemptStatus> attempts;
  std::vector<CompletionsWanted> completions;  // of each job that has a running reduce here
  std::vector<TaskAttemptId>
      failed_fetches;  // a map attempt for each notice of a reduce that could not copy its output
};
HEDDLE_MESSAGE(TrackerHeartbeat, tracker, incarnation, host, rack, build_id, map_slots, reduce_slots,
               is_initial_contact, response_id, attempts, completions, failed_fetches)

// -- timers ------------------------------------------------------------------------

/// Check for silent TaskTrackers and unconfirmed launches; send progress.
struct JobTrackerTick {
  std::uint64_t epoch = 0;
};
HEDDLE_MESSAGE(JobTrackerTick, epoch)

/// The JobTracker's interface: that of a job service, then one line per message above, in the same order, then
/// PackageRead of job_service.hpp.
using JobTrackerActor =
    caf_compat::ExtendedInterface<JobServiceActor, void(TrackerHeartbeat), void(JobTrackerTick), void(PackageRead)>;

}  // namespace heddle
