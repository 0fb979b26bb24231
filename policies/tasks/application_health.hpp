// Excludes executors and hosts for the whole application, for a limited time. A failure counts only after its task set
// has succeeded, and expires. Effects: the exclusion first, then the kills. Cost: logarithmic in the excluded executors
// and hosts; the check for expired ones is constant. Source: Spark 3.5.3 HealthTracker (spec HT-1 to HT-9).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "model/time.hpp"
#include "policies/tasks/task_exclusion.hpp"
#include "policies/tasks/types/task_effects.hpp"
#include "policies/tasks/types/task_scheduler_settings.hpp"

namespace heddle::policies {

class ApplicationHealth {
public:
  ApplicationHealth(const ExclusionSettings& settings, bool shuffle_service)
      : settings_{settings}, shuffle_service_{shuffle_service} {}

  /// Removes exclusions and failures that expired strictly before `now`.
  void expire(Instant now);
  /// A fetch from this executor failed. Acts only if the setting for fetch failures is on.
  void on_fetch_failure(Instant now, HostId host, std::int32_t executor, TaskSchedulerEffects& effects);
  /// A task set succeeded; `set` holds its failed attempts.
  void on_set_succeeded(Instant now, const TaskSetExclusion& set, TaskSchedulerEffects& effects);
  void on_executor_removed(std::int32_t executor) { failures_.erase(executor); }

  [[nodiscard]] bool is_excluded(std::int32_t executor) const { return executors_.contains(executor); }
  [[nodiscard]] bool is_excluded(HostId host) const { return hosts_.contains(host); }
  [[nodiscard]] bool excludes_anything() const { return !executors_.empty() || !hosts_.empty(); }
  /// Exclusions expire after this instant. Instant::max() if nothing is excluded.
  [[nodiscard]] Instant next_expiry() const { return next_expiry_; }
  /// Number of changes to the excluded hosts.
  [[nodiscard]] std::uint64_t host_changes() const { return host_changes_; }

private:
  struct ExcludedExecutor {
    HostId host;
    Instant expiry;
  };
  void exclude_host(HostId host, Instant expiry, TaskSchedulerEffects& effects);
  void set_next_expiry();
  void count_failures(Instant now, std::int32_t executor, const ExecutorFailures& failures);

  ExclusionSettings settings_;
  bool shuffle_service_ = false;
  std::map<std::int32_t, std::vector<Instant>> failures_;  // expiry of each failure, by executor
  std::map<std::int32_t, ExcludedExecutor> executors_;
  std::map<HostId, Instant> hosts_;
  std::map<HostId, std::set<std::int32_t>> executors_of_host_;  // excluded executors, including lost ones
  Instant next_expiry_ = Instant::max();
  std::uint64_t host_changes_ = 0;
};

}  // namespace heddle::policies
