// Effects of the JobQueueScheduler: what the reports of trackers meant for attempts, tasks and jobs.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "model/attempt_work.hpp"
#include "model/ids.hpp"

namespace heddle::policies {

enum class JobRunState : std::uint8_t { prep, running, succeeded, failed, killed };

/// An attempt ended without success. Reported once per attempt, before its task cleanup runs.
struct AttemptEnded {
  TaskAttemptId attempt;
  TaskAttemptState state = TaskAttemptState::failed;  // failed, killed, or one of these and unclean
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
};
/// The setup of the job has succeeded; its maps may run.
struct JobStarted {
  JobId job;
};
struct ClassicJobEnded {
  JobId job;
  JobRunState state = JobRunState::failed;
};

using JobQueueEffect = std::variant<AttemptEnded, TaskWon, TaskReopened, TaskGivenUp, JobStarted, ClassicJobEnded>;
using JobQueueEffects = std::vector<JobQueueEffect>;

}  // namespace heddle::policies
