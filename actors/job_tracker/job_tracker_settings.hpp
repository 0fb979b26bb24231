// Settings of a JobTracker, and the ports through which it reaches files and background threads.
#pragma once

#include <caf/actor_system.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "actors/job_tracker/ended_jobs.hpp"
#include "messages/handles.hpp"
#include "model/job_package.hpp"
#include "model/result.hpp"
#include "model/time.hpp"
#include "policies/job_tracker/job_queue_settings.hpp"
#include "ports/background.hpp"
#include "ports/job_history.hpp"
#include "ports/job_store.hpp"
#include "runtime/actor_tools.hpp"

namespace heddle::actors {

/// A job that an earlier JobTracker accepted and did not end. `fault`: why its submission cannot be read, of which only
/// the id is known then; empty if it can.
struct RecoveredJob {
  JobSubmission submission;
  std::string fault = {};
};

/// Of all jobs.
struct TrackerHistory {
  std::string folder;  // empty: no history
  std::string queue = "default";
  std::vector<std::pair<std::string, std::string>> settings = {};  // content of the settings file of each job
};

struct JobTrackerSettings {
  std::int64_t cluster_start = 0;  // wall clock in ms; first half of application ids
  std::string build_id;            // TaskTrackers with another build id are refused; empty: no check
  /// A job cleanup waits up to 3 s for attempts of its job, which would write into outputs that it moves or removes.
  /// No map runs again while it commits.
  policies::JobQueueSettings queue{.cleanup_wait = std::chrono::seconds{3}, .keeps_unread_outputs = true};
  bool beat_on_change = true;  // HeartbeatSoon when work became launchable
  Duration progress_interval = std::chrono::milliseconds{500};
  ReportLimits reports = {};                      // of jobs that have ended
  std::int32_t restarts = 0;                      // JobTrackers of this cluster that were lost before
  bool recovers_jobs = false;                     // the next JobTracker runs the jobs of this one anew
  std::vector<RecoveredJob> recovered_jobs = {};  // by id; they run anew
  std::int64_t wall_offset_ms = 0;                // milliseconds since 1970 at Instant zero
  TrackerHistory history = {};
};

/// All pointers must outlive the JobTracker.
struct JobTrackerPorts {
  ports::Background* background = nullptr;
  /// Reads the package of a job from the file that SubmitJob names. Runs on the background thread. Its error has the
  /// path.
  std::function<Result<JobPackage>(const std::string& path)> read_package{};
  ports::JobHistory* history = nullptr;  // null: no history
  ports::JobStore* store = nullptr;      // null: submissions are not stored, and a later JobTracker knows no job
  /// For a job that ran under an earlier JobTracker: true if the commit of these outputs was decided, and is complete
  /// now; otherwise they are empty now and belong to this application attempt. Runs on the background thread.
  std::function<Result<bool>(const std::vector<std::string>& outputs, std::int32_t application_attempt)>
      recover_outputs{};
  /// Makes an unpredictable token for one job. Empty: from the role's random stream (tests).
  std::function<std::string()> make_token{};
};

[[nodiscard]] JobTrackerActor spawn_job_tracker(caf::actor_system& system, const JobTrackerSettings& settings,
                                                const runtime::ActorTools& tools, const JobTrackerPorts& ports);

}  // namespace heddle::actors
