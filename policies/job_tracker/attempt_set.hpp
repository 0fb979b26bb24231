// A small ordered set of attempts in one piece of memory, because the scheduler reads those of all trackers.
// Cost: an insertion and a removal are linear in the attempts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "model/task_attempt_id.hpp"

namespace heddle::policies {

class AttemptSet {
public:
  [[nodiscard]] auto begin() const { return attempts_.begin(); }
  [[nodiscard]] auto end() const { return attempts_.end(); }
  [[nodiscard]] std::size_t size() const { return attempts_.size(); }
  [[nodiscard]] bool empty() const { return attempts_.empty(); }
  [[nodiscard]] bool contains(const TaskAttemptId& attempt) const {
    return std::binary_search(attempts_.begin(), attempts_.end(), attempt);
  }
  [[nodiscard]] bool contains_any_of(JobId job) const {
    return std::any_of(attempts_.begin(), attempts_.end(), [job](const auto& each) { return each.job == job; });
  }
  void insert(const TaskAttemptId& attempt) {
    const auto place = std::lower_bound(attempts_.begin(), attempts_.end(), attempt);
    if (place == attempts_.end() || *place != attempt) attempts_.insert(place, attempt);
  }
  void erase(const TaskAttemptId& attempt) { std::erase(attempts_, attempt); }
  void erase_all_of(JobId job) {
    std::erase_if(attempts_, [job](const auto& each) { return each.job == job; });
  }

private:
  std::vector<TaskAttemptId> attempts_;  // ascending
};

}  // namespace heddle::policies
