#include "apps/cli/config_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "config/table/setting_rows.hpp"
#include "config/text/did_you_mean.hpp"

namespace heddle::apps {
namespace {

namespace json = boost::json;
using config::SettingRow;

json::object describe(const SettingRow& row) {
  json::array aliases;
  for (const auto alias : config::split_words(row.aliases, ',')) aliases.emplace_back(std::string{alias});
  return json::object{{"key", std::string{row.key}},           {"kind", config::to_string(row.kind)},
                      {"default", config::default_text(row)},  {"bounds", config::bounds_text(row)},
                      {"unit", config::to_string(row.unit)},   {"aliases", aliases},
                      {"fallback", std::string{row.fallback}}, {"needs_restart", row.needs_restart},
                      {"sentence", std::string{row.sentence}}};
}

json::object describe_effective(const SettingRow& row, const config::Settings& settings) {
  const auto value = settings.effective(row.key);
  return json::object{{"key", std::string{row.key}},
                      {"value", value.text},
                      {"origin", config::to_string(value.origin)},
                      {"place", value.place}};
}

/// One document with a schema number, or one line per setting.
std::string print_json(Format format, const json::array& settings) {
  if (format == Format::json) return json::serialize(json::object{{"schema", 1}, {"settings", settings}}) + "\n";
  std::string lines;
  for (auto setting : settings) {
    json::object line{{"schema", 1}};
    for (const auto& member : setting.as_object()) line.insert(member);
    lines += json::serialize(line) + "\n";
  }
  return lines;
}

std::string print_row(const SettingRow& row) {
  std::string text = fmt::format("{}\n  {}\n", row.key, row.sentence);
  const auto standard = config::default_text(row);
  text += fmt::format("  default  {}\n  kind     {}\n", standard.empty() ? "(empty)" : standard,
                      config::to_string(row.kind));
  if (const auto bounds = config::bounds_text(row); !bounds.empty()) text += fmt::format("  bounds   {}\n", bounds);
  if (const std::string unit = config::to_string(row.unit); !unit.empty())
    text += fmt::format("  unit     a number without a unit is in {}\n", unit);
  if (!row.fallback.empty()) text += fmt::format("  unset    takes the value of {}\n", row.fallback);
  if (!row.aliases.empty())
    text += fmt::format("  aliases  {}\n", fmt::join(config::split_words(row.aliases, ','), ", "));
  if (row.needs_restart) text += "  restart  read when a role process starts\n";
  return text;
}

/// Lower case without '.', '_' and '-', so that "maxFailures" matches heddle.task.max_failures.
std::string letters_of(std::string_view name) {
  auto letters = config::lower_case(name);
  letters.erase(std::remove_if(letters.begin(), letters.end(), [](char c) { return c == '.' || c == '_' || c == '-'; }),
                letters.end());
  return letters;
}

/// Keys of settings with `word` (at least 3 letters) in the key or an alias, then those with it in their sentence.
std::vector<std::string_view> settings_with(std::string_view word) {
  const auto letters = letters_of(word);
  if (letters.size() < 3) return {};
  std::vector<std::string_view> by_name;
  std::vector<std::string_view> by_sentence;
  for (const auto& row : config::setting_rows()) {
    auto names = config::split_words(row.aliases, ',');
    names.push_back(row.key);
    const bool is_named = std::any_of(names.begin(), names.end(), [&](std::string_view name) {
      return letters_of(name).find(letters) != std::string::npos;
    });
    if (is_named) by_name.push_back(row.key);
    else if (config::lower_case(row.sentence).find(config::lower_case(word)) != std::string::npos)
      by_sentence.push_back(row.key);
  }
  by_name.insert(by_name.end(), by_sentence.begin(), by_sentence.end());
  return by_name;
}

/// "; matching settings: a, b", or a suggestion of the nearest name if no setting matches.
std::string advice_for(const std::string& word) {
  constexpr std::size_t shown_max = 12;
  auto found = settings_with(word);
  if (found.empty()) return config::suggestion(word, config::setting_names());
  const auto more = found.size() > shown_max ? fmt::format(" and {} more", found.size() - shown_max) : std::string{};
  found.resize(std::min(found.size(), shown_max));
  return fmt::format("; matching settings: {}{}", fmt::join(found, ", "), more);
}

Result<std::string> explain(const ConfigOptions& options) {
  const auto* row = config::find_setting(options.key);
  if (row == nullptr)
    return Error{Errc::not_found, fmt::format("no setting is named \"{}\"{}", options.key, advice_for(options.key))};
  if (options.job.format == Format::table) return print_row(*row);
  auto document = describe(*row);
  document["schema"] = 1;
  return json::serialize(document) + "\n";
}

std::string list(const ConfigOptions& options) {
  json::array settings;
  std::string text;
  for (const auto& row : config::setting_rows()) {
    settings.push_back(describe(row));
    text += fmt::format("{:52} {:12} {}\n", row.key, config::default_text(row), row.sentence);
  }
  return options.job.format == Format::table ? text : print_json(options.job.format, settings);
}

std::string effective(const ConfigOptions& options, const config::Settings& settings) {
  json::array values;
  std::string text;
  for (const auto* row : settings.rows()) {
    values.push_back(describe_effective(*row, settings));
    const auto value = settings.effective(row->key);
    const auto origin = value.place.empty() ? std::string{config::to_string(value.origin)} : value.place;
    text += fmt::format("{:52} {:24} {}\n", row->key, value.text, origin);
  }
  return options.job.format == Format::table ? text : print_json(options.job.format, values);
}

}  // namespace

Result<std::string> answer_config(const ConfigOptions& options, const config::LoadedSettings& loaded) {
  switch (options.question) {
    case ConfigQuestion::list: return list(options);
    case ConfigQuestion::explain: return explain(options);
    case ConfigQuestion::effective: return effective(options, loaded.settings);
  }
  return std::string{};
}

}  // namespace heddle::apps
