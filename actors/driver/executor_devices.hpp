// Devices (such as GPUs) of one executor: their addresses, the free share of each, and the shares that each task
// attempt holds until it ends.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "actors/driver/driver_settings.hpp"
#include "model/devices.hpp"
#include "policies/tasks/types/task_resources.hpp"
#include "policies/tasks/types/task_set_key.hpp"

namespace heddle::actors {

class ExecutorDevices {
public:
  ExecutorDevices() = default;
  /// `found`: the devices that the executor reported. Kinds that no task needs are ignored.
  ExecutorDevices(const std::vector<DeviceNeed>& needs, const std::vector<DeviceAddresses>& found,
                  ProfileId profile = ProfileId{0});

  /// Tasks that the idle executor could run at the same time.
  [[nodiscard]] std::int32_t slots(const std::vector<DeviceNeed>& needs, std::int32_t cores,
                                   std::int32_t task_cores) const;
  /// The device part of its offers; null if tasks need only cores and the executor has the default profile.
  [[nodiscard]] const policies::OfferDetail* offered() const {
    return kinds_.empty() && detail_.profile == ProfileId{0} ? nullptr : &detail_;
  }
  /// Assigns the shares to the attempt and returns their addresses.
  TaskDevices assign(policies::LaunchId attempt, const std::vector<policies::ResourceShare>& shares);
  /// Frees the shares of the attempt, if it has any.
  void release(policies::LaunchId attempt);

private:
  std::vector<DeviceAddresses> kinds_;  // by index of the kind
  policies::OfferDetail detail_;
  std::map<policies::LaunchId, std::vector<policies::ResourceShare>> held_;
};

}  // namespace heddle::actors
