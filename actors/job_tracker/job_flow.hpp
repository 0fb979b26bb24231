// Jobs: submission, recovery, cancellation, effects of the JobQueueScheduler, progress, end.
#pragma once

#include <string>
#include <utility>

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
/// Nothing if the text is empty.
void notify_client(TrackingTurn& turn, const TrackedJob& job, std::string text);
/// Only at the first call for this flag.
template <class MakeText>
void notify_once(TrackingTurn& turn, const TrackedJob& job, bool& is_reported, const MakeText& make_text) {
  if (!std::exchange(is_reported, true)) notify_client(turn, job, make_text());
}
void send_progress_if_due(TrackingTurn& turn);

}  // namespace heddle::actors
