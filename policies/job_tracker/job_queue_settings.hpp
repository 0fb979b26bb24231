// Settings of the JobQueueScheduler; defaults of Hadoop 1.2.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "model/time.hpp"

namespace heddle::policies {

/// Faults count for `window`, rounded up to whole buckets. A bucket is at most as wide as the window.
struct FaultWindow {
  Duration window = std::chrono::minutes{180};
  Duration bucket = std::chrono::minutes{15};
};

struct JobQueueSettings {
  bool setup_and_cleanup = true;       // of jobs; the cleanup of attempts always runs
  float capacity_pad = 0.01F;          // part of the slots for waiting tasks that stays free
  std::int32_t tasks_of_job_max = -1;  // a job with more tasks fails at once; -1: no limit
  std::optional<std::int32_t> running_tasks_of_job_max =
      std::nullopt;                  // if set: the rules of LimitTasksPerJobTaskScheduler, one task per heartbeat
  std::int32_t host_faults_max = 4;  // number of jobs in the fault window; with more, the host may turn gray
  FaultWindow fault_window{};
  Duration tracker_expiry = std::chrono::milliseconds{600000};  // a launch without a report within this time has failed
  std::int32_t heartbeats_per_second = 100;                     // of all trackers
  float heartbeat_scaling = 1.0F;
  Duration cleanup_wait{0};           // a job cleanup waits so long for attempts of its job that still run; Hadoop: 0
  bool keeps_unread_outputs = false;  // finished maps do not run again once all reduces have ended; Hadoop: they do
};

}  // namespace heddle::policies
