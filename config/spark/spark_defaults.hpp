// Reader of spark-defaults.conf (Java properties format), as Spark reads it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/table/setting_entry.hpp"
#include "model/result.hpp"

namespace heddle::config {

/// All properties in the order of the file; the last line of a key wins. Comments start with # or !. A key ends at the
/// first blank, = or :. A backslash at the end of a line joins it with the next. Escapes: \t \n \r \f \uXXXX. Keys that
/// do not start with "spark." are dropped, as in Spark. Accepts any bytes.
[[nodiscard]] std::vector<SettingEntry> parse_spark_defaults(const std::string& name, std::string_view content);

}  // namespace heddle::config
