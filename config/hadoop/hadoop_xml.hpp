// Reader of Hadoop configuration files: <configuration><property><name/><value/></property>…</configuration>.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/table/setting_entry.hpp"
#include "model/result.hpp"

namespace heddle::config {

/// One property; `line` is 0 if it does not come from a file.
struct HadoopProperty {
  std::string key;
  std::string value;  // untrimmed
  std::int64_t line = 0;
};

/// All properties in the order of the file. Fails with Errc::usage if the content has another format.
[[nodiscard]] Result<std::vector<HadoopProperty>> read_hadoop_properties(const std::string& name,
                                                                         std::string_view content);
/// The same as settings, with trimmed values.
[[nodiscard]] Result<std::vector<SettingEntry>> parse_hadoop_xml(const std::string& name, std::string_view content);

}  // namespace heddle::config
