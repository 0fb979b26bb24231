// Resources of a container or a node, in whole numbers.
#pragma once

#include <compare>
#include <cstdint>

namespace heddle {

/// Memory in MiB and virtual cores, as YARN counts them.
struct Resource {
  std::int64_t memory_mib = 0;
  std::int64_t cores = 0;

  auto operator<=>(const Resource&) const = default;
  constexpr Resource& operator+=(const Resource& other) {
    memory_mib += other.memory_mib;
    cores += other.cores;
    return *this;
  }
  constexpr Resource& operator-=(const Resource& other) {
    memory_mib -= other.memory_mib;
    cores -= other.cores;
    return *this;
  }
};

[[nodiscard]] constexpr Resource operator+(Resource a, const Resource& b) { return a += b; }
[[nodiscard]] constexpr Resource operator-(Resource a, const Resource& b) { return a -= b; }
/// True if every dimension of `what` is at most that of `room`.
[[nodiscard]] constexpr bool fits_in(const Resource& what, const Resource& room) {
  return what.memory_mib <= room.memory_mib && what.cores <= room.cores;
}

}  // namespace heddle
