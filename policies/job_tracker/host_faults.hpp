// Faults of hosts in the last three hours, in buckets of 15 minutes, and the gray hosts: those with many more faults
// than others. A fault may make a host gray; it stops being gray when its faults expire or one of its trackers
// restarts. Cost: linear in the hosts with faults. After the FaultInfo tables of Hadoop 1.2's JobTracker (JT-6).
#pragma once

#include <array>
#include <cstdint>
#include <map>

#include "model/time.hpp"
#include "policies/job_tracker/classic_task.hpp"

namespace heddle::policies {

class HostFaults {
public:
  explicit HostFaults(std::int32_t faults_max) : faults_max_{faults_max} {}

  /// A job succeeded that avoided this host. `trackers` and `gray_trackers` are those of the cluster now.
  void add(Instant now, HostIndex host, std::int32_t trackers, std::int32_t gray_trackers);
  /// Checks whether a gray host is still gray.
  void review(Instant now, HostIndex host, std::int32_t trackers);
  void forget(HostIndex host) { hosts_.erase(host); }
  [[nodiscard]] std::int32_t count(Instant now, HostIndex host);
  [[nodiscard]] bool is_gray(HostIndex host) const;

private:
  static constexpr Duration bucket_width = std::chrono::minutes{15};
  struct Host {
    std::array<std::int32_t, 12> faults{};
    Instant rotated{};  // start of the newest bucket
    bool is_gray = false;
  };
  static std::size_t bucket_of(Instant when);
  static void rotate(Host& host, Instant now);
  static std::int32_t sum(const Host& host);
  [[nodiscard]] bool exceeds(Instant now, HostIndex host, std::int32_t trackers);

  std::int32_t faults_max_;
  std::map<HostIndex, Host> hosts_;
};

}  // namespace heddle::policies
