#include "config/table/setting_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <map>
#include <memory>
#include <mutex>

#include "config/table/sections.hpp"
#include "model/resource_text.hpp"

namespace heddle::config {
namespace {

enum class Restart : std::uint8_t { no, yes };

template <std::signed_integral Number>
constexpr void put_range(SettingRow& row, Number standard, Number lower, Number upper) {
  row.integer_default = standard;
  row.integer_lower = lower;
  row.integer_upper = upper;
}
constexpr void put_range(SettingRow& row, bool standard, bool /*lower*/, bool /*upper*/) {
  put_range(row, std::int64_t{standard}, std::int64_t{0}, std::int64_t{1});
}
constexpr void put_range(SettingRow& row, Duration standard, Duration lower, Duration upper) {
  put_range(row, standard.count(), lower.count(), upper.count());
}
constexpr void put_range(SettingRow& row, double standard, double lower, double upper) {
  row.real_default = standard;
  row.real_lower = lower;
  row.real_upper = upper;
}
constexpr void put_range(SettingRow& row, std::string_view standard, std::string_view choices,
                         std::string_view /*upper*/) {
  row.text_default = standard;
  row.choices = choices;
}

/// Settings that have the value of another one while they are not set.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> fallbacks{{
    {"heddle.locality.wait.node", "heddle.locality.wait"},
    {"heddle.locality.wait.rack", "heddle.locality.wait"},
    {"heddle.exclusion.application.enabled", "heddle.exclusion.enabled"},
    {"heddle.exclusion.task_and_stage.enabled", "heddle.exclusion.enabled"},
    {"heddle.dynamic_allocation.initial_executors", "heddle.dynamic_allocation.min_executors"},
    {"heddle.dynamic_allocation.sustained_backlog_timeout", "heddle.dynamic_allocation.backlog_timeout"},
    {"heddle.map.max_attempts", "heddle.task.max_failures"},
    {"heddle.reduce.max_attempts", "heddle.task.max_failures"},
}};

constexpr std::string_view fallback_of(std::string_view key) {
  for (const auto& [from, to] : fallbacks)
    if (from == key) return to;
  return {};
}

#define HEDDLE_COUNT_ROW(field, kind, key, standard, lower, upper, unit, aliases, restart, sentence) +1
#define HEDDLE_COUNT_SECTION(Section, accessor, ROWS) ROWS(HEDDLE_COUNT_ROW)
constexpr std::size_t row_count = 0 HEDDLE_SETTINGS_SECTIONS(HEDDLE_COUNT_SECTION);
#undef HEDDLE_COUNT_SECTION
#undef HEDDLE_COUNT_ROW

constexpr SettingRow make_row(std::string_view section, std::string_view key, SettingKind kind, SettingUnit unit,
                              std::string_view aliases, Restart restart, std::string_view sentence) {
  SettingRow row;
  row.section = section;
  row.key = key;
  row.kind = kind;
  row.unit = unit;
  row.aliases = aliases;
  row.fallback = fallback_of(key);
  row.needs_restart = restart == Restart::yes;
  row.sentence = sentence;
  return row;
}

template <SettingKind kind, class Value>
constexpr void put_typed_range(SettingRow& row, Value standard, Value lower, Value upper) {
  if constexpr (kind == SettingKind::count || kind == SettingKind::size)
    put_range(row, static_cast<std::int64_t>(standard), static_cast<std::int64_t>(lower),
              static_cast<std::int64_t>(upper));
  else put_range(row, standard, lower, upper);
}

template <SettingKind kind>
struct RangeType {
  using type = std::int64_t;
};
template <>
struct RangeType<SettingKind::ratio> {
  using type = double;
};
template <>
struct RangeType<SettingKind::flag> {
  using type = bool;
};
template <>
struct RangeType<SettingKind::duration> {
  using type = Duration;
};
template <>
struct RangeType<SettingKind::text> {
  using type = std::string_view;
};
template <>
struct RangeType<SettingKind::choice> {
  using type = std::string_view;
};

