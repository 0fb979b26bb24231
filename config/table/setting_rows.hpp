// The settings table as data, for readers, help and completion.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/text/value_text.hpp"
#include "model/result.hpp"

namespace heddle::config {

enum class SettingKind : std::uint8_t { count, ratio, flag, duration, size, amount, text, choice };

[[nodiscard]] const char* to_string(SettingKind kind);
[[nodiscard]] const char* to_string(SettingUnit unit);

/// One setting. Durations are in microseconds, flags 0 or 1. Rows of kind `ratio` use the real_ members, `text` and
/// `choice` the texts, all others the integer_ members.
struct SettingRow {
  std::string_view section;
  std::string_view key;
  SettingKind kind = SettingKind::text;
  SettingUnit unit = SettingUnit::none;
  std::int64_t integer_default = 0, integer_lower = 0, integer_upper = 0;
  double real_default = 0, real_lower = 0, real_upper = 0;
  std::string_view text_default;
  std::string_view choices;   // separated by |
  std::string_view aliases;   // separated by commas
  std::string_view fallback;  // key whose value is used while this one is not set
  bool needs_restart = false;
  std::string_view sentence;
};

/// All rows, in the order of the table.
[[nodiscard]] std::span<const SettingRow> setting_rows();
/// The row with this key or alias; null if there is none. For a row with NAME in its key, each name has its own row,
/// which is created at the first call.
[[nodiscard]] const SettingRow* find_setting(std::string_view name);
/// NAME in `key`, if `key` belongs to the family `family_key`; otherwise empty.
[[nodiscard]] std::string_view name_in_family(std::string_view family_key, std::string_view key);
/// All keys and aliases.
[[nodiscard]] std::span<const std::string_view> setting_names();

/// Checks the bounds and returns the value in its normal form ("3s" for "3000ms"). Fails with Errc::usage.
Result<std::string> normalized_value(const SettingRow& row, std::string_view text);

[[nodiscard]] std::string default_text(const SettingRow& row);
/// "1 to 4096", "FIFO or FAIR", or nothing for a text.
[[nodiscard]] std::string bounds_text(const SettingRow& row);
[[nodiscard]] std::vector<std::string_view> split_words(std::string_view words, char separator);

}  // namespace heddle::config
