// Units for defaults and bounds in the settings table.
#pragma once

#include <cstdint>
#include <limits>

#include "model/time.hpp"

namespace heddle::config {

inline constexpr std::int64_t count_max = std::numeric_limits<std::int32_t>::max();
inline constexpr std::int64_t size_max = std::numeric_limits<std::int64_t>::max();

[[nodiscard]] constexpr Duration microseconds(std::int64_t n) { return Duration{n}; }
[[nodiscard]] constexpr Duration milliseconds(std::int64_t n) { return Duration{n * 1'000}; }
[[nodiscard]] constexpr Duration seconds(std::int64_t n) { return Duration{n * 1'000'000}; }
[[nodiscard]] constexpr Duration minutes(std::int64_t n) { return seconds(n * 60); }
[[nodiscard]] constexpr Duration hours(std::int64_t n) { return minutes(n * 60); }
[[nodiscard]] constexpr Duration days(std::int64_t n) { return hours(n * 24); }

/// Stands for "never" (100 years): longer than any run, and safe to add to an Instant.
inline constexpr Duration never = days(36'500);

[[nodiscard]] constexpr std::int64_t kibibytes(std::int64_t n) { return n << 10; }
[[nodiscard]] constexpr std::int64_t mebibytes(std::int64_t n) { return n << 20; }
[[nodiscard]] constexpr std::int64_t gibibytes(std::int64_t n) { return n << 30; }

}  // namespace heddle::config