constexpr std::array<SettingRow, row_count> make_rows() {
  std::array<SettingRow, row_count> rows{};
  std::size_t next = 0;
  std::string_view section;
#define HEDDLE_MAKE_ROW(field, kind, key, standard, lower, upper, unit, aliases, restart, sentence)               \
  rows[next] = make_row(section, key, SettingKind::kind, SettingUnit::unit, aliases, Restart::restart, sentence); \
  put_typed_range<SettingKind::kind, RangeType<SettingKind::kind>::type>(rows[next], standard, lower, upper);     \
  ++next;
#define HEDDLE_MAKE_SECTION(Section, accessor, ROWS) \
  section = #accessor;                               \
  ROWS(HEDDLE_MAKE_ROW)
  HEDDLE_SETTINGS_SECTIONS(HEDDLE_MAKE_SECTION)
#undef HEDDLE_MAKE_SECTION
#undef HEDDLE_MAKE_ROW
  return rows;
}

constexpr std::array<SettingRow, row_count> rows = make_rows();

const std::map<std::string_view, const SettingRow*>& index_of_names() {
  static const auto index = [] {
    std::map<std::string_view, const SettingRow*> names;
    for (const auto& row : rows) {
      names.emplace(row.key, &row);
      for (const auto alias : split_words(row.aliases, ',')) names.emplace(alias, &row);
    }
    return names;
  }();
  return index;
}

constexpr std::string_view name_in_keys = "NAME";

/// A row of a family for one NAME, with the texts that its views refer to.
struct NamedRow {
  std::string key;
  std::string aliases;
  SettingRow row;
};

std::string with_name(std::string_view text, std::string_view name) {
  std::string made;
  for (auto at = text.find(name_in_keys); at != std::string_view::npos; at = text.find(name_in_keys)) {
    made += text.substr(0, at);
    made += name;
    text.remove_prefix(at + name_in_keys.size());
  }
  return made.append(text);
}

/// True if `name` can replace NAME: no blank, dot or =; a resource name may contain dots.
bool is_name_of(SettingKind kind, std::string_view name) {
  if (kind == SettingKind::amount) return is_resource_name(name);
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return static_cast<unsigned char>(c) > ' ' && c != '.' && c != '=' && c != '\x7f'; });
}

/// The NAME with which `pattern` equals the key; empty if there is none.
std::string_view name_within(SettingKind kind, std::string_view pattern, std::string_view key) {
  const auto at = pattern.find(name_in_keys);
  if (at == std::string_view::npos) return {};
  const auto before = pattern.substr(0, at);
  const auto behind = pattern.substr(at + name_in_keys.size());
  if (key.size() <= before.size() + behind.size() || key.substr(0, before.size()) != before) return {};
  if (key.substr(key.size() - behind.size()) != behind) return {};
  const auto name = key.substr(before.size(), key.size() - before.size() - behind.size());
  return is_name_of(kind, name) ? name : std::string_view{};
}

const SettingRow* named_row(const SettingRow& family, std::string_view name) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<NamedRow>> made;
  const std::lock_guard lock{mutex};
  auto& place = made[with_name(family.key, name)];
  if (!place) {
    place = std::make_unique<NamedRow>(NamedRow{with_name(family.key, name), with_name(family.aliases, name), family});
    place->row.key = place->key;
    place->row.aliases = place->aliases;
  }
  return &place->row;
}

const SettingRow* find_in_families(std::string_view key) {
  for (const auto& row : rows) {
    if (const auto name = name_within(row.kind, row.key, key); !name.empty()) return named_row(row, name);
    for (const auto alias : split_words(row.aliases, ','))
      if (const auto name = name_within(row.kind, alias, key); !name.empty()) return named_row(row, name);
  }
  return nullptr;
}

std::string integer_text(const SettingRow& row, std::int64_t value) {
  switch (row.kind) {
    case SettingKind::duration: return format_duration(Duration{value});
    case SettingKind::size: return row.unit == SettingUnit::mib ? fmt::format("{}m", value) : format_bytes(value);
    case SettingKind::flag: return value != 0 ? "true" : "false";
    default: return fmt::format("{}", value);
  }
}

Error out_of_bounds(const SettingRow& row, std::string_view text) {
  return Error{Errc::usage, fmt::format("{} must be {}, not {}", row.key, bounds_text(row), text)};
}

