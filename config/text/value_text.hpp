// Durations, sizes and numbers as Spark's files write them: `3s`, `100ms`, `5min`, `64m`, a bare number in the row's
// own unit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"
#include "model/time.hpp"

namespace heddle::config {

/// Units that a bare number may stand for. Sizes in mib are counted in MiB, all other sizes in bytes (mib_in_bytes:
/// `48` is 48 MiB).
enum class SettingUnit : std::uint8_t { none, ms, s, bytes, kib, mib, mib_in_bytes };

/// A whole number with an optional suffix us, ms, s, m, min, h or d. Fails on overflow; never rounds.
Result<Duration> parse_duration(std::string_view text, SettingUnit bare);

/// Bytes (MiB where `bare` is mib, rounded down as Spark does), with an optional suffix b, k, m, g, t or p, each with
/// or without a b.
Result<std::int64_t> parse_size(std::string_view text, SettingUnit bare);

Result<std::int64_t> parse_integer(std::string_view text);
/// A finite decimal number.
Result<double> parse_real(std::string_view text);
/// true or false, in any case.
Result<bool> parse_flag(std::string_view text);

/// The shortest of these forms that loses nothing: "90s", "1h", "100ms", "never" for a wait without end.
[[nodiscard]] std::string format_duration(Duration span);
/// "64m", "1g", "1000": bytes in the largest unit that loses nothing.
[[nodiscard]] std::string format_bytes(std::int64_t bytes);

[[nodiscard]] std::string lower_case(std::string_view text);
/// Without blanks at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);
/// What stands between commas, without blanks at both ends; empty ones are left out.
[[nodiscard]] std::vector<std::string> comma_separated(std::string_view text);

}  // namespace heddle::config
