// Numbers of AllocateRequests and their answers.
#pragma once

#include <cstdint>
#include <limits>

namespace heddle::policies {

/// Response ids count from 0 to the largest int32 and restart at 0, as in YARN.
[[nodiscard]] constexpr std::int32_t next_response_id(std::int32_t response_id) {
  return response_id == std::numeric_limits<std::int32_t>::max() ? 0 : response_id + 1;
}

}  // namespace heddle::policies
