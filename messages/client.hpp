// What a Client understands: how its application and its jobs are doing.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "caf_compat/interface.hpp"
#include "messages/nouns.hpp"

namespace heddle {

// -- from the ResourceManager ------------------------------------------------

/// The application is queued under this id. Said once per SubmitApplication.
struct ApplicationAccepted {
  ApplicationId application;
  std::string queue = {};  // its full name
};
HEDDLE_MESSAGE(ApplicationAccepted, application, queue)

/// The application cannot be run at all, with the arithmetic; nothing was started.
struct ApplicationRefused {
  std::string text;
};
HEDDLE_MESSAGE(ApplicationRefused, text)

/// The application has ended for good; `succeeded` as its master said, or false after the last attempt was lost.
struct ApplicationEnded {
  ApplicationId application;
  bool succeeded = false;
  std::string text;
};
HEDDLE_MESSAGE(ApplicationEnded, application, succeeded, text)

/// Said when a master registers. Cluster mode: the Driver of this attempt listens here; Drivers of earlier attempts are
/// gone.
struct DriverReady {
  AttemptId attempt;
  std::string address;
};
HEDDLE_MESSAGE(DriverReady, attempt, address)

// -- from the Driver -----------------------------------------------------------

/// The job is known under this id. Answers a SubmitJob by its `request` number.
struct JobAccepted {
  std::int64_t request = 0;
  JobId job;
};
HEDDLE_MESSAGE(JobAccepted, request, job)

/// How far one stage is. Counts of tasks; locality counts by level: process, node, no preference, rack, any.
struct StageProgress {
  StageId stage;
  std::string name;
  std::int32_t tasks = 0;
  std::int32_t running = 0;
  std::int32_t finished = 0;
  std::int32_t failed_attempts = 0;
  std::vector<std::int64_t> locality;
  bool is_done = false;
  std::int64_t elapsed_us = 0;  // since it was first submitted, until its last task
};
HEDDLE_INSPECT(StageProgress, stage, name, tasks, running, finished, failed_attempts, locality, is_done, elapsed_us)

/// A snapshot of a job, a few times a second while it runs and whenever a stage ends.
struct JobProgress {
  JobId job;
  std::vector<StageProgress> stages;
  std::int32_t executors = 0;
  std::int32_t executors_wanted = 0;
  std::string waiting;  // why nothing moves, once that has lasted; empty otherwise
};
HEDDLE_MESSAGE(JobProgress, job, stages, executors, executors_wanted, waiting)

/// What a whole job moved.
struct JobTotals {
  std::int64_t tasks = 0;
  std::int64_t failed_attempts = 0;
  std::int64_t bytes_read = 0;
  std::int64_t records_read = 0;
  std::int64_t bytes_shuffled = 0;
  std::int64_t bytes_written = 0;
  std::int64_t bytes_spilled = 0;
  std::vector<std::int64_t> locality;
  std::vector<std::pair<std::string, std::int64_t>> counters;
  std::vector<std::pair<std::string, std::int64_t>> failures;  // sentence, how often
};
HEDDLE_INSPECT(JobTotals, tasks, failed_attempts, bytes_read, records_read, bytes_shuffled, bytes_written,
               bytes_spilled, locality, counters, failures)

enum class JobStatus : std::uint8_t { succeeded, failed, cancelled };

/// The job has ended: output committed, or discarded. The last word about a job.
struct JobFinished {
  JobId job;
  JobStatus status = JobStatus::failed;
  std::string text;            // why it failed, for a person
  std::int32_t exit_code = 0;  // of the command that failed it, where there is one
  FailureKind failure = FailureKind::none;
  JobTotals totals;
};
HEDDLE_MESSAGE(JobFinished, job, status, text, exit_code, failure, totals)

/// Something a person should know that does not end the job: an executor lost, a node excluded.
struct Notice {
  std::string text;
};
HEDDLE_MESSAGE(Notice, text)

/// The Client's interface: one line per message above, in the same order.
using ClientActor =
    caf_compat::Interface<void(ApplicationAccepted), void(ApplicationRefused), void(ApplicationEnded),
                          void(DriverReady), void(JobAccepted), void(JobProgress), void(JobFinished), void(Notice)>;

}  // namespace heddle
