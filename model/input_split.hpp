// A part of a file that one task reads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
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

/// Names that Hadoop takes for no input: they begin with _ or a full stop.
[[nodiscard]] inline bool is_hidden_name(std::string_view name) { return name.starts_with('_') || name.starts_with('.'); }

/// False for content that can only be read from its start.
[[nodiscard]] inline bool is_splittable_name(std::string_view name) { return !name.ends_with(".gz"); }

}  // namespace heddle
