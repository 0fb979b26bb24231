// What Spark itself refuses to start with in its settings, also where heddle has no counterpart: a file that Spark
// would not take is wrong.
#pragma once

#include <string>
#include <vector>

#include "config/table/setting_entry.hpp"

namespace heddle::config {

/// One sentence per rule that the entries break. Values that cannot be read break no rule here.
[[nodiscard]] std::vector<std::string> broken_spark_rules(const std::vector<SettingEntry>& entries);

}  // namespace heddle::config
