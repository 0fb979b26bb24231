// Reader of a rack table in Hadoop's format (net.topology.table.file.name): one line `host rack` per host, separated by
// blanks.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"

namespace heddle::config {

struct RackTable {
  std::map<std::string, std::string, std::less<>> rack_of;  // by host; the last line of a host wins
  std::vector<std::string> warnings;  // lines without exactly two columns; Hadoop ignores them too
};

/// Accepts any bytes. Ignores empty lines and lines that start with #.
[[nodiscard]] RackTable parse_rack_table(const std::string& name, std::string_view content);

}  // namespace heddle::config
