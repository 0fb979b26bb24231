// Exclusions by failures inside one task set: an executor or host for one task, or for the whole set. Nothing expires
// here. Cost: logarithmic in the failures of the set; constant for a set without failures. Source: Spark 3.5.3
// TaskSetExcludelist (spec EXC-1 to EXC-7).
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "model/ids.hpp"
#include "model/preferred_location.hpp"
#include "model/time.hpp"
#include "policies/tasks/types/task_scheduler_settings.hpp"

namespace heddle::policies {

/// Failures of a set's tasks on one executor.
struct ExecutorFailures {
  struct OfTask {
    std::int32_t count = 0;
    Instant last;
  };
  HostId host;
  std::map<std::int32_t, OfTask> by_index;
};

class TaskSetExclusion {
public:
  explicit TaskSetExclusion(const ExclusionSettings& settings) : settings_{settings} {}

  void on_failure(Instant now, HostId host, std::int32_t executor, std::int32_t index);

  [[nodiscard]] bool excludes_anything() const { return settings_.task_and_stage && !failures_.empty(); }
  [[nodiscard]] bool excludes(std::int32_t executor) const {
    return settings_.task_and_stage && executors_.contains(executor);
  }
  [[nodiscard]] bool excludes(HostId host) const { return settings_.task_and_stage && hosts_.contains(host); }
  [[nodiscard]] bool excludes(std::int32_t executor, std::int32_t index) const;
  [[nodiscard]] bool excludes(HostId host, std::int32_t index) const;
  /// By executor. ApplicationHealth counts them when the set succeeds.
  [[nodiscard]] const std::map<std::int32_t, ExecutorFailures>& failures() const { return failures_; }

private:
  ExclusionSettings settings_;
  std::map<std::int32_t, ExecutorFailures> failures_;
  std::map<HostId, std::set<std::int32_t>> failed_executors_;  // by host
  std::map<HostId, std::set<std::int32_t>> excluded_indices_;  // by host
  std::set<std::int32_t> executors_;
  std::set<HostId> hosts_;
};

}  // namespace heddle::policies
