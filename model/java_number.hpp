// Number conversions as the JVM does them, where a decision of Spark or Hadoop depends on the result.
#pragma once

#include <cstdint>
#include <limits>

namespace heddle::java {

/// (int) of a double: truncates, saturates, NaN gives 0 (Java Language Specification 5.1.3).
[[nodiscard]] constexpr std::int32_t to_int(double x) {
  if (x != x) return 0;
  if (x >= 2147483647.0) return std::numeric_limits<std::int32_t>::max();
  if (x <= -2147483648.0) return std::numeric_limits<std::int32_t>::min();
  return static_cast<std::int32_t>(x);
}

/// (long) of a double: truncates, saturates, NaN gives 0.
[[nodiscard]] constexpr std::int64_t to_long(double x) {
  if (x != x) return 0;
  if (x >= 9223372036854775807.0) return std::numeric_limits<std::int64_t>::max();
  if (x <= -9223372036854775808.0) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(x);
}

/// Math.max of doubles: NaN if one of them is NaN.
[[nodiscard]] constexpr double max(double a, double b) { return a != a || a > b ? a : b; }

/// Integer arithmetic that wraps on overflow, as Java int and long do.
[[nodiscard]] constexpr std::int32_t wrap_int(std::int64_t x) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::uint64_t>(x)));
}
[[nodiscard]] constexpr std::int32_t wrap_add(std::int32_t a, std::int32_t b) { return wrap_int(std::int64_t{a} + b); }
[[nodiscard]] constexpr std::int32_t wrap_mul(std::int32_t a, std::int32_t b) { return wrap_int(std::int64_t{a} * b); }
[[nodiscard]] constexpr std::int64_t wrap_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
[[nodiscard]] constexpr std::int64_t wrap_mul(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

}  // namespace heddle::java
