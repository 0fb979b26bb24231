// Whether a container holds too much memory. A fork doubles the measured memory for a moment, so a container is stopped
// if it is above its limit in two successive measurements, or above twice its limit in one.
#pragma once

#include <cstdint>

namespace heddle::policies {

/// `used` and `limit` in one unit; `was_over`: the previous measurement was above the limit.
[[nodiscard]] constexpr bool exceeds_memory_limit(std::int64_t used, std::int64_t limit, bool was_over) {
  return used > 2 * limit || (used > limit && was_over);
}

}  // namespace heddle::policies
