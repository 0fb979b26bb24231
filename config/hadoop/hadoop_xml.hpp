// Hadoop's configuration files: <configuration><property><name/><value/></property>…</configuration>.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/table/setting_entry.hpp"
#include "model/result.hpp"

namespace heddle::config {

/// One property; `line` 0: it came from no file.
struct HadoopProperty {
  std::string key;
  std::string value;  // with the blanks at its ends
  std::int64_t line = 0;
};

/// Every property in the order of the file. A usage error for what is no such file.
[[nodiscard]] Result<std::vector<HadoopProperty>> read_hadoop_properties(const std::string& name,
                                                                         std::string_view content);
/// The same as settings, values without blanks at their ends.
[[nodiscard]] Result<std::vector<SettingEntry>> parse_hadoop_xml(const std::string& name, std::string_view content);

}  // namespace heddle::config
