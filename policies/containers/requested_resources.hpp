// Resource types besides memory and cores that an executor's container requests, by YARN name. Settings that name a
// YARN resource are passed as they are; of Spark's resources only gpu and fpga have a YARN name. After Spark's
// ResourceRequestHelper.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/resources.hpp"

namespace heddle::policies {

/// YARN names of executors' devices. Devices with an empty name are not requested.
struct DeviceResourceNames {
  std::string gpu = "yarn.io/gpu";
  std::string fpga = "yarn.io/fpga";
};

/// `for_yarn`: by YARN name; `of_executor`: by Spark name. If both give an amount, Spark's is used.
[[nodiscard]] ResourceAmounts requested_others(const std::vector<ResourceAmount>& for_yarn,
                                               const std::map<std::string, std::int64_t>& of_executor,
                                               const DeviceResourceNames& names);

}  // namespace heddle::policies
