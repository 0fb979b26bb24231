#include "policies/tasks/task_copies.hpp"

#include <algorithm>

namespace heddle::policies {

void ReadRates::record(LaunchId attempt, const AttemptProgress& seen, bool is_final) {
  const double seconds = static_cast<double>(to_milliseconds(seen.run_time)) / 1000.0;
  if (!is_final) {
    if (seconds > 0) rates_.insert_or_assign(attempt, static_cast<double>(seen.records) / seconds);
    return;
  }
  records_done_ += static_cast<double>(seen.records);
  seconds_done_ += seconds;
}

/// An attempt without a report has rate 0. Without finished attempts every attempt is inefficient, as in Spark.
bool ReadRates::is_inefficient(LaunchId attempt, double share) const {
  if (seconds_done_ <= 0) return true;
  const auto row = rates_.find(attempt);
  return (row == rates_.end() ? 0.0 : row->second) < records_done_ / seconds_done_ * share;
}

void TaskCopies::request(std::int32_t index, std::span<const PreferredLocation> places,
                         const ExecutorDirectory& directory) {
  pending_.push(index, places, directory);
  requested_.insert(index);
  ever_requested_.insert(index);
}

bool TaskCopies::has_waiting(const TaskStates& states) const {
  return pending_.all.any(
      pending_.store, [&](std::int32_t index) { return !states[index].is_successful && states[index].copies == 1; });
}

void TaskCopies::record_success_on(std::int32_t index, HostId host, TaskSetKind kind, std::size_t tasks) {
  // A stale request for a copy stays in the lists of the host where the task succeeded, and keeps the set schedulable.
  if (ever_requested_.contains(index)) record_failure_on(index, host);
  if (kind != TaskSetKind::map) return;
  if (succeeded_on_.empty()) succeeded_on_.resize(tasks);
  succeeded_on_[static_cast<std::size_t>(index)] = host;
}

void TaskCopies::record_lost_output(std::int32_t index) {
  if (succeeded_on_.empty()) return;
  HostId& host = succeeded_on_[static_cast<std::size_t>(index)];
  if (!host.is_none()) record_failure_on(index, host);
  host = HostId{};
}

bool TaskCopies::was_tried_on(std::int32_t index, HostId host, AttemptSlot first_live,
                              const AttemptTable& attempts) const {
  for (AttemptSlot slot = first_live; slot != no_attempt; slot = attempts.at(slot).next_of_task)
    if (attempts.at(slot).host == host) return true;
  const auto row = hosts_tried_.find(index);
  return row != hosts_tried_.end() && std::find(row->second.begin(), row->second.end(), host) != row->second.end();
}

}  // namespace heddle::policies
