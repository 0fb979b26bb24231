// Texts of decisions for the user: rule, numbers, decision; and reasons of ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/job_package.hpp"
#include "policies/job_tracker/job_queue_scheduler.hpp"

namespace heddle::actors {

/// Why an attempt ended, if its TaskTracker did not report a reason.
[[nodiscard]] std::string end_text(policies::AttemptEndCause cause);
/// The job fails: it has too many tasks.
[[nodiscard]] std::string too_large_text(const policies::JobTooLarge& job);
/// The job fails: its reduces would read too much (RE-5).
[[nodiscard]] std::string too_large_text(const policies::ReduceInputTooLarge& job);
/// The TaskTracker is lost. `attempts` ran there (JT-4); `maps` had finished there, and run again (JS-6).
[[nodiscard]] std::string lost_tracker_text(const std::string& tracker, const std::string& reason, std::size_t attempts,
                                            std::int32_t maps);
/// The place of the job in the queue (JQ-1). Empty if the queue has no other job.
[[nodiscard]] std::string queue_place_text(const policies::JobQueue& queue, JobId job);
/// The load factor leaves map slots of the TaskTracker free (JQ-5).
[[nodiscard]] std::string load_factor_text(const policies::MapShare& share, const std::string& tracker);
/// How close to their data maps were launched (JP-3, JP-4). `locality`: launches on any process, on the host, without
/// location, in the rack and elsewhere. Empty if all were on the host or have no location.
[[nodiscard]] std::string locality_text(const std::vector<std::int64_t>& locality);
/// Maps of a job that reduces wait for.
struct SlowStart {
  std::int32_t maps = 0;
  std::int32_t done = 0;  // or failed for good
  std::int32_t needed = 0;
};
/// The first reduce starts (JS-1). Empty if it had to wait for one map at most.
[[nodiscard]] std::string slow_start_text(const SlowStart& start);

}  // namespace heddle::actors
