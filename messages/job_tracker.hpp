// Messages to a JobTracker. It is a job service, so it understands the messages of job_service.hpp too.
#pragma once

#include <limits>
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
  std::int64_t free_space = std::numeric_limits<std::int64_t>::max();  // bytes for map outputs
  bool accepts_tasks = true;                                           // false: too little of it
  bool is_initial_contact = false;  // it runs nothing: it started, or got ReinitialiseTracker
  std::int64_t response_id = -1;    // of the last HeartbeatResponse; -1: none
  std::vector<TaskAttemptStatus> attempts;
  std::vector<CompletionsWanted> completions;  // of each job that has a running reduce here
  std::vector<TaskAttemptId>
      failed_fetches;  // a map attempt for each notice of a reduce that could not copy its output
};
HEDDLE_MESSAGE(TrackerHeartbeat, tracker, incarnation, host, rack, build_id, map_slots, reduce_slots, free_space,
               accepts_tasks, is_initial_contact, response_id, attempts, completions, failed_fetches)

// -- timers ------------------------------------------------------------------------

/// Check for silent TaskTrackers and unconfirmed launches; send progress.
struct JobTrackerTick {
  std::uint64_t epoch = 0;
};
HEDDLE_MESSAGE(JobTrackerTick, epoch)

// -- from its background work ------------------------------------------------------

/// The submission is stored, or was read from the store. `is_committed`: the commit of its outputs had been decided
/// under an earlier JobTracker, and is complete now. `text`: why the job cannot run; empty if it can.
struct SubmissionReady {
  JobSubmission submission;
  bool is_committed = false;
  std::string text = {};
};
HEDDLE_MESSAGE(SubmissionReady, submission, is_committed, text)

/// The history of the job is on the disk, so that the response to this TaskTracker may start the commit; or, with a
/// `text`, the history ends early for this reason.
struct HistoryWritten {
  JobId job;
  std::string tracker = {};  // empty: no response waits
  std::string text = {};
};
HEDDLE_MESSAGE(HistoryWritten, job, tracker, text)

/// The JobTracker's interface: that of a job service, then one line per message above, in the same order.
using JobTrackerActor = caf_compat::ExtendedInterface<JobServiceActor, void(TrackerHeartbeat), void(JobTrackerTick),
                                                      void(SubmissionReady), void(HistoryWritten)>;

}  // namespace heddle
