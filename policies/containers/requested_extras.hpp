// What the container of an executor is asked for beside memory and cores: the kinds that YARN is told, under YARN's
// names. What is named for YARN itself goes as it is; of Spark's kinds gpu and fpga alone have a name there. After
// Spark's ResourceRequestHelper.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "model/extra_resource.hpp"

namespace heddle::policies {

/// Under which names executors' devices are asked for; one that is empty is not.
struct ExtraNames {
  std::string gpu = "yarn.io/gpu";
  std::string fpga = "yarn.io/fpga";
};

/// `for_yarn`: by YARN's names; `of_executor`: Spark's kinds. A name that stands in both has the amount of Spark's. By
/// name.
[[nodiscard]] ExtraResources requested_extras(const ExtraResources& for_yarn,
                                              const std::map<std::string, std::int64_t>& of_executor,
                                              const ExtraNames& names);

}  // namespace heddle::policies
