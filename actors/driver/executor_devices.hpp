// Devices of one executor as the Driver keeps them: which there are, what is free of each, and what each attempt holds
// until it ends.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/devices.hpp"
#include "policies/tasks/types/task_resources.hpp"
#include "policies/tasks/types/task_scheduler_events.hpp"

namespace heddle::actors {

/// What every task takes of one kind. The kind's number for the TaskScheduler is its place in the Driver's list of
/// these.
struct DeviceNeed {
  std::string name;
  double amount = 1;
  std::int64_t executor_amount = 0;  // that an executor holds; only for how many tasks are to be expected there
};

class ExecutorDevices {
public:
  ExecutorDevices() = default;
  /// Of what the executor has, kinds that no task needs are never handed out.
  ExecutorDevices(const std::vector<DeviceNeed>& needs, const std::vector<DeviceAddresses>& found,
                  ProfileId profile = ProfileId{0});

  /// Tasks that it could run at a time if nothing ran there.
  [[nodiscard]] std::int32_t slots(const std::vector<DeviceNeed>& needs, std::int32_t cores,
                                   std::int32_t task_cores) const;
  /// For its offers; null where tasks need nothing but cores of the default profile.
  [[nodiscard]] const policies::OfferDetail* offered() const {
    return kinds_.empty() && detail_.profile == ProfileId{0} ? nullptr : &detail_;
  }
  /// The attempt holds these shares from now on, by the addresses that are returned.
  TaskDevices take(policies::LaunchId attempt, const std::vector<policies::ResourceShare>& shares);
  /// What the attempt held is free again; nothing, if it held nothing.
  void give_back(policies::LaunchId attempt);

private:
  std::vector<DeviceAddresses> kinds_;  // by number
  policies::OfferDetail detail_;
  std::map<policies::LaunchId, std::vector<policies::ResourceShare>> held_;
};

}  // namespace heddle::actors
