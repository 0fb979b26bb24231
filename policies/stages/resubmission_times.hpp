// When failed stages are submitted again. Each first failure of a stage adds an instant.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "model/time.hpp"

namespace heddle::policies {

class ResubmissionTimes {
public:
  void add(Instant due) { due_.insert(std::upper_bound(due_.begin(), due_.end(), due), due); }
  /// Removes the earliest instant if it has come.
  bool take_due(Instant now) {
    if (due_.empty() || due_.front() > now) return false;
    due_.erase(due_.begin());
    return true;
  }
  [[nodiscard]] std::optional<Instant> next_due() const {
    return due_.empty() ? std::nullopt : std::optional{due_.front()};
  }

private:
  std::vector<Instant> due_;  // ascending
};

}  // namespace heddle::policies
