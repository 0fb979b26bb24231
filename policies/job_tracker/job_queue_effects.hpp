// Effects of the JobQueueScheduler: what the reports of trackers meant for attempts, tasks and jobs.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "model/attempt_work.hpp"
#include "model/ids.hpp"
#include "policies/job_tracker/classic_attempt_table.hpp"
#include "policies/job_tracker/classic_job_table.hpp"
#include "policies/job_tracker/classic_task_table.hpp"

namespace heddle::policies {

enum class JobRunState : std::uint8_t { prep, running, succeeded, failed, killed };

/// An attempt ended without success. Reported once per attempt, before its task cleanup runs.
struct AttemptEnded {
  TaskAttemptId attempt;
  TaskAttemptState state = TaskAttemptState::failed;  // failed, killed, or one of these and unclean
  AttemptEndCause cause = AttemptEndCause::reported;
  std::string host;  // where it ran
};
/// The task has succeeded; this attempt is its winner.
struct TaskWon {
  TaskAttemptId attempt;
};
/// The output of the winner is lost, and the task runs again.
struct TaskReopened {
  TaskAttemptId attempt;
};
/// The task has failed for good; this was its last attempt.
struct TaskGivenUp {
  TaskAttemptId attempt;
  bool fails_job = false;  // false: the job tolerates it, stops already, or commits
};
/// The setup of the job has succeeded; its maps may run.
struct JobStarted {
  JobId job;
};
struct ClassicJobEnded {
  JobId job;
  JobRunState state = JobRunState::failed;
};

/// The job has more maps and reduces than a job may have, and fails at once.
struct JobTooLarge {
  JobId job;
  std::int32_t tasks = 0;
  std::int32_t tasks_max = 0;
};
/// Half of the estimated input of one reduce is above the limit of the job, which fails (RE-5).
struct ReduceInputTooLarge {
  JobId job;
  std::int64_t input = 0;  // this half, bytes
  std::int64_t input_max = 0;
};

/// The host has turned gray, because many more jobs avoided it than other hosts, or it is not gray any more (JT-6). Its
/// trackers get tasks as before.
struct HostGrayChanged {
  std::string host;
  bool is_gray = false;
  std::int32_t faults = 0;  // jobs that avoided it in the last three hours
};

/// A host has so many failed attempts of the job that the job avoids it, while fewer than a quarter of the trackers are
/// avoided (JP-8).
struct HostAvoided {
  JobId job;
  std::string host;
  std::int32_t failures = 0;
  std::int32_t flaky = 0;  // hosts with so many failures, this one too
  std::int32_t trackers = 0;
  bool is_avoided = false;  // false: too many are flaky
};

/// Steps of the state machines, those that change no state too.
struct ClassicAttemptStep {
  TaskAttemptId attempt;
  ClassicAttemptState from = ClassicAttemptState::unreported;
  ClassicAttemptEvent event = ClassicAttemptEvent::reported_running;
  ClassicAttemptState to = ClassicAttemptState::unreported;
};
struct ClassicTaskStep {
  TaskAttemptId task;  // its attempt 0
  ClassicTaskState from = ClassicTaskState::pending;
  ClassicTaskEvent event = ClassicTaskEvent::launched;
  ClassicTaskState to = ClassicTaskState::pending;
};
struct ClassicJobStep {
  JobId job;
  ClassicJobState from = ClassicJobState::prep;
  ClassicJobEvent event = ClassicJobEvent::fail;
  ClassicJobState to = ClassicJobState::prep;
};

using JobQueueEffect = std::variant<AttemptEnded, TaskWon, TaskReopened, TaskGivenUp, JobStarted, ClassicJobEnded,
                                    JobTooLarge, ReduceInputTooLarge, HostGrayChanged, HostAvoided, ClassicAttemptStep,
                                    ClassicTaskStep, ClassicJobStep>;
using JobQueueEffects = std::vector<JobQueueEffect>;

}  // namespace heddle::policies
