// A rack table in Hadoop's format (net.topology.table.file.name): a line per host, `host rack`, separated by blanks.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"

namespace heddle::config {

struct RackTable {
  std::map<std::string, std::string, std::less<>>
      rack_of;                        // by host; of a host that is named twice the later line counts
  std::vector<std::string> warnings;  // lines that are not two words, which Hadoop passes over too
};

/// Total: any bytes give a table. Lines of blanks and lines that begin with # are nothing.
[[nodiscard]] RackTable parse_rack_table(const std::string& name, std::string_view content);

}  // namespace heddle::config
