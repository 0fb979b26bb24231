// Memory and cores of a Resource, without its other resource types: what queues share, and what calculators compare.
// Records of the schedulers fill lines of the processor's cache, so that they keep this 16-byte value and the other
// types by number (OthersId).
#pragma once

#include <compare>
#include <cstdint>

#include "model/resources.hpp"

namespace heddle::policies {

struct MemoryAndCores {
  std::int64_t memory_mib = 0;
  std::int64_t cores = 0;

  constexpr MemoryAndCores() = default;
  constexpr MemoryAndCores(std::int64_t memory_in_mib, std::int64_t core_count)
      : memory_mib{memory_in_mib}, cores{core_count} {}
  /// Leaves its other resource types out.
  constexpr MemoryAndCores(const Resource& resource) : memory_mib{resource.memory_mib}, cores{resource.cores} {}

  [[nodiscard]] constexpr Resource as_resource() const { return {memory_mib, cores}; }

  static void visit_fields(auto& visit, auto& self) {
    visit("memory_mib", self.memory_mib);
    visit("cores", self.cores);
  }

  auto operator<=>(const MemoryAndCores&) const = default;
  constexpr MemoryAndCores& operator+=(const MemoryAndCores& other) {
    memory_mib += other.memory_mib;
    cores += other.cores;
    return *this;
  }
  constexpr MemoryAndCores& operator-=(const MemoryAndCores& other) {
    memory_mib -= other.memory_mib;
    cores -= other.cores;
    return *this;
  }
};
static_assert(sizeof(MemoryAndCores) == 16);

[[nodiscard]] constexpr MemoryAndCores operator+(MemoryAndCores a, const MemoryAndCores& b) { return a += b; }
[[nodiscard]] constexpr MemoryAndCores operator-(MemoryAndCores a, const MemoryAndCores& b) { return a -= b; }
/// True if memory and cores of `what` are at most those of `room`.
[[nodiscard]] constexpr bool fits_in(const MemoryAndCores& what, const MemoryAndCores& room) {
  return what.memory_mib <= room.memory_mib && what.cores <= room.cores;
}

}  // namespace heddle::policies
