// Kinds of resource that a scheduler counts when it assigns containers. An uncounted kind limits no container.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle {

enum class ResourceKind : std::uint8_t { memory, cores };

/// Names of Hadoop.
[[nodiscard]] constexpr const char* to_string(ResourceKind kind) {
  return kind == ResourceKind::memory ? "MEMORY" : "CPU";
}

/// In the order of the enum.
using ResourceKinds = std::vector<ResourceKind>;

}  // namespace heddle