/// Value of a row with whole numbers.
Result<std::int64_t> read_integer(const SettingRow& row, std::string_view text) {
  if (row.kind == SettingKind::duration) {
    const auto span = parse_duration(text, row.unit);
    if (!span) return span.error();
    return span->count();
  }
  if (row.kind == SettingKind::size) return parse_size(text, row.unit);
  if (row.kind == SettingKind::flag) {
    const auto flag = parse_flag(text);
    if (!flag) return flag.error();
    return *flag ? 1 : 0;
  }
  if (row.kind == SettingKind::amount) return read_resource_amount(trimmed(text));
  return parse_integer(text);
}

Result<std::string> read_choice(const SettingRow& row, std::string_view text) {
  for (const auto word : split_words(row.choices, '|'))
    if (lower_case(word) == lower_case(trimmed(text))) return std::string{word};
  return out_of_bounds(row, fmt::format("\"{}\"", text));
}

}  // namespace

const char* to_string(SettingKind kind) {
  switch (kind) {
    case SettingKind::count: return "count";
    case SettingKind::ratio: return "ratio";
    case SettingKind::flag: return "flag";
    case SettingKind::duration: return "duration";
    case SettingKind::size: return "size";
    case SettingKind::amount: return "amount";
    case SettingKind::text: return "text";
    case SettingKind::choice: return "choice";
  }
  return "text";
}

const char* to_string(SettingUnit unit) {
  switch (unit) {
    case SettingUnit::none: return "";
    case SettingUnit::ms: return "ms";
    case SettingUnit::s: return "s";
    case SettingUnit::bytes: return "bytes";
    case SettingUnit::kib: return "KiB";
    case SettingUnit::mib:
    case SettingUnit::mib_in_bytes: return "MiB";
  }
  return "";
}

std::span<const SettingRow> setting_rows() { return rows; }

const SettingRow* find_setting(std::string_view name) {
  const auto found = index_of_names().find(name);
  return found == index_of_names().end() ? find_in_families(name) : found->second;
}

std::string_view name_in_family(std::string_view family_key, std::string_view key) {
  const auto found = index_of_names().find(family_key);
  HEDDLE_ASSERT(found != index_of_names().end(), family_key);
  return name_within(found->second->kind, family_key, key);
}

std::span<const std::string_view> setting_names() {
  static const auto names = [] {
    std::vector<std::string_view> all;
    for (const auto& [name, row] : index_of_names()) all.push_back(name);
    return all;
  }();
  return names;
}

Result<std::string> normalized_value(const SettingRow& row, std::string_view text) {
  if (row.kind == SettingKind::text) return std::string{text};
  if (row.kind == SettingKind::choice) return read_choice(row, text);
  if (row.kind == SettingKind::ratio) {
    const auto real = parse_real(text);
    if (!real) return Error{Errc::usage, fmt::format("{}: {}", row.key, real.error().text)};
    if (*real < row.real_lower || *real > row.real_upper) return out_of_bounds(row, trimmed(text));
    return fmt::format("{}", *real);
  }
  const auto integer = read_integer(row, text);
  if (!integer) return Error{Errc::usage, fmt::format("{}: {}", row.key, integer.error().text)};
  if (*integer < row.integer_lower || *integer > row.integer_upper) return out_of_bounds(row, trimmed(text));
  return integer_text(row, *integer);
}

std::string default_text(const SettingRow& row) {
  if (row.kind == SettingKind::text || row.kind == SettingKind::choice) return std::string{row.text_default};
  if (row.kind == SettingKind::ratio) return fmt::format("{}", row.real_default);
  return integer_text(row, row.integer_default);
}

std::string bounds_text(const SettingRow& row) {
  if (row.kind == SettingKind::text) return {};
  if (row.kind == SettingKind::flag) return "true or false";
  if (row.kind == SettingKind::ratio) return fmt::format("{} to {}", row.real_lower, row.real_upper);
  if (row.kind != SettingKind::choice)
    return fmt::format("{} to {}", integer_text(row, row.integer_lower), integer_text(row, row.integer_upper));
  const auto words = split_words(row.choices, '|');
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : i + 1 == words.size() ? " or " : ", ", words[i]);
  return text;
}

std::vector<std::string_view> split_words(std::string_view words, char separator) {
  std::vector<std::string_view> result;
  while (!words.empty()) {
    const auto end = std::min(words.find(separator), words.size());
    if (end > 0) result.push_back(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return result;
}

}  // namespace heddle::config
