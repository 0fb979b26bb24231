// Which devices an executor has: as its settings list them, or as a program of the user's finds them.
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

/// One kind that is asked for.
struct DeviceSearch {
  std::string name;
  std::int64_t amount = 1;             // that there have to be
  std::string script;                  // run without arguments; prints {"name": "gpu", "addresses": ["0", "1"]}
  std::vector<std::string> addresses;  // where there is no script
  std::chrono::milliseconds patience = std::chrono::minutes{1};
};

/// What a script has printed for this kind.
[[nodiscard]] Result<DeviceAddresses> parse_devices(std::string_view name, std::string_view printed);

/// Every kind with all addresses that were found, in the order of `searches`; the first thing that is wrong otherwise:
/// no such script, one that fails or prints something else, fewer devices than asked for. Blocks while scripts run,
/// each for as long as its patience lasts.
[[nodiscard]] Result<std::vector<DeviceAddresses>> find_devices(const std::vector<DeviceSearch>& searches);

}  // namespace heddle::work
