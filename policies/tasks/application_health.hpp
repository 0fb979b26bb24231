// Which executors and hosts the whole application avoids, and until when.
// Failures count only once their task set has succeeded, and expire; so do exclusions. Kills come out as effects, the
// exclusion before. Cost: logarithmic in what is excluded; asking whether something has expired is constant. Source:
// Spark 3.5.3 HealthTracker (spec HT-1 to HT-9).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "model/time.hpp"
#include "policies/tasks/task_exclusion.hpp"
#include "policies/tasks/types/task_scheduler_events.hpp"

namespace heddle::policies {

class ApplicationHealth {
public:
  ApplicationHealth(const ExclusionSettings& settings, bool shuffle_service)
      : settings_{settings}, shuffle_service_{shuffle_service} {}

  /// Lets go what has expired strictly before `now`.
  void expire(Instant now);
  /// A fetch from this executor failed (acts only with the setting for it).
  void on_fetch_failure(Instant now, HostId host, std::int32_t executor, TaskSchedulerEffects& effects);
  /// A task set succeeded in which these attempts had failed.
  void on_set_succeeded(Instant now, const TaskSetExclusion& set, TaskSchedulerEffects& effects);
  void on_executor_removed(std::int32_t executor) { failures_.erase(executor); }

  [[nodiscard]] bool is_excluded(std::int32_t executor) const { return executors_.contains(executor); }
  [[nodiscard]] bool is_excluded(HostId host) const { return hosts_.contains(host); }
  [[nodiscard]] bool excludes_anything() const { return !executors_.empty() || !hosts_.empty(); }
  /// What is excluded until here is let go of after it; the last instant there is: nothing is excluded.
  [[nodiscard]] Instant next_expiry() const { return next_expiry_; }
  /// Counts up when a host is excluded or let go of.
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
  std::map<std::int32_t, std::vector<Instant>> failures_;  // when each failure of an executor expires
  std::map<std::int32_t, ExcludedExecutor> executors_;
  std::map<HostId, Instant> hosts_;
  std::map<HostId, std::set<std::int32_t>> executors_of_host_;  // excluded ones, also when they are gone
  Instant next_expiry_ = Instant::max();
  std::uint64_t host_changes_ = 0;
};

}  // namespace heddle::policies
