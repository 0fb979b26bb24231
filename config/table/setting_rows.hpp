// The settings table as data: what readers, help and completion walk over.
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

/// One setting. Durations are microseconds, flags 0 or 1; `ratio` rows use the real numbers, `text` and `choice` rows
/// the texts.
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
  std::string_view fallback;  // key that counts while this one is not set
  bool needs_restart = false;
  std::string_view sentence;
};

/// All rows, in the order of the table.
[[nodiscard]] std::span<const SettingRow> setting_rows();
/// The row with this key or other name, or null. Of a row with NAME in its name: a row of its own for each name, made
/// when it is first asked for.
[[nodiscard]] const SettingRow* find_setting(std::string_view name);
/// The name for which the family of rows with this key, which holds NAME, has the row with the other key; empty: none.
[[nodiscard]] std::string_view name_in_family(std::string_view family_key, std::string_view key);
/// Every key and every other name.
[[nodiscard]] std::span<const std::string_view> setting_names();

/// A value within the row's bounds in its plain form ("3s" and "3000ms" are the same), or why it is none.
Result<std::string> normalized_value(const SettingRow& row, std::string_view text);

[[nodiscard]] std::string default_text(const SettingRow& row);
/// "1 to 4096", "FIFO or FAIR", or nothing for a text.
[[nodiscard]] std::string bounds_text(const SettingRow& row);
[[nodiscard]] std::vector<std::string_view> split_words(std::string_view words, char separator);

}  // namespace heddle::config
