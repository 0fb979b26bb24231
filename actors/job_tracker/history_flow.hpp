// History of jobs: a line for each start and end of a job, its tasks and their attempts, as Hadoop 1.2 writes them. An
// attempt gets both of its lines when it ends. Each function does nothing without a history.
#pragma once

#include <string>

#include "actors/job_tracker/tracking_state.hpp"

namespace heddle::actors {

void begin_history(TrackingTurn& turn, const TrackedJob& job);
/// The job was committed under an earlier JobTracker, whose history of it has no end. `name`: of the job.
void end_earlier_history(TrackingTurn& turn, const TrackedJob& job, const std::string& name);
void record_set_up(TrackingTurn& turn, const TrackedJob& job);
/// The first attempt of a task starts the task.
void record_launch(TrackingTurn& turn, const TrackedJob& job, const policies::ClassicLaunch& launch);
/// Before the attempt is counted as ended.
void record_attempt_end(TrackingTurn& turn, const TrackedJob& job, const policies::AttemptEnded& ended,
                        const ReportedOutcomes& outcomes);
/// Before the attempt is counted as ended.
void record_success(TrackingTurn& turn, const TrackedJob& job, const TaskAttemptId& attempt,
                    const ReportedOutcomes& outcomes);
void record_task_failure(TrackingTurn& turn, const TrackedJob& job, const TaskAttemptId& attempt);
/// After finish().
void record_job_end(TrackingTurn& turn, const TrackedJob& job);
/// The response to the TaskTracker starts the commit of the job: it waits until the history is on the disk. False
/// without a history: it need not wait.
[[nodiscard]] bool sync_history(TrackingTurn& turn, const TrackedJob& job, const std::string& tracker);

// -- messages -----------------------------------------------------------------------------------------
void handle_history_written(TrackingTurn& turn, const HistoryWritten& message);

}  // namespace heddle::actors
