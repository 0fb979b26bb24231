// All settings of one run, each with the place it came from. Made once by whoever starts the process; actors and
// policies get their section by value. The sections themselves stand in config/table/sections.hpp.
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

/// Where a value came from, strongest first.
enum class Origin : std::uint8_t { command_line, job_file, settings_file, spark_defaults, derived, standard };

[[nodiscard]] const char* to_string(Origin origin);

/// One value as it was written, and the place: "job.toml:3:1", "--set", "spark-defaults.conf:7".
struct SettingValue {
  std::string text;
  Origin origin = Origin::standard;
  std::string place;
};

/// A set of values over the defaults of the table. Setting a value twice keeps the stronger origin; equals replace each
/// other.
class Settings {
public:
  /// Refuses an unknown key (with the nearest known one), an unreadable value and one out of bounds, each with a
  /// sentence. `key` may be any name of the table.
  Result<Done> set(std::string_view key, std::string_view value, Origin origin, std::string_view place);

  /// The value that counts for a key of the table, defaults and fallbacks included. Asserts that the key is known.
  [[nodiscard]] SettingValue effective(std::string_view key) const;
  /// True if some origin other than the default names the key.
  [[nodiscard]] bool is_set(std::string_view key) const;

#define HEDDLE_SETTING_ACCESSOR(Section, accessor, ROWS) [[nodiscard]] Section accessor() const;
  HEDDLE_SETTINGS_SECTIONS(HEDDLE_SETTING_ACCESSOR)
#undef HEDDLE_SETTING_ACCESSOR

  /// The rows of the table, and behind them those of names that only these settings have (NAME in a key of the table).
  [[nodiscard]] std::vector<const SettingRow*> rows() const;
  /// Every value that was set, by canonical key: what another process needs to hold the same settings.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> changes() const;

private:
  [[nodiscard]] bool is_said(const SettingRow& row) const;

  std::map<std::string, SettingValue, std::less<>> values_;  // by canonical key
};

}  // namespace heddle::config
