#include "policies/tasks/application_health.hpp"

#include <algorithm>

namespace heddle::policies {

void ApplicationHealth::expire(Instant now) {
  if (now <= next_expiry_) return;
  for (auto row = executors_.begin(); row != executors_.end();) {
    if (row->second.expiry >= now) {
      ++row;
      continue;
    }
    const auto on_host = executors_of_host_.find(row->second.host);
    if (on_host != executors_of_host_.end()) {
      on_host->second.erase(row->first);
      if (on_host->second.empty()) executors_of_host_.erase(on_host);
    }
    row = executors_.erase(row);
  }
  host_changes_ += std::erase_if(hosts_, [now](const auto& row) { return row.second < now; });
  set_next_expiry();
}

void ApplicationHealth::set_next_expiry() {
  next_expiry_ = Instant::max();
  for (const auto& row : executors_) next_expiry_ = std::min(next_expiry_, row.second.expiry);
  for (const auto& row : hosts_) next_expiry_ = std::min(next_expiry_, row.second);
}

void ApplicationHealth::exclude_host(HostId host, Instant expiry, TaskSchedulerEffects& effects) {
  hosts_.emplace(host, expiry);
  ++host_changes_;
  if (settings_.kill_excluded_executors) effects.events.emplace_back(KillExcludedHost{host});
}

void ApplicationHealth::on_fetch_failure(Instant now, HostId host, std::int32_t executor,
                                         TaskSchedulerEffects& effects) {
  if (!settings_.fetch_failure || !settings_.application) return;
  const Instant expiry = now + settings_.timeout;
  if (shuffle_service_) {
    // All executors of the host use the same shuffle service, so a fetch failure excludes the host.
    if (hosts_.contains(host)) return;
    exclude_host(host, expiry, effects);
    set_next_expiry();
    return;
  }
  if (!executors_.emplace(executor, ExcludedExecutor{host, expiry}).second) return;
  set_next_expiry();
  if (settings_.kill_excluded_executors) effects.events.emplace_back(KillExcludedExecutor{ExecutorId{executor}, false});
  executors_of_host_[host].insert(executor);
}

void ApplicationHealth::count_failures(Instant now, std::int32_t executor, const ExecutorFailures& failures) {
  std::vector<Instant>& list = failures_[executor];
  for (const auto& row : failures.by_index) list.push_back(row.second.last + settings_.timeout);
  std::erase_if(list, [now](Instant expiry) { return expiry < now; });
}

void ApplicationHealth::on_set_succeeded(Instant now, const TaskSetExclusion& set, TaskSchedulerEffects& effects) {
  if (!settings_.application) return;
  for (const auto& [executor, failures] : set.failures()) {
    count_failures(now, executor, failures);
    const auto total = static_cast<std::int32_t>(failures_[executor].size());
    if (total < settings_.application_failed_tasks_per_executor || executors_.contains(executor)) continue;
    const Instant expiry = now + settings_.timeout;
    executors_.emplace(executor, ExcludedExecutor{failures.host, expiry});
    failures_.erase(executor);
    set_next_expiry();
    if (settings_.kill_excluded_executors)
      effects.events.emplace_back(KillExcludedExecutor{ExecutorId{executor}, false});
    std::set<std::int32_t>& on_host = executors_of_host_[failures.host];
    on_host.insert(executor);
    if (static_cast<std::int32_t>(on_host.size()) >= settings_.application_failed_executors_per_node &&
        !hosts_.contains(failures.host))
      exclude_host(failures.host, expiry, effects);
  }
}

}  // namespace heddle::policies
