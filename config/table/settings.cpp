#include "config/table/settings.hpp"

#include <fmt/format.h>

#include "config/table/setting_rows.hpp"
#include "config/text/did_you_mean.hpp"
#include "model/assert.hpp"

namespace heddle::config {
namespace {

/// Value of one field from its normal form. set() has checked the text.
template <SettingKind kind>
auto field_value(const std::string& text, [[maybe_unused]] SettingUnit unit) {
  if constexpr (kind == SettingKind::duration) return *parse_duration(text, unit);
  else if constexpr (kind == SettingKind::size) return *parse_size(text, unit);
  else if constexpr (kind == SettingKind::count || kind == SettingKind::amount) return *parse_integer(text);
  else if constexpr (kind == SettingKind::ratio) return *parse_real(text);
  else if constexpr (kind == SettingKind::flag) return *parse_flag(text);
  else return text;
}

}  // namespace

const char* to_string(Origin origin) {
  switch (origin) {
    case Origin::command_line: return "command line";
    case Origin::job_file: return "job file";
    case Origin::settings_file: return "heddle.toml";
    case Origin::spark_defaults: return "spark-defaults.conf";
    case Origin::derived: return "master";
    case Origin::standard: return "default";
  }
  return "default";
}

Result<Done> Settings::set(std::string_view key, std::string_view value, Origin origin, std::string_view place) {
  const auto* row = find_setting(key);
  if (row == nullptr)
    return Error{Errc::usage, fmt::format("no setting is named \"{}\"{}", key, suggestion(key, setting_names()))};
  const auto normal = normalized_value(*row, value);
  if (!normal) return normal.error();
  const auto known = values_.find(row->key);
  if (known != values_.end() && known->second.origin < origin) return Done{};
  values_.insert_or_assign(std::string{row->key}, SettingValue{*normal, origin, std::string{place}});
  return Done{};
}

SettingValue Settings::effective(std::string_view key) const {
  const auto* row = find_setting(key);
  HEDDLE_ASSERT(row != nullptr, fmt::format("setting {}", key));
  const auto known = values_.find(row->key);
  if (known != values_.end()) return known->second;
  if (!row->fallback.empty()) return effective(row->fallback);
  return SettingValue{default_text(*row), Origin::standard, {}};
}

bool Settings::is_set(std::string_view key) const {
  const auto* row = find_setting(key);
  return row != nullptr && values_.contains(row->key);
}

/// True if the value may differ from the default of the row.
bool Settings::is_said(const SettingRow& row) const {
  return !row.fallback.empty() || (!values_.empty() && values_.contains(row.key));
}

std::vector<const SettingRow*> Settings::rows() const {
  std::vector<const SettingRow*> all;
  for (const auto& row : setting_rows()) all.push_back(&row);
  for (const auto& [key, value] : values_) {
    const auto* row = find_setting(key);
    const auto& table = setting_rows();
    if (row < table.data() || row >= table.data() + table.size()) all.push_back(row);
  }
  return all;
}

std::vector<std::pair<std::string, std::string>> Settings::changes() const {
  std::vector<std::pair<std::string, std::string>> result;
  for (const auto& [key, value] : values_) result.emplace_back(key, value.text);
  return result;
}

// Starts from the defaults and reads only fields that may differ: sections are read once per job.
#define HEDDLE_READ_FIELD(field, kind, key, standard, lower, upper, unit, aliases, restart, sentence) \
  if (static const auto& row = *find_setting(key); is_said(row))                                      \
    section.field = field_value<SettingKind::kind>(effective(key).text, SettingUnit::unit);
#define HEDDLE_READ_SECTION(Section, accessor, ROWS) \
  Section Settings::accessor() const {               \
    Section section;                                 \
    ROWS(HEDDLE_READ_FIELD)                          \
    return section;                                  \
  }
HEDDLE_SETTINGS_SECTIONS(HEDDLE_READ_SECTION)
#undef HEDDLE_READ_SECTION
#undef HEDDLE_READ_FIELD

}  // namespace heddle::config
