// Finds the devices of an executor: from the addresses in its settings, or with a discovery script.
// Source: Spark 3.5 ResourceDiscoveryScriptPlugin, ResourceUtils.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/devices.hpp"
#include "model/result.hpp"

namespace heddle::work {

/// A requested kind of device.
struct DeviceSearch {
  std::string name;
  std::int64_t amount = 1;             // required number of devices
  std::string script;                  // run without arguments; prints {"name": "gpu", "addresses": ["0", "1"]}
  std::vector<std::string> addresses;  // used if there is no script
  std::chrono::milliseconds patience = std::chrono::minutes{1};
};

/// Parses the output of a discovery script. Fails if it is not JSON of the expected form or has another name.
[[nodiscard]] Result<DeviceAddresses> parse_devices(std::string_view name, std::string_view printed);

/// Returns all addresses of each kind, in the order of `searches`. Fails at the first kind whose script does not exist,
/// exits with an error, prints something else, or finds fewer devices than requested. Blocks while scripts run, each
/// for at most its `patience`.
[[nodiscard]] Result<std::vector<DeviceAddresses>> find_devices(const std::vector<DeviceSearch>& searches);

}  // namespace heddle::work
