// spark-defaults.conf: Java's properties format, as Spark reads it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/table/setting_entry.hpp"
#include "model/result.hpp"

namespace heddle::config {

/// Every property in the order of the file; a key named twice counts as its last line. Comments start with # or !, a
/// key ends at the first blank, = or :, a backslash at a line's end joins lines, \t \n \r \f \uXXXX are understood.
/// Only keys that begin with "spark." are kept, as Spark does. Total: any bytes give a list.
[[nodiscard]] std::vector<SettingEntry> parse_spark_defaults(const std::string& name, std::string_view content);

}  // namespace heddle::config
