// Lists of a classic job's tasks, and the search for a task that a tracker may run. Cost: a search costs the entries it
// purges. After Hadoop 1.2's JobInProgress.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "policies/job_tracker/classic_cluster.hpp"
#include "policies/job_tracker/classic_task.hpp"

namespace heddle::policies {

/// Task numbers in order of insertion, each once.
class OrderedTasks {
public:
  void add(std::int32_t task) {
    if (place_.try_emplace(task, next_).second) tasks_.emplace(next_++, task);
  }
  void remove(std::int32_t task) {
    const auto row = place_.find(task);
    if (row == place_.end()) return;
    tasks_.erase(row->second);
    place_.erase(row);
  }
  [[nodiscard]] std::map<std::int64_t, std::int32_t>& in_order() { return tasks_; }
  void remove_at(std::map<std::int64_t, std::int32_t>::iterator row) {
    place_.erase(row->second);
    tasks_.erase(row);
  }

private:
  std::map<std::int64_t, std::int32_t> tasks_;
  std::map<std::int32_t, std::int64_t> place_;
  std::int64_t next_ = 0;
};

/// Most failures first, then by number. The failures are those at the time of insertion.
using FailedFirst = std::set<std::pair<std::int32_t, std::int32_t>>;

/// Arguments of a search besides the lists.
struct TaskSearch {
  const std::vector<ClassicTask>& tasks;
  const ClassicTracker& tracker;
  ClassicCluster& cluster;
  const JobRules& rules;
};

[[nodiscard]] inline std::int32_t task_of(std::int32_t task) { return task; }
[[nodiscard]] inline std::int32_t task_of(const std::pair<std::int32_t, std::int32_t>& entry) { return entry.second; }

/// Removes and returns the first task of a list that the tracker may run. Also removes tasks before it that no longer
/// wait.
template <class Tasks>
std::optional<std::int32_t> pop_waiting(Tasks& list, const TaskSearch& search, bool drop_failed_here) {
  for (auto entry = list.begin(); entry != list.end();) {
    const std::int32_t number = task_of(*entry);
    const ClassicTask& task = search.tasks[static_cast<std::size_t>(number)];
    const bool waits = task.is_runnable() && !task.is_running();
    const bool fits = waits && (!task.has_failed_on(search.tracker.host) ||
                                static_cast<std::int32_t>(task.failed_hosts()) >= search.cluster.unique_hosts());
    if (fits) {
      list.erase(entry);
      return number;
    }
    entry = !waits || drop_failed_here ? list.erase(entry) : std::next(entry);
  }
  return std::nullopt;
}

/// The first task that is slow compared with the average progress, and may have a copy on the tracker.
std::optional<std::int32_t> find_slow(OrderedTasks& list, const TaskSearch& search, double average, bool drop);

}  // namespace heddle::policies
