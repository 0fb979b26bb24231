// What the settings say of devices, by kind: the rows of which the name holds NAME, gathered.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/table/settings.hpp"

namespace heddle::config {

/// One kind of device: what a task takes of it, what an executor needs, and how it knows which it has.
struct DeviceRequest {
  std::string name;
  double task_amount = 0;
  std::int64_t executor_amount = 0;
  std::string discovery_script;
  std::vector<std::string> addresses;  // instead of a script
  bool operator==(const DeviceRequest&) const = default;
};

/// Every kind that some setting names, by name.
[[nodiscard]] std::vector<DeviceRequest> device_requests(const Settings& settings);

}  // namespace heddle::config
