// What the Driver requests from its source of executors (the YarnAllocator): a target per resource profile and excluded
// hosts; and whether enough executors have registered to start jobs. Plain classes: no actor, no clock.
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
  /// How a source that registers relates to the one before it.
  struct Registration {
    bool is_stale = false;        // it belongs to an earlier application attempt than the current source
    bool is_refused = false;      // its application attempt is too far after the current one
    bool is_another = false;      // another source was registered before
    bool is_new_attempt = false;  // first source of a later application attempt: earlier executors are lost
  };
  /// Maximum number of consecutive application attempts that ended before their allocator registered. The attempt
  /// number bounds the ids of executors, so the Driver refuses a number that the ResourceManager cannot have assigned.
  static constexpr std::int32_t missing_attempts_max = 4;
  /// `own_attempt`: the application attempt of this Driver.
  Registration connect(std::int32_t attempt, std::int32_t own_attempt = 1);
  void disconnect() { source_ = SourceState::gone; }
  [[nodiscard]] bool has_source() const { return source_ == SourceState::connected; }
  /// A source was connected before, and none is connected now.
  [[nodiscard]] bool has_lost_source() const { return attempt_ > 0 && !has_source(); }
  [[nodiscard]] std::int32_t attempt() const { return attempt_; }
  /// Marks the application as stopping. Precondition: stopped() is empty.
  void stop(StopAllocator stop) { stop_ = std::move(stop); }
  [[nodiscard]] const std::optional<StopAllocator>& stopped() const { return stop_; }

  // -- resource profiles ---------------------------------------------------------------------
  /// The profile for executors of this size, and whether it is new. Equal sizes share a profile. `task_cores` 0: the
  /// default of the settings.
  std::pair<ProfileId, bool> profile_of(std::int32_t cores, std::int64_t memory_mib, std::int32_t task_cores);
  /// Requirements of tasks of the profile beside cores; none: no devices and the default profile.
  [[nodiscard]] std::optional<policies::TaskNeed> need_of(ProfileId profile) const;
  [[nodiscard]] std::int32_t tasks_per_executor(ProfileId profile) const;

  // -- the request ----------------------------------------------------------------------------
  void set_totals(const std::vector<policies::RequestExecutorTotals::OfProfile>& totals, const HostTable& hosts);
  void set_total(ProfileId profile, std::int32_t total);
  void set_excluded_hosts(std::vector<std::string> hosts) { request_.excluded_hosts = std::move(hosts); }
  [[nodiscard]] bool is_excluded(const std::string& host) const;
  /// True if the excluded hosts have changed since the last call. `changes`: how often the TaskScheduler has changed
  /// them.
  [[nodiscard]] bool record_exclusion_changes(std::uint64_t changes) {
    return std::exchange(exclusion_changes_, changes) != changes;
  }
  [[nodiscard]] const RequestExecutors& current() const { return request_; }
  /// Executors of all profiles.
  [[nodiscard]] std::int32_t target_total() const { return request_.target_total(); }

private:
  [[nodiscard]] std::int32_t tasks_of_executor(std::int32_t cores, std::int32_t task_cores) const;

  std::vector<DeviceNeed> devices_;
  std::int32_t task_cores_;  // of a task whose stage does not set it
  SourceState source_ = SourceState::none;
  std::int32_t attempt_ = 0;  // application attempt of the last source; 0: none has registered
  std::optional<StopAllocator> stop_;
  // The YarnAllocator knows the executor size of the default profile from its own settings.
  policies::ResourceProfiles profiles_{policies::ResourceNeeds{}};
  RequestExecutors request_;
  std::uint64_t exclusion_changes_ = 0;
};

/// Opens when enough executors have registered or the wait is over; jobs start only then (BE-13). It never closes
/// again, even if executors are lost.
class RegistrationGate {
public:
  RegistrationGate(double ratio_min, Instant wait_until) : ratio_min_{ratio_min}, wait_until_{wait_until} {}

  void expect(std::int32_t executors) { expected_ = executors; }
  [[nodiscard]] bool is_open() const { return is_open_; }
  /// True if this call opens it.
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
