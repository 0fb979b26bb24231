// Settings of a JobTracker, and the ports through which it reaches files and background threads.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "model/job_package.hpp"
#include "model/result.hpp"
#include "model/time.hpp"
#include "policies/job_tracker/job_queue_scheduler.hpp"
#include "ports/background.hpp"

namespace heddle::actors {

struct JobTrackerSettings {
  std::int64_t cluster_start = 0;  // wall clock in ms; first half of application ids
  std::string build_id;            // TaskTrackers with another build id are refused; empty: no check
  /// A job cleanup waits up to 3 s for attempts of its job, which would write into outputs that it moves or removes.
  policies::JobQueueSettings queue{.cleanup_wait = std::chrono::seconds{3}};
  bool beat_on_change = true;  // HeartbeatSoon when work became launchable
  Duration progress_interval = std::chrono::milliseconds{500};
};

/// `background` must outlive the JobTracker.
struct JobTrackerPorts {
  ports::Background* background = nullptr;
  /// Reads the package of a job from the file that SubmitJob names. Runs on the background thread. Its error has the
  /// path.
  std::function<Result<JobPackage>(const std::string& path)> read_package{};
  /// Makes an unpredictable token for one job. Empty: from the role's random stream (tests).
  std::function<std::string()> make_token{};
};

}  // namespace heddle::actors
