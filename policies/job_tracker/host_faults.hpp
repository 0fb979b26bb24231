// Faults of hosts in a window of time, in buckets, and the gray hosts: those with many more faults than others. A fault
// may make a host gray; it stops being gray when its faults expire or one of its trackers restarts. Cost: linear in the
// hosts with faults. After the FaultInfo tables of Hadoop 1.2's JobTracker (JT-6).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "model/time.hpp"
#include "policies/job_tracker/classic_task.hpp"
#include "policies/job_tracker/job_queue_settings.hpp"

namespace heddle::policies {

class HostFaults {
public:
  explicit HostFaults(std::int32_t faults_max, FaultWindow window = {});

  /// A job succeeded that avoided this host. `trackers` and `gray_trackers` are those of the cluster now.
  void add(Instant now, HostIndex host, std::int32_t trackers, std::int32_t gray_trackers);
  /// Checks whether a gray host is still gray.
  void review(Instant now, HostIndex host, std::int32_t trackers);
  void forget(HostIndex host) { hosts_.erase(host); }
  [[nodiscard]] std::int32_t count(Instant now, HostIndex host);
  [[nodiscard]] bool is_gray(HostIndex host) const;

private:
  struct Host {
    std::vector<std::int32_t> faults;  // by bucket
    Instant rotated{};                 // start of the newest bucket
    bool is_gray = false;
  };
  [[nodiscard]] std::size_t bucket_of(Instant when) const;
  void rotate(Host& host, Instant now) const;
  static std::int32_t sum(const Host& host);
  [[nodiscard]] bool exceeds(Instant now, HostIndex host, std::int32_t trackers);

  std::int32_t faults_max_;
  Duration bucket_width_;
  std::size_t buckets_;
  std::map<HostIndex, Host> hosts_;
};

}  // namespace heddle::policies
