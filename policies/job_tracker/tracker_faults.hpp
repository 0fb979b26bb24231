// Failed attempts of one classic job by host, and the hosts that the job avoids because of them. Flaky hosts are
// avoided, and failures are counted, only while less than a quarter of the trackers is flaky. Cost: logarithmic in the
// hosts. After Hadoop 1.2's JobInProgress.
#pragma once

#include <cstdint>
#include <map>

#include "policies/job_tracker/classic_task.hpp"

namespace heddle::policies {

class TrackerFaults {
public:
  explicit TrackerFaults(std::int32_t failures_max) : failures_max_{failures_max} {}

  void see_trackers(std::int32_t count) { trackers_ = count; }
  /// True if the host has become flaky.
  bool add(HostIndex host) {
    if (!are_avoided()) return false;
    const bool is_flaky = ++failures_[host] == failures_max_;
    flaky_ += is_flaky ? 1 : 0;
    return is_flaky;
  }
  [[nodiscard]] bool accepts(HostIndex host) const {
    const auto row = failures_.find(host);
    const std::int32_t failures = row == failures_.end() ? 0 : row->second;
    return !(are_avoided() && failures >= failures_max_);
  }
  /// Fewer than a quarter of the trackers are flaky, so these get no task.
  [[nodiscard]] bool are_avoided() const { return flaky_ < trackers_ * flaky_part; }
  [[nodiscard]] std::int32_t flaky() const { return flaky_; }
  [[nodiscard]] std::int32_t trackers() const { return trackers_; }
  [[nodiscard]] const std::map<HostIndex, std::int32_t>& failures() const { return failures_; }
  [[nodiscard]] std::int32_t failures_max() const { return failures_max_; }

private:
  static constexpr double flaky_part = 0.25;

  std::int32_t failures_max_;
  std::int32_t trackers_ = 0;
  std::int32_t flaky_ = 0;
  std::map<HostIndex, std::int32_t> failures_;
};

}  // namespace heddle::policies
