// Tasks of a job whose file system was unreachable: when its job ends, instead of another attempt.
#pragma once

#include <algorithm>
#include <chrono>
#include <map>

#include "model/time.hpp"

namespace heddle::policies {

/// `Task` names a task in its job, or in its task set.
template <class Task>
class UnreachableTasks {
public:
  /// An attempt of the task has failed after this run time, because its file system was unreachable. Returns true if
  /// it is not the first one since the task began or last succeeded, and these attempts have run for at least five
  /// minutes in sum: most of that time they have waited for the file system, so another one only makes the user wait.
  /// A file system that only one node cannot reach, or a replica that is missing for a moment, fails the attempts
  /// sooner, and other attempts may succeed. Time between two attempts does not count: the second one waits for a slot.
  [[nodiscard]] bool stays_unreachable(const Task& task, Duration run_time) {
    constexpr Duration enough = std::chrono::minutes{5};
    const auto [row, is_first] = run_times_.try_emplace(task);
    row->second += std::clamp(run_time, Duration{0}, enough);  // as another process has measured it
    return !is_first && row->second >= enough;
  }
  /// The task has succeeded. If its output is lost later, the next failure is the first one again.
  void erase(const Task& task) { run_times_.erase(task); }

private:
  std::map<Task, Duration> run_times_;  // sums of such attempts
};

}  // namespace heddle::policies
