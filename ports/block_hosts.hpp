// Hosts of the blocks of local files, which the file system itself does not know.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::ports {

/// Hosts that hold the blocks of a file: from the topology file.
class BlockHosts {
public:
  virtual ~BlockHosts() = default;
  /// Hosts of bytes [offset, offset + length), best first; empty: no preference.
  [[nodiscard]] virtual std::vector<std::string> hosts(const std::string& path, std::int64_t offset,
                                                       std::int64_t length) const = 0;
};

}  // namespace heddle::ports
