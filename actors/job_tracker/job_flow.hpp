// Jobs: submission, recovery, cancellation, effects of the JobQueueScheduler, progress, end.
#pragma once

#include "actors/job_tracker/tracking_state.hpp"

namespace heddle::actors {

/// At the start: the jobs of an earlier JobTracker run anew.
void recover_jobs(TrackingTurn& turn);

// -- messages -----------------------------------------------------------------------------------------
void submit_to_tracker(TrackingTurn& turn, const SubmitJob& message, bool has_client);
void use_submission(TrackingTurn& turn, const SubmissionReady& message);
void cancel_tracked_job(TrackingTurn& turn, const CancelJob& message, bool has_client);

// -- for the other flow -----------------------------------------------------------------------------
/// Applies what the scheduler decided, then wakes up TaskTrackers that should send a heartbeat.
void apply_decisions(TrackingTurn& turn, const ReportedOutcomes& outcomes);
void wake_trackers(TrackingTurn& turn);
void notify_clients(TrackingTurn& turn, const std::string& text);
void send_progress_if_due(TrackingTurn& turn);

}  // namespace heddle::actors
