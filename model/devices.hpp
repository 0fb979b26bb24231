// Devices that tasks hold in addition to cores and memory, such as GPUs. Each device has an address.
#pragma once

#include <string>
#include <vector>

namespace heddle {

/// Addresses of the devices of one kind, as the discovery script or the user wrote them.
struct DeviceAddresses {
  std::string name;  // kind of device: "gpu"
  std::vector<std::string> addresses;
  bool operator==(const DeviceAddresses&) const = default;
};

/// Devices that one task holds while it runs.
struct TaskDevices {
  std::vector<DeviceAddresses> kinds;
};

}  // namespace heddle
