#include "actors/driver/executor_devices.hpp"

#include <algorithm>

namespace heddle::actors {

ExecutorDevices::ExecutorDevices(const std::vector<DeviceNeed>& needs, const std::vector<DeviceAddresses>& found,
                                 ProfileId profile) {
  detail_.profile = profile;
  for (std::size_t kind = 0; kind < needs.size(); ++kind) {
    const auto known =
        std::find_if(found.begin(), found.end(), [&](const auto& one) { return one.name == needs[kind].name; });
    kinds_.push_back(known == found.end() ? DeviceAddresses{needs[kind].name, {}} : *known);
    for (std::size_t address = 0; address < kinds_.back().addresses.size(); ++address)
      detail_.free.push_back(
          {static_cast<std::int32_t>(kind), static_cast<std::int32_t>(address), policies::whole_address});
  }
}

std::int32_t ExecutorDevices::slots(const std::vector<DeviceNeed>& needs, std::int32_t cores,
                                    std::int32_t task_cores) const {
  policies::FreeShares whole = detail_.free;
  for (auto& one : whole) one.share = policies::whole_address;
  std::vector<policies::TaskResource> resources;
  for (std::size_t kind = 0; kind < needs.size(); ++kind)
    resources.push_back({static_cast<std::int32_t>(kind), needs[kind].amount});
  return policies::slots_for(cores, whole, task_cores, resources);
}

TaskDevices ExecutorDevices::take(policies::LaunchId attempt, const std::vector<policies::ResourceShare>& shares) {
  policies::acquire_resources(detail_.free, shares);
  held_.insert_or_assign(attempt, shares);
  TaskDevices devices;
  for (const auto& share : shares) {
    const auto& kind = kinds_[static_cast<std::size_t>(share.kind)];
    if (devices.kinds.empty() || devices.kinds.back().name != kind.name) devices.kinds.push_back({kind.name, {}});
    devices.kinds.back().addresses.push_back(kind.addresses[static_cast<std::size_t>(share.address)]);
  }
  return devices;
}

void ExecutorDevices::give_back(policies::LaunchId attempt) {
  const auto holding = held_.find(attempt);
  if (holding == held_.end()) return;
  for (auto share : holding->second) {
    share.share = -share.share;
    policies::acquire_resources(detail_.free, {&share, 1});
  }
  held_.erase(holding);
}

}  // namespace heddle::actors
