// What a client submits to have a job run: the job as its user describes it, the splits of its inputs, and its rules
// for a JobTracker; and what a JobTracker keeps of that.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "model/ids.hpp"
#include "model/job_graph.hpp"
#include "model/stage_work.hpp"
#include "model/time.hpp"

namespace heddle {

struct JobPackage {
  JobGraph graph;
  std::vector<StageSplits> splits;  // one entry per stage
};

/// Why a package from a file cannot be used; empty if it can. Does not check how the stages are connected.
[[nodiscard]] inline std::string_view fault_of(const JobPackage& package) {
  const auto& stages = package.graph.stages;
  if (package.splits.size() > stages.size()) return "it has splits of a stage that its graph does not have";
  for (std::size_t stage = 0; stage < package.splits.size(); ++stage) {
    if (std::ssize(package.splits[stage].splits) > stage_tasks_max) return "a stage has too many splits";
    for (const auto& [input, split] : package.splits[stage].splits) {
      if (input < 0 || static_cast<std::size_t>(input) >= stages[stage].inputs.size())
        return "a split belongs to an input that its stage does not have";
      if (split.offset < 0 || split.length < 0 ||
          split.offset > std::numeric_limits<std::int64_t>::max() - split.length)
        return "the offset or the length of a split is out of range";
    }
  }
  for (const auto& stage : stages)
    if (stage.partitions > stage_tasks_max) return "the number of partitions of a stage is out of range";
  return "";
}

/// Order of jobs in the queue of a JobTracker, first to last.
enum class JobPriority : std::uint8_t { very_high, high, normal, low, very_low };
constexpr JobPriority last_of(JobPriority) { return JobPriority::very_low; }

/// Rules of one job of a JobTracker: slow start of reduces, speculation and failures. The defaults are those of
/// Hadoop 1.2.
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
  std::int32_t tasks_per_process = 1;    // that a child process runs; -1: no limit
  bool operator==(const JobRules&) const = default;
};

/// A job as a JobTracker stores it before it accepts it, so that a later JobTracker can run it anew.
struct JobSubmission {
  JobId job;
  std::string user;
  std::string package_file;      // as SubmitJob names it; empty: none
  std::int64_t submit_time = 0;  // milliseconds since 1970
  JobRules rules;
  JobPackage package;
};

}  // namespace heddle
