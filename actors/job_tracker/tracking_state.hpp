// State of the JobTracker without its actor: deciders and parts. Flows (job_flow.hpp, tracker_flow.hpp) change it. They
// have no actor and no clock, and send through effects only.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "actors/job_tracker/ended_jobs.hpp"
#include "actors/job_tracker/job_tracker_settings.hpp"
#include "actors/job_tracker/tracked_jobs.hpp"
#include "actors/job_tracker/tracking_effects.hpp"
#include "model/random_stream.hpp"
#include "policies/job_tracker/job_queue_scheduler.hpp"
#include "policies/job_tracker/tracker_contacts.hpp"
#include "ports/event_sink.hpp"

namespace heddle::actors {

struct TrackingState {
  TrackingState(JobTrackerSettings all_settings, JobTrackerPorts all_ports, ports::EventSink* sink,
                const RandomStream& stream)
      : settings{std::move(all_settings)},
        ports{std::move(all_ports)},
        events{sink},
        random{stream},
        scheduler{settings.queue},
        contacts{settings.queue.tracker_expiry},
        ended{settings.reports} {}

  JobTrackerSettings settings;
  JobTrackerPorts ports;
  ports::EventSink* events;
  RandomStream random;
  policies::JobQueueScheduler scheduler;
  policies::JobQueueEffects decisions;  // empty: memory for the effects of the scheduler
  policies::TrackerContacts contacts;
  TrackedJobs jobs;
  EndedJobs ended;
  std::unordered_map<std::string, HeartbeatResponse> responses;  // the last one to each TaskTracker
  std::map<std::string, JobId> unsynced;  // TaskTrackers whose response waits until the history of this job is synced
  std::optional<Instant> progress_due;    // something changed: progress is sent then

  /// The earliest deadline of TaskTrackers, launches, progress and reports.
  [[nodiscard]] std::optional<Instant> next_due() {
    auto due = contacts.next_due();
    for (const auto& other : {scheduler.next_due(), progress_due, ended.next_due()})
      if (other && (!due || *other < *due)) due = other;
    return due;
  }
};

/// Context of one message: state, effects to push, time.
struct TrackingTurn {
  TrackingState& state;
  TrackingEffects& effects;
  Instant now;  // the only reading of the clock for this message

  void write_event(std::string_view name, const ports::EventFields& fields = {}) const {
    if (state.events != nullptr) state.events->write(now, name, fields);
  }
};

}  // namespace heddle::actors
