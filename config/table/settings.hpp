// All settings of one run with their origins. The starting process creates them once; actors and policies get their
// section by value (config/table/sections.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/table/sections.hpp"
#include "model/result.hpp"

namespace heddle::config {

struct SettingRow;

/// Source of a value, highest precedence first.
enum class Origin : std::uint8_t { command_line, job_file, settings_file, spark_defaults, derived, standard };

[[nodiscard]] const char* to_string(Origin origin);

/// One value in its normal form, and its place: "job.toml:3:1", "--set", "spark-defaults.conf:7".
struct SettingValue {
  std::string text;
  Origin origin = Origin::standard;
  std::string place;
};

/// Values on top of the defaults of the table.
class Settings {
public:
  /// Sets a value, unless one of a higher origin is set. `key` is a key or an alias. Fails with Errc::usage for an
  /// unknown key (the text suggests the closest one), an unreadable value and a value out of bounds.
  Result<Done> set(std::string_view key, std::string_view value, Origin origin, std::string_view place);

  /// Effective value of a key, with defaults and fallbacks. Asserts that the key is known.
  [[nodiscard]] SettingValue effective(std::string_view key) const;
  /// True if the key has a value other than its default or fallback.
  [[nodiscard]] bool is_set(std::string_view key) const;

#define HEDDLE_SETTING_ACCESSOR(Section, accessor, ROWS) [[nodiscard]] Section accessor() const;
  HEDDLE_SETTINGS_SECTIONS(HEDDLE_SETTING_ACCESSOR)
#undef HEDDLE_SETTING_ACCESSOR

  /// All rows of the table, followed by the rows of set keys with a NAME.
  [[nodiscard]] std::vector<const SettingRow*> rows() const;
  /// All values that are set, by key: another process needs them to have the same settings.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> changes() const;

private:
  [[nodiscard]] bool is_said(const SettingRow& row) const;

  std::map<std::string, SettingValue, std::less<>> values_;  // by canonical key
};

}  // namespace heddle::config
