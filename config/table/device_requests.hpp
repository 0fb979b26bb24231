// Settings of devices, one entry per kind, from all keys with NAME.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/table/settings.hpp"

namespace heddle::config {

/// Settings of one kind of device: per task, per executor, and how an executor finds its devices.
struct DeviceRequest {
  std::string name;
  double task_amount = 0;
  std::int64_t executor_amount = 0;
  std::string discovery_script;
  std::vector<std::string> addresses;  // replace the script
  bool operator==(const DeviceRequest&) const = default;
};

/// All kinds with a setting, ordered by name.
[[nodiscard]] std::vector<DeviceRequest> device_requests(const Settings& settings);

}  // namespace heddle::config
