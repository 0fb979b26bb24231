// Shares the map and reduce slots of TaskTrackers between jobs. A thin actor over plain parts: a handler reads the
// clock once, calls a flow and applies its effects in order. Receives from: Client, TaskTracker. Sends to: Client,
// TaskTracker.
#pragma once

#include <caf/typed_event_based_actor.hpp>
#include <map>
#include <memory>
#include <string>

#include "actors/job_tracker/job_tracker_settings.hpp"
#include "actors/job_tracker/output_claims.hpp"
#include "actors/job_tracker/tracking_state.hpp"
#include "messages/handles.hpp"
#include "runtime/actor_tools.hpp"
#include "runtime/timers.hpp"

namespace heddle::actors {

class JobTracker {
public:
  using Handle = JobTrackerActor;
  JobTracker(JobTrackerActor::pointer self, const JobTrackerSettings& settings, runtime::ActorTools tools,
             JobTrackerPorts ports);
  JobTrackerActor::behavior_type make_behavior();
  void on_role_failed(const std::string& why);

private:
  // -- messages, timers, lost peers (job_tracker.cpp) -----------------------------------------------
  void on_job_tracker_tick(const JobTrackerTick& message);
  void on_peer_down(const caf::actor_addr& peer);
  /// Reads the clock, calls flow(turn, arguments…), applies the effects, and checks the tables if tools_ requires it.
  template <class Flow, class... Arguments>
  void handle(Flow flow, const Arguments&... arguments);

  // -- messages, monitors, timer, background work (job_tracker_effects.cpp) -------------------------
  [[nodiscard]] bool has_sender() const;
  void arm_tick(Instant now);
  void apply_effects();
  void apply(const AddJobClient& effect);
  void apply(const DropJobClient& effect);
  void apply(AnswerClient& effect);
  void apply(SendToJobClient& effect);
  void apply(PrepareSubmission& effect);
  void apply(const ForgetSubmission& effect);
  void apply(const AddTracker& effect);
  void apply(const DropTracker& effect);
  void apply(AnswerTracker& effect);
  void apply(SendToTracker& effect);
  void apply(const WakeTracker& effect);
  void apply(BeginHistory& effect);
  void apply(EndEarlierHistory& effect);
  void apply(WriteHistory& effect);

  // -- state ---------------------------------------------------------------------------------------
  JobTrackerActor::pointer self_;
  runtime::ActorTools tools_;
  TrackingState state_;
  TrackingEffects effects_;
  std::map<JobId, ClientActor> clients_;
  std::map<std::string, TaskTrackerActor> trackers_;
  std::shared_ptr<OutputClaims> claims_ = std::make_shared<OutputClaims>();  // used on the background thread only
  runtime::DeadlineTimer tick_;
};

}  // namespace heddle::actors
