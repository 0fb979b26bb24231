// Time types: microseconds of one monotonic clock. Code gets the time as an argument; nothing here reads a clock.
#pragma once

#include <chrono>
#include <cstdint>

namespace heddle {

/// A time span in microseconds.
using Duration = std::chrono::duration<std::int64_t, std::micro>;

/// Tag of the monotonic clock. It has no now(): callers pass the time in.
struct MonotonicTime {
  using rep = Duration::rep;
  using period = Duration::period;
  using duration = Duration;
  using time_point = std::chrono::time_point<MonotonicTime, Duration>;
  static constexpr bool is_steady = true;
};

/// A point of monotonic time. Zero is the epoch of the clock of the process: the boot of the machine on Linux.
using Instant = MonotonicTime::time_point;

[[nodiscard]] constexpr std::int64_t to_milliseconds(Duration span) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(span).count();
}

}  // namespace heddle
