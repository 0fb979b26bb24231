// Goal: every setting is read into its field of its section under each of its names, and a wrong name or value is
// refused with the right one. Method: the whole settings table as data; the values next to its bounds.
#include <fmt/format.h>

#include <boost/test/unit_test.hpp>
#include <limits>

#include "config/table/setting_rows.hpp"
#include "config/table/settings.hpp"

namespace heddle::config {
namespace settings_rows_test {
namespace {

/// A number as the user may write it: durations in us, sizes in bytes or MiB.
std::string text_of(const SettingRow& row, std::int64_t value) {
  switch (row.kind) {
    case SettingKind::duration: return value == never.count() ? "never" : fmt::format("{}us", value);
    case SettingKind::size: return fmt::format("{}{}", value, row.unit == SettingUnit::mib ? "m" : "b");
    case SettingKind::flag: return value != 0 ? "true" : "false";
    default: return fmt::format("{}", value);
  }
}

/// A bound that is not the default.
template <class Number>
Number other_bound(Number standard, Number lower, Number upper) {
  return standard == lower ? upper : lower;
}

/// Another value than the default, and what the field then holds.
template <class Value>
std::pair<std::string, Value> sample_of(const SettingRow& row) {
  if constexpr (std::is_same_v<Value, std::string>) {
    if (row.kind == SettingKind::text) return {"sample", "sample"};
    for (const auto word : split_words(row.choices, '|'))
      if (word != row.text_default) return {std::string{word}, std::string{word}};
    return {};
  } else if constexpr (std::is_same_v<Value, double>) {
    const auto value = other_bound(row.real_default, row.real_lower, row.real_upper);
    return {fmt::format("{}", value), value};
  } else {
    const auto value = other_bound(row.integer_default, row.integer_lower, row.integer_upper);
    return {text_of(row, value), Value(value)};
  }
}

std::string refusal(std::string_view key, const std::string& value) {
  Settings settings;
  const auto set = settings.set(key, value, Origin::command_line, "--set");
  return set ? "accepted" : set.error().text;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Values beyond the bounds of a row, as texts.
std::vector<std::string> beyond(const SettingRow& row) {
  if (row.kind == SettingKind::choice) return {"sample"};
  if (row.kind == SettingKind::ratio)
    return {fmt::format("{}", row.real_lower - 1), fmt::format("{}", row.real_upper + 1)};
  std::vector<std::string> texts;
  const bool is_number = row.kind != SettingKind::text && row.kind != SettingKind::flag;
  if (is_number) texts.push_back(text_of(row, row.integer_lower - 1));
  if (is_number && row.integer_upper < never.count()) texts.push_back(text_of(row, row.integer_upper + 1));
  return texts;
}

void check_refusals(const SettingRow& row) {
  for (const auto& text : beyond(row)) {
    const auto shown = row.kind == SettingKind::choice ? fmt::format("\"{}\"", text) : text;
    const auto said = refusal(row.key, text);
    BOOST_TEST(contains(said, fmt::format("{} must be {}, not {}", row.key, bounds_text(row), shown)), said);
  }
  if (row.kind != SettingKind::text && row.kind != SettingKind::choice) {
    const auto said = refusal(row.key, "nonsense");
    BOOST_TEST((contains(said, std::string{row.key}) && contains(said, "\"nonsense\"")), said);
  }
  const auto misspelt = std::string{row.key} + std::string(1, row.key.back());
  const auto said = refusal(misspelt, "1");
  BOOST_TEST(contains(said, fmt::format("did you mean \"{}\"", row.key)), said);
}

template <class Read>
void check_field(std::string_view key, Read read) {
  BOOST_TEST_CONTEXT(key) {
    const auto& row = *find_setting(key);
    if (key.find("NAME") == std::string_view::npos) {
      using Value = decltype(read(Settings{}));
      const auto [text, value] = sample_of<Value>(row);
      BOOST_TEST((read(Settings{}) != value));
      auto names = split_words(row.aliases, ',');
      names.push_back(key);
      for (const auto name : names) {
        Settings settings;
        const auto set = settings.set(name, text, Origin::command_line, "--set");
        BOOST_REQUIRE_MESSAGE(set.has_value(), name << " = " << text);
        BOOST_TEST((read(settings) == value), name << " = " << text);
      }
      check_refusals(row);
    }
  }
}

#define HEDDLE_CHECK_FIELD(field, kind, key, standard, lower, upper, unit, aliases, restart, sentence) \
  check_field(key, [&](const Settings& settings) { return section_of(settings).field; });
#define HEDDLE_CHECK_ROWS(Section, accessor, ROWS)                                        \
  BOOST_AUTO_TEST_CASE(rows_of_##accessor##_are_read_and_wrong_ones_are_refused) {        \
    const auto section_of = [](const Settings& settings) { return settings.accessor(); }; \
    ROWS(HEDDLE_CHECK_FIELD)                                                              \
  }
HEDDLE_SETTINGS_SECTIONS(HEDDLE_CHECK_ROWS)
#undef HEDDLE_CHECK_ROWS
#undef HEDDLE_CHECK_FIELD

}  // namespace
}  // namespace settings_rows_test
}  // namespace heddle::config
