// Time as heddle counts it: microseconds of one monotonic clock that is handed in, never read here.
#pragma once

#include <chrono>
#include <cstdint>

namespace heddle {

/// A span of time in whole microseconds.
using Duration = std::chrono::duration<std::int64_t, std::micro>;

/// The clock that Instants belong to. It has no now(): whoever needs the time is given it.
struct MonotonicTime {
  using rep = Duration::rep;
  using period = Duration::period;
  using duration = Duration;
  using time_point = std::chrono::time_point<MonotonicTime, Duration>;
  static constexpr bool is_steady = true;
};

/// A point of monotonic time; its zero is the start of the process or of the simulated world.
using Instant = MonotonicTime::time_point;

[[nodiscard]] constexpr std::int64_t to_milliseconds(Duration span) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(span).count();
}

}  // namespace heddle
