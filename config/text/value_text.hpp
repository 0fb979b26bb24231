// Durations, sizes and numbers in the notation of Spark: `3s`, `100ms`, `5min`, `64m`. A number without suffix has the
// unit of its row.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"
#include "model/time.hpp"

namespace heddle::config {

/// Unit of a number without suffix. Values of `mib` are in MiB, all other sizes in bytes (mib_in_bytes: `48` is 48 MiB
/// in bytes).
enum class SettingUnit : std::uint8_t { none, ms, s, bytes, kib, mib, mib_in_bytes };

/// A whole number with an optional suffix us, ms, s, m, min, h or d, or "never". Fails with Errc::usage, also on
/// overflow.
Result<Duration> parse_duration(std::string_view text, SettingUnit bare);

/// Bytes (MiB if `bare` is mib, rounded down as in Spark), with an optional suffix b, k, m, g, t or p, or kb, mb, gb,
/// tb or pb.
Result<std::int64_t> parse_size(std::string_view text, SettingUnit bare);

Result<std::int64_t> parse_integer(std::string_view text);
/// A finite decimal number.
Result<double> parse_real(std::string_view text);
/// true or false, in upper or lower case.
Result<bool> parse_flag(std::string_view text);

/// Text in the largest unit without a remainder: "90s", "1h", "100ms"; "never" for an unlimited wait.
[[nodiscard]] std::string format_duration(Duration span);
/// Bytes in the largest unit without a remainder: "64m", "1g", "1000".
[[nodiscard]] std::string format_bytes(std::int64_t bytes);

[[nodiscard]] std::string lower_case(std::string_view text);
/// Removes blanks at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);
/// The parts between commas, trimmed; empty parts are dropped.
[[nodiscard]] std::vector<std::string> comma_separated(std::string_view text);

}  // namespace heddle::config
