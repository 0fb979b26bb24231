// Formats durations and sizes for people, and times in RFC 3339.
#pragma once

#include <cstdint>
#include <string>

#include "model/time.hpp"

namespace heddle::apps {

/// "12 ms", "3.4 s", "5 min 12 s", "2 h 3 min".
[[nodiscard]] std::string human_duration(Duration span);
/// "17 B", "1.5 KiB", "3.2 GiB".
[[nodiscard]] std::string human_bytes(std::int64_t bytes);
/// Formats microseconds since 1970 as RFC 3339 in UTC with milliseconds.
[[nodiscard]] std::string rfc3339(std::int64_t wall_us);

}  // namespace heddle::apps
