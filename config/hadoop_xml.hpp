// Hadoop's configuration files: <configuration><property><name/><value/></property>…</configuration>.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/setting_entry.hpp"
#include "model/result.hpp"

namespace heddle::config {

/// Every property in the order of the file, values without blanks at their ends. A usage error for what is no such file.
Result<std::vector<SettingEntry>> parse_hadoop_xml(const std::string& name, std::string_view content);

}  // namespace heddle::config
