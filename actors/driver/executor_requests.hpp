// What the Driver requests from its source of executors: totals per resource profile, excluded hosts, and whether the
// first executors are there. A plain class: no actor, no clock.
//
//   source:  none --RegisterYarnAllocator--> connected --connection broke--> gone --RegisterYarnAllocator--> connected
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actors/driver/executor_devices.hpp"
#include "actors/driver/host_table.hpp"
#include "messages/yarn_allocator.hpp"
#include "policies/executors/executor_allocation.hpp"
#include "policies/stages/resource_profiles.hpp"
#include "policies/tasks/types/task_resources.hpp"

namespace heddle::actors {

enum class SourceState : std::uint8_t { none, connected, gone };

class ExecutorRequests {
public:
  ExecutorRequests(std::vector<DeviceNeed> devices, std::int32_t task_cores)
      : devices_{std::move(devices)}, task_cores_{task_cores} {}

  // -- the source ---------------------------------------------------------------------------
  /// What a source that registers is.
  struct Registration {
    bool is_stale = false;        // of an application attempt before the current one
    bool is_another = false;      // a source was registered before
    bool is_new_attempt = false;  // executors of earlier attempts are gone
  };
  Registration connect(std::int32_t attempt);
  void disconnect() { source_ = SourceState::gone; }
  [[nodiscard]] bool has_source() const { return source_ == SourceState::connected; }
  /// A source of an application attempt was connected, and is gone.
  [[nodiscard]] bool has_lost_source() const { return attempt_ > 0 && !has_source(); }
  [[nodiscard]] std::int32_t attempt() const { return attempt_; }
  /// The application ends; the first call wins.
  void stop(StopAllocator stop) { stop_ = std::move(stop); }
  [[nodiscard]] const std::optional<StopAllocator>& stopped() const { return stop_; }

  // -- resource profiles ---------------------------------------------------------------------
  /// The profile of such executors, and whether it is new. Equal sizes share a profile.
  std::pair<ProfileId, bool> profile_of(std::int32_t cores, std::int64_t memory_mib, std::int32_t task_cores);
  /// What tasks of the profile need of an offer; none: only cores of an executor of the default profile.
  [[nodiscard]] std::optional<policies::TaskNeed> need_of(ProfileId profile) const;
  [[nodiscard]] std::int32_t tasks_per_executor(ProfileId profile) const;

  // -- the request ----------------------------------------------------------------------------
  void set_totals(const std::vector<policies::RequestExecutorTotals::OfProfile>& totals, const HostTable& hosts);
  void set_total(ProfileId profile, std::int32_t total);
  void set_excluded_hosts(std::vector<std::string> hosts) { request_.excluded_hosts = std::move(hosts); }
  [[nodiscard]] bool is_excluded(const std::string& host) const;
  /// True if hosts were excluded or let go of since the last call; `changes`: the TaskScheduler's count of that.
  [[nodiscard]] bool take_exclusion_changes(std::uint64_t changes) {
    return std::exchange(exclusion_changes_, changes) != changes;
  }
  [[nodiscard]] const RequestExecutors& current() const { return request_; }
  /// Executors of all profiles.
  [[nodiscard]] std::int32_t target_total() const { return request_.target_total(); }

private:
  [[nodiscard]] std::int32_t tasks_of_executor(std::int32_t cores, std::int32_t task_cores) const;

  std::vector<DeviceNeed> devices_;
  std::int32_t task_cores_;  // of a task whose stage does not say
  SourceState source_ = SourceState::none;
  std::int32_t attempt_ = 0;  // of the application, as the source that registered last named it
  std::optional<StopAllocator> stop_;
  // The size of an executor of the default profile is the source's own.
  policies::ResourceProfiles profiles_{policies::ResourceNeeds{}};
  RequestExecutors request_;
  std::uint64_t exclusion_changes_ = 0;
};

/// Whether jobs may start: enough executors have registered, or the wait was long enough (BE-13). Executors that are
/// lost later do not close it.
class RegistrationGate {
public:
  RegistrationGate(double ratio_min, Instant wait_until) : ratio_min_{ratio_min}, wait_until_{wait_until} {}

  void expect(std::int32_t executors) { expected_ = executors; }
  [[nodiscard]] bool is_open() const { return is_open_; }
  /// True if it opens now.
  [[nodiscard]] bool open_with(std::int32_t registered, Instant now) {
    if (is_open_) return false;
    is_open_ = registered >= expected_ * ratio_min_ || now >= wait_until_;
    return is_open_;
  }
  [[nodiscard]] std::int32_t expected() const { return expected_; }
  [[nodiscard]] double ratio_min() const { return ratio_min_; }
  [[nodiscard]] std::optional<Instant> next_due() const { return is_open_ ? std::nullopt : std::optional{wait_until_}; }

private:
  double ratio_min_;
  Instant wait_until_;
  std::int32_t expected_ = 0;
  bool is_open_ = false;
};

}  // namespace heddle::actors
