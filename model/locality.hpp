// Locality of a task: how close its task slot is to its data.
#pragma once

#include <cstdint>

namespace heddle {

/// Levels in the order of Spark; a higher value is farther away.
enum class LocalityLevel : std::uint8_t { process = 0, node = 1, no_pref = 2, rack = 3, any = 4 };

[[nodiscard]] constexpr const char* to_string(LocalityLevel level) {
  switch (level) {
    case LocalityLevel::process: return "process";
    case LocalityLevel::node: return "node";
    case LocalityLevel::no_pref: return "no_pref";
    case LocalityLevel::rack: return "rack";
    case LocalityLevel::any: return "any";
  }
  return "any";
}

}  // namespace heddle
