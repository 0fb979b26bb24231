// Numbering of executors: each application attempt has its own range of ids, so no id is reused. Example: attempt 1 has
// the ids 1 to 100000, attempt 2 starts at 100001.
#pragma once

#include <cstdint>

#include "model/ids.hpp"

namespace heddle {

/// Ids per application attempt: those of attempt n start at (n - 1) * executors_per_attempt + 1.
inline constexpr std::int64_t executors_per_attempt = 100'000;

/// Application attempt whose YarnAllocator gave this id; 1 for ids up to 0 (executor of a local master).
[[nodiscard]] constexpr std::int32_t attempt_of(ExecutorId executor) {
  return executor.value <= 0 ? 1 : static_cast<std::int32_t>((executor.value - 1) / executors_per_attempt) + 1;
}

}  // namespace heddle
