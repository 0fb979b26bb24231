// Devices beside cores and memory that tasks hold: GPUs and the like, each with an address.
#pragma once

#include <string>
#include <vector>

namespace heddle {

/// Devices of one kind, by address, as whoever found them wrote it.
struct DeviceAddresses {
  std::string name;  // of the kind: "gpu"
  std::vector<std::string> addresses;
  bool operator==(const DeviceAddresses&) const = default;
};

/// What one task holds while it runs.
struct TaskDevices {
  std::vector<DeviceAddresses> kinds;
};

}  // namespace heddle
