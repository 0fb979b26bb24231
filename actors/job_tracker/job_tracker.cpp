// The JobTracker's message handlers. The flows job_flow.cpp and tracker_flow.cpp decide what follows;
// job_tracker_effects.cpp sends.
#include "actors/job_tracker/job_tracker.hpp"

#include <algorithm>
#include <utility>

#include "actors/job_tracker/history_flow.hpp"
#include "actors/job_tracker/job_flow.hpp"
#include "actors/job_tracker/tracker_flow.hpp"
#include "runtime/spawn_role.hpp"

namespace heddle::actors {

JobTracker::JobTracker(JobTrackerActor::pointer self, const JobTrackerSettings& settings, runtime::ActorTools tools,
                       JobTrackerPorts ports)
    : self_{self}, tools_{std::move(tools)}, state_{settings, std::move(ports), tools_.events, tools_.random} {}

JobTrackerActor::behavior_type JobTracker::make_behavior() {
  self_->set_down_handler([this](const caf::down_msg& message) { on_peer_down(message.source); });
  handle(recover_jobs);
  return {
      [this](const SubmitJob& message) { handle(submit_to_tracker, message, has_sender()); },
      [this](const CancelJob& message) { handle(cancel_tracked_job, message, has_sender()); },
      [this](const TrackerHeartbeat& message) { handle(handle_tracker_heartbeat, message); },
      [this](const JobTrackerTick& message) { on_job_tracker_tick(message); },
      [this](const SubmissionReady& message) { handle(use_submission, message); },
      [this](const HistoryWritten& message) { handle(handle_history_written, message); },
  };
}

template <class Flow, class... Arguments>
void JobTracker::handle(Flow flow, const Arguments&... arguments) {
  TrackingTurn turn{state_, effects_, tools_.clock->now()};
  flow(turn, arguments...);
  if (tools_.checks_invariants) {
    state_.jobs.check_invariants();
    state_.ended.check_invariants();
    state_.scheduler.check_invariants();
  }
  apply_effects();
  arm_tick(turn.now);
}

void JobTracker::on_job_tracker_tick(const JobTrackerTick& message) {
  if (!tick_.accept(message.epoch)) return;
  handle(run_job_tracker_tick);
}

void JobTracker::on_peer_down(const caf::actor_addr& peer) {
  const auto row = std::find_if(trackers_.begin(), trackers_.end(),
                                [&](const auto& tracker) { return tracker.second.address() == peer; });
  if (row != trackers_.end()) handle(lose_tracker, std::string{row->first}, std::string{"its connection broke"});
}

JobTrackerActor spawn_job_tracker(caf::actor_system& system, const JobTrackerSettings& settings,
                                  const runtime::ActorTools& tools, const JobTrackerPorts& ports) {
  return runtime::spawn_role<JobTracker>(system, settings, tools, ports);
}

}  // namespace heddle::actors
