// The kinds of resource that a scheduler counts when it looks for room; what it does not count bounds nobody.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle {

enum class ResourceKind : std::uint8_t { memory, cores };

/// Hadoop's words.
[[nodiscard]] constexpr const char* to_string(ResourceKind kind) {
  return kind == ResourceKind::memory ? "MEMORY" : "CPU";
}

/// In the order of the enum.
using ResourceKinds = std::vector<ResourceKind>;

}  // namespace heddle
