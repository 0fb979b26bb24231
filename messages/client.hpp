// Messages to a Client: progress and end of its application and of its jobs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "caf_compat/interface.hpp"
#include "messages/nouns.hpp"

namespace heddle {

// -- from the ResourceManager ------------------------------------------------

/// The ResourceManager has queued the application. One answer per SubmitApplication.
struct ApplicationAccepted {
  ApplicationId application;
  std::string queue = {};  // full name
};
HEDDLE_MESSAGE(ApplicationAccepted, application, queue)

/// The ResourceManager refuses the application; nothing was started. `text`: the reason, with the requested and the
/// available amounts.
struct ApplicationRefused {
  std::string text;
};
HEDDLE_MESSAGE(ApplicationRefused, text)

/// The application has ended. `succeeded`: as its ApplicationMaster reported, or false after the last application
/// attempt was lost.
struct ApplicationEnded {
  ApplicationId application;
  bool succeeded = false;
  std::string text;
};
HEDDLE_MESSAGE(ApplicationEnded, application, succeeded, text)

/// The ApplicationMaster has registered. Cluster mode: `address` is that of the Driver in this application attempt;
/// Drivers of earlier attempts are gone.
struct DriverReady {
  AttemptId attempt;
  std::string address;
};
HEDDLE_MESSAGE(DriverReady, attempt, address)

// -- from the Driver -----------------------------------------------------------

/// The Driver has accepted the job. Answers the SubmitJob with this `request` number.
struct JobAccepted {
  std::int64_t request = 0;
  JobId job;
};
HEDDLE_MESSAGE(JobAccepted, request, job)

/// Progress of one stage: counts of tasks, and launches by locality level (process, node, no preference, rack, any).
struct StageProgress {
  StageId stage;
  std::string name;
  std::int32_t tasks = 0;
  std::int32_t running = 0;
  std::int32_t finished = 0;
  std::int32_t failed_attempts = 0;
  std::vector<std::int64_t> locality;
  bool is_done = false;
  std::int64_t elapsed_us = 0;  // from its first submission to its last task
};
HEDDLE_INSPECT(StageProgress, stage, name, tasks, running, finished, failed_attempts, locality, is_done, elapsed_us)

/// Snapshot of a job. Sent periodically while it runs, and when a stage ends.
struct JobProgress {
  JobId job;
  std::vector<StageProgress> stages;
  std::int32_t executors = 0;
  std::int32_t executors_wanted = 0;
  std::string waiting;  // why no task starts, after some time; empty otherwise
};
HEDDLE_MESSAGE(JobProgress, job, stages, executors, executors_wanted, waiting)

enum class JobStatus : std::uint8_t { succeeded, failed, cancelled };

/// The job has ended: its output is committed or removed, unless the job service failed. The last message about a job.
struct JobFinished {
  JobId job;
  JobStatus status = JobStatus::failed;
  std::string text;            // why it failed, for the user
  std::int32_t exit_code = 0;  // of the command that failed the job; 0 if none did
  FailureKind failure = FailureKind::none;
  JobTotals totals;
  bool service_failed = false;  // an exception ended the job service; nobody has settled the output
};
HEDDLE_MESSAGE(JobFinished, job, status, text, exit_code, failure, totals, service_failed)

/// Information for the user about an event that does not end the job: a lost executor, an excluded node.
struct Notice {
  std::string text;
};
HEDDLE_MESSAGE(Notice, text)

/// The Client's interface: one line per message above, in the same order.
using ClientActor =
    caf_compat::Interface<void(ApplicationAccepted), void(ApplicationRefused), void(ApplicationEnded),
                          void(DriverReady), void(JobAccepted), void(JobProgress), void(JobFinished), void(Notice)>;

}  // namespace heddle
