// Rules of one job of a JobTracker, which its client submits with it: priority, slow start of reduces, speculation and
// failures. The defaults are those of Hadoop 1.2.
#pragma once

#include <chrono>
#include <cstdint>

#include "model/time.hpp"

namespace heddle {

/// Order of jobs in the queue of a JobTracker, first to last.
enum class JobPriority : std::uint8_t { very_high, high, normal, low, very_low };

struct JobRules {
  JobPriority priority = JobPriority::normal;
  float slow_start = 0.05F;  // part of the maps that must have ended before the first reduce
  bool map_speculative = true;
  bool reduce_speculative = true;
  /// A task gets a second attempt if its progress is behind the average of its kind by this gap.
  double speculative_gap = 0.2;
  Duration speculative_lag = std::chrono::seconds{60};  // and if the task was created so long ago
  std::int32_t map_attempts_max = 4;
  std::int32_t reduce_attempts_max = 4;
  std::int32_t tracker_failures_max = 4;  // failed attempts on a host, after which the job avoids it
  std::int32_t map_failures_percent = 0;  // failed maps that the job survives
  std::int32_t reduce_failures_percent = 0;
  std::int64_t reduce_input_limit = -1;  // -1: no limit
  bool operator==(const JobRules&) const = default;
};

}  // namespace heddle
