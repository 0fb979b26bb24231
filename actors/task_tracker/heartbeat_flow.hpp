// Heartbeats of a TaskTracker and their responses. One heartbeat is under way at a time; it is repeated unchanged until
// it is answered, so that nothing is reported or carried out twice.
//
//   starting --initial contact answered--> known --ReinitialiseTracker--> reinitialising --no child left--> starting
//                                            |
//                                            +--TrackerRefused, or the JobTracker cannot be reached--> leaving
#pragma once

#include "actors/task_tracker/slot_state.hpp"

namespace heddle::actors {

// -- messages, timers, ends of peers ------------------------------------------------------------------
void find_job_tracker(SlotTurn& turn);
void job_tracker_connected(SlotTurn& turn);
void job_tracker_unreachable(SlotTurn& turn);
void lose_job_tracker(SlotTurn& turn);
void handle_heartbeat_response(SlotTurn& turn, const HeartbeatResponse& message);
void reinitialise_tracker(SlotTurn& turn, const ReinitialiseTracker& message);
void leave_refused_tracker(SlotTurn& turn, const TrackerRefused& message);
void send_heartbeat_soon(SlotTurn& turn);
void run_task_tracker_tick(SlotTurn& turn);

// -- for the other flow -------------------------------------------------------------------------------
/// An attempt has changed: heartbeat now, if the settings allow it.
void beat_on_change(SlotTurn& turn);
/// The last child has ended: goes on with what waited for that.
void continue_without_children(SlotTurn& turn);

}  // namespace heddle::actors
