#include "policies/tasks/task_exclusion.hpp"

#include <algorithm>

namespace heddle::policies {

bool TaskSetExclusion::excludes(std::int32_t executor, std::int32_t index) const {
  if (!settings_.task_and_stage) return false;
  const auto row = failures_.find(executor);
  if (row == failures_.end()) return false;
  const auto task = row->second.by_index.find(index);
  return (task == row->second.by_index.end() ? 0 : task->second.count) >= settings_.task_attempts_per_executor;
}

bool TaskSetExclusion::excludes(HostId host, std::int32_t index) const {
  if (!settings_.task_and_stage) return false;
  const auto row = excluded_indices_.find(host);
  return row != excluded_indices_.end() && row->second.contains(index);
}

void TaskSetExclusion::on_failure(Instant now, HostId host, std::int32_t executor, std::int32_t index) {
  // An executor keeps the host of its first failure, as in Spark.
  ExecutorFailures& failures = failures_.try_emplace(executor, ExecutorFailures{host, {}}).first->second;
  ExecutorFailures::OfTask& task = failures.by_index[index];
  ++task.count;
  task.last = std::max(task.last, now);

  std::set<std::int32_t>& on_host = failed_executors_[host];
  on_host.insert(executor);
  // Counts attempts, not executors, since the limit of a task is in attempts too.
  std::int32_t attempts_on_host = 0;
  for (const std::int32_t failed : on_host) {
    const auto& by_index = failures_.at(failed).by_index;
    const auto row = by_index.find(index);
    if (row != by_index.end()) attempts_on_host += row->second.count;
  }
  if (attempts_on_host >= settings_.task_attempts_per_node) excluded_indices_[host].insert(index);

  if (static_cast<std::int32_t>(failures.by_index.size()) < settings_.stage_failed_tasks_per_executor) return;
  if (!executors_.insert(executor).second) return;
  const auto excluded = std::count_if(on_host.begin(), on_host.end(),
                                      [this](std::int32_t failed) { return executors_.contains(failed); });
  if (excluded >= settings_.stage_failed_executors_per_node) hosts_.insert(host);
}

}  // namespace heddle::policies
