// A part of a file that one task reads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// Bytes [offset, offset + length) of `path`, and the hosts that hold them, best first.
struct InputSplit {
  std::string path;
  std::int64_t offset = 0;
  std::int64_t length = 0;
  std::vector<std::string> hosts;
  bool operator==(const InputSplit&) const = default;
};

}  // namespace heddle
