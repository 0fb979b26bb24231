// How executors of an application's attempts are numbered, so that no id is given twice.
#pragma once

#include <cstdint>

#include "model/ids.hpp"

namespace heddle {

/// Executors of attempt n begin after (n - 1) times this.
inline constexpr std::int64_t executors_per_attempt = 100'000;

/// The attempt of the application whose allocator gave this id.
[[nodiscard]] constexpr std::int32_t attempt_of(ExecutorId executor) {
  return executor.value <= 0 ? 1 : static_cast<std::int32_t>((executor.value - 1) / executors_per_attempt) + 1;
}

}  // namespace heddle
