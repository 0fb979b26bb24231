// Extra resources that the container of an executor requests, under YARN's names. Settings that name a YARN resource
// are passed as they are; of Spark's resources only gpu and fpga have a YARN name. After Spark's ResourceRequestHelper.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "model/extra_resource.hpp"

namespace heddle::policies {

/// YARN names of executors' devices. Devices with an empty name are not requested.
struct ExtraNames {
  std::string gpu = "yarn.io/gpu";
  std::string fpga = "yarn.io/fpga";
};

/// `for_yarn`: by YARN name; `of_executor`: by Spark name. If both give an amount, Spark's is used. Result sorted by
/// name.
[[nodiscard]] ExtraResources requested_extras(const ExtraResources& for_yarn,
                                              const std::map<std::string, std::int64_t>& of_executor,
                                              const ExtraNames& names);

}  // namespace heddle::policies
