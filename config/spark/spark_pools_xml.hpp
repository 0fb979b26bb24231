// Reads the pool file of Spark's FAIR scheduler (fairscheduler.xml) unchanged. A wrong value gives a warning and is
// replaced by FIFO, 0 or 1, as in Spark (POOL-5). A file that is not XML fails with Errc::usage and its line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"

namespace heddle::config {

struct SparkPool {
  std::string name;
  bool is_fair = false;  // jobs in the pool share fairly; false: in order of arrival
  std::int32_t weight = 1;
  std::int32_t min_share = 0;
  bool operator==(const SparkPool&) const = default;
};

/// Pools in the order of the file. Warnings have file and line, and for an unknown property the closest known one.
struct SparkPoolsFile {
  std::vector<SparkPool> pools;
  std::vector<std::string> warnings;
};

[[nodiscard]] Result<SparkPoolsFile> read_spark_pools_xml(std::string_view text, std::string_view file_name);

}  // namespace heddle::config
