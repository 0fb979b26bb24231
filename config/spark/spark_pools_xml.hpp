// Reads the pool file of Spark's FAIR scheduler (fairscheduler.xml) as it is.
// A value that Spark would not take falls back to FIFO, 0 or 1 with a warning (POOL-5); a file that is no XML is an
// error with its line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"

namespace heddle::config {

struct SparkPool {
  std::string name;
  bool is_fair = false;  // how the jobs inside share: fairly, or in order of arrival
  std::int32_t weight = 1;
  std::int32_t min_share = 0;
  bool operator==(const SparkPool&) const = default;
};

/// Pools in the order of the file. Warnings name file, line, and for an unknown word the nearest known one.
struct SparkPoolsFile {
  std::vector<SparkPool> pools;
  std::vector<std::string> warnings;
};

[[nodiscard]] Result<SparkPoolsFile> read_spark_pools_xml(std::string_view text, std::string_view file_name);

}  // namespace heddle::config
