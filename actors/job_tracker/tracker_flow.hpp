// TaskTrackers: heartbeats, their responses, and lost TaskTrackers.
//
//   unknown --initial contact--> known --silent, or connection broke--> unknown
//      ^                           |
//      +------- ReinitialiseTracker answers other heartbeats
#pragma once

#include <string>

#include "actors/job_tracker/tracking_state.hpp"

namespace heddle::actors {

void handle_tracker_heartbeat(TrackingTurn& turn, const TrackerHeartbeat& message);
void lose_tracker(TrackingTurn& turn, const std::string& tracker, const std::string& reason);
/// Silent TaskTrackers, unconfirmed launches, progress, old reports.
void run_job_tracker_tick(TrackingTurn& turn);

}  // namespace heddle::actors
