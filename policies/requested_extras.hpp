// What the container of an executor is asked for beside memory and cores: the kinds that YARN is told, under YARN's names.
// What is named for YARN itself goes as it is; of Spark's kinds gpu and fpga alone have a name there. After Spark's ResourceRequestHelper.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "model/extra_resource.hpp"
#include "model/result.hpp"

namespace heddle::policies {

struct ExtraNames {
  std::string gpu = "yarn.io/gpu";
  std::string fpga = "yarn.io/fpga";
};

/// "2", "2G", "512Mi": a whole number, in thousands (k, M, G, T, P) or in powers of 1024 (Ki, Mi, Gi, Ti, Pi).
[[nodiscard]] Result<std::int64_t> read_amount(std::string_view text);

/// `for_yarn`: amounts as written, by YARN's names; `of_executor`: Spark's kinds. A name that stands in both has the amount of Spark's.
[[nodiscard]] Result<ExtraResources> requested_extras(const std::map<std::string, std::string>& for_yarn,
                                                      const std::map<std::string, std::int64_t>& of_executor, const ExtraNames& names);

}  // namespace heddle::policies
