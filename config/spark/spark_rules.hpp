// Rules over Spark settings with which Spark does not start, even where heddle has no counterpart.
#pragma once

#include <string>
#include <vector>

#include "config/table/setting_entry.hpp"

namespace heddle::config {

/// One sentence per broken rule. Values that cannot be parsed are skipped.
[[nodiscard]] std::vector<std::string> broken_spark_rules(const std::vector<SettingEntry>& entries);

}  // namespace heddle::config
