// Tasks of a job whose file system was unreachable: when its job ends, instead of another attempt.
#pragma once

#include <chrono>
#include <map>

#include "model/time.hpp"

namespace heddle::policies {

/// `Task` names a task in its job, or in its task set.
template <class Task>
class UnreachableTasks {
public:
  /// An attempt of the task has failed, because its file system was unreachable. Returns true if it was unreachable
  /// five minutes ago too: each attempt has waited for it, for minutes, so another one only makes the user wait. A file
  /// system that only one node cannot reach, or a replica that is missing for a moment, fails the attempts sooner, and
  /// other attempts may succeed.
  [[nodiscard]] bool stays_unreachable(Instant now, const Task& task) {
    constexpr auto wait = std::chrono::minutes{5};
    return now - first_.try_emplace(task, now).first->second >= wait;
  }

private:
  std::map<Task, Instant> first_;  // first such failure
};

}  // namespace heddle::policies
